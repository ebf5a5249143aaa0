import { expect, test } from "vitest";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { sandbank, withoutProgress } from "../../cli/command.ts";
import { receiverReport } from "../../../src/checks/receiver/receiver-check.ts";
import { type Bugs, SECRET, buggyHandler, buggyReceiver } from "../../partners/buggy-receiver.ts";
import { spaced } from "../../../src/checks/receiver/spellings.ts";
import { Machine } from "../../partners/machine.ts";
import { EFFECTS, TIMEOUT_MS, cheap, check, dense, ids, withVerdict } from "./checking.ts";

test(
  "a good receiver fails nothing, and where its state is visible nothing is inconclusive",
  async () => {
    const results = await check({});
    expect(withVerdict(results, "fail")).toEqual([]);
    expect(withVerdict(results, "warn")).toEqual([]);
    expect(withVerdict(results, "inconclusive")).toEqual([]);
    expect(withVerdict(results, "skipped")).toEqual([
      "B7",
      "S14",
      "R1",
      "R2",
      "R3",
      "R4",
      "I5",
      "E5",
      "T5",
      "T6",
    ]);
  },
  TIMEOUT_MS,
);

const SIGNATURE_REJECTIONS = ["S1", "S2", "S3", "S4", "S6", "S7", "S9", "S10"];

const broken: readonly (readonly [string, Bugs, failing: readonly string[], only?: readonly string[]])[] = [
  ["accepts everything", { verifies: () => true }, [...SIGNATURE_REJECTIONS, "S13", "X6"], ids],
  ["answers 200 to what it rejects", { badStatus: 200 }, [...SIGNATURE_REJECTIONS, "X6"]],
  [
    "skips verification without a header",
    { verifies: (header, right) => header === undefined || header === `sha256=${right}` },
    ["S3", "S13"],
  ],
  [
    "breaks on a missing header",
    {
      verifies: (header, right) => header!.slice("sha256=".length) === right && header!.startsWith("sha256="),
    },
    ["S3"],
  ],
  [
    "compares without looking at the length",
    {
      verifies: (header, right) => {
        const [label, digest = ""] = (header ?? "").split("=");
        if (crypto.subtle === undefined || header === undefined || label !== "sha256") return false;
        const [given, expected] = [Buffer.from(digest), Buffer.from(right)];
        if (given.length !== expected.length)
          throw new RangeError("Input buffers must have the same byte length");
        return given.equals(expected);
      },
    },
    ["S4"],
  ],
  ["verifies what it parsed and wrote again", { verified: dense }, ["S7", "S8", "T3"]],
  ["decodes the body as Latin-1", { verified: (raw) => raw.toString("latin1") }, ["S8"]],
  ["trims the body", { verified: (raw) => raw.toString("utf8").trim() }, ["S8"]],
  ["takes an empty secret for one", { secrets: [SECRET, ""] }, ["S9"]],
  ["takes any label", { verifies: (header, right) => header?.replace(/^.*=/, "") === right }, ["S10"]],
  ["reveals the right signature", { badBody: (right) => `expected ${right}` }, ["S12"]],
  ["redirects", { redirect: "http://127.0.0.1/elsewhere" }, ["B1"]],
  ["shows a stack trace", { goodBody: "Error\n    at handler (app.js:10:3)" }, ["B4"]],
  [
    "does not know other events",
    { accepts: ({ event }) => ["ORDER-PAYOUT.PAID", "SUBSCRIPTION.ACCEPTED"].includes(String(event)) },
    ["B5", "T3"],
  ],
  [
    "does not know other resources",
    { accepts: ({ event }) => /^(?:ORDER|SUBSCRIPTION)/.test(String(event)) },
    ["B5", "T3"],
  ],
  [
    "does not know other statuses",
    { accepts: (event) => !JSON.stringify(event).includes('"REVIEWED"') },
    ["B5", "T3"],
  ],
  [
    "takes a field that is null for a mistake",
    { accepts: (event) => event["description"] !== null },
    ["B6", "T3"],
  ],
  [
    "has a closed schema",
    { accepts: (event) => !("addedLater" in event) && !("canary" in event) },
    ["B6", "T3"],
  ],
  ["answers 409 to a duplicate", { duplicateStatus: 409 }, ["I1", "I2", "I3", "I4"]],
  ["handles every copy again", { dedup: "none" }, ["I1", "I2", "I3", "I4"]],
  [
    "lets copies at the same moment slip through",
    { dedup: "racy" },
    ["I2"],
    // It takes its time for every event.
    ["I1", "I2", "I3", "I6"],
  ],
  ["lets the last event win", { lastWins: true }, ["E1", "E2", "E3", "E4"]],
  ["acts before it verifies", { actsFirst: true }, ["S13", "I1", "I2", "I3", "I4", "T3"]],
  ["has a body limit of 10 KiB", { bodyMaxBytes: 10_240 }, ["X3"]],
];

test.each(
  broken.map(([name, bugs, failing, only]) => {
    const isAboutStates = failing.some((id) => !cheap.includes(id));
    return [name, bugs, failing, only ?? (isAboutStates ? ids : cheap)] as const;
  }),
)(
  "a receiver that %s fails %o",
  async (_, bugs, failing, only) => {
    // any-state.everything.test.ts has bugs in each kind of object.
    const results = await check(bugs, { only, capabilities: ["orders", "refunds"] });
    expect(withVerdict(results, "fail").sort()).toEqual([...failing].sort());
    const failures = results.filter(({ verdict }) => verdict === "fail");
    const unexplained = failures.filter(({ cause, fix }) => cause === undefined || fix === undefined);
    expect(unexplained).toEqual([]);
  },
  TIMEOUT_MS,
);

test.each([
  ["answers 409 to a duplicate", "I1", { duplicateStatus: 409 }, "event-refused"],
  ["handles every copy again", "I1", { dedup: "none" }, "handled-twice"],
  ["handles every copy again", "I2", { dedup: "none" }, "handled-twice"],
  ["lets copies at the same moment slip through", "I2", { dedup: "racy" }, "race-of-copies"],
  ["lets the last event win", "E1", { lastWins: true }, "older-overwrites-newer"],
] as const)(
  "a receiver that %s fails %s with a code of explore",
  async (_, id, bugs, code) => {
    const results = await check(bugs, { only: ["B1", id], capabilities: ["orders", "refunds"] });
    expect(results[1]).toMatchObject({ id, verdict: "fail", code });
  },
  TIMEOUT_MS,
);

test(
  "a receiver that knows a duplicate by its bytes alone is right, and gets advice",
  async () => {
    const results = await check(
      { dedup: "by-bytes" },
      { only: ["B1", ...ids.filter((id) => /^[IE]/.test(id))] },
    );
    expect(withVerdict(results, "fail")).toEqual([]);
    const advice = results.find(({ id }) => id === "I6");
    expect(advice).toMatchObject({ level: "info", verdict: "warn" });
    expect(advice?.cause).toContain("This is only advice");
  },
  TIMEOUT_MS,
);

test(
  "a receiver whose memory of handled events ends with its process fails where the process can be killed",
  async () => {
    const only = ["I1", "I4", "T6"];
    const right = await check({}, { only, isKilled: true });
    expect(withVerdict(right, "pass")).toEqual(only);
    const running = await check({ forgetsInKill: true }, { only });
    expect(withVerdict(running, "fail")).toEqual([]);
    const killed = await check({ forgetsInKill: true }, { only, isKilled: true });
    expect(withVerdict(killed, "fail")).toEqual(["I4"]);
    expect(killed[1]).toMatchObject({
      code: "handled-events-forgotten",
      cause: expect.stringContaining("The memory of handled events is lost with the process"),
    });
  },
  TIMEOUT_MS,
);

test.each([
  [{}, 10],
  [{ delayMs: 200 }, 60],
])(
  "all checks of a receiver with %o take less than %d s",
  async (bugs, seconds) => {
    using machine = new Machine(1, 7);
    const { receive, probe } = buggyHandler(bugs, (ms) => machine.sleep(ms));
    const { checks } = await receiverReport({
      openSandbox,
      url: "http://receiver.example/webhooks",
      secret: SECRET,
      seed: 7,
      wall: machine.wall,
      endpoint: { receive, probe },
    });
    expect(checks.flatMap(({ id, verdict }) => (verdict === "fail" ? [id] : []))).toEqual([]);
    expect(machine.wall.now() / 1000).toBeLessThan(seconds);
  },
  TIMEOUT_MS,
);

test(
  "where only the status is visible, a duplicate handled twice is inconclusive, never a pass",
  async () => {
    const results = await check({ dedup: "none" }, { sees: "status", only: EFFECTS });
    expect(withVerdict(results, "inconclusive")).toEqual(["S13", "I1", "I2", "I3"]);
    expect(withVerdict(results, "skipped")).toEqual(["I5"]);
  },
  TIMEOUT_MS,
);

test.each([
  [{ reports: true }, "pass"],
  [{ reports: true, dedup: "none" as const }, "fail"],
])(
  "by the header of its answers %o is a %s of I1",
  async (bugs, verdict) => {
    const [result] = await check(bugs, { sees: "status", only: ["I1"] });
    expect(result?.verdict).toBe(verdict);
  },
  TIMEOUT_MS,
);

test.each<readonly [string, Bugs, string]>([
  ["writes JSON as Python does", { verified: (raw) => spaced(dense(raw)) }, "as Python writes"],
  ["has another secret", { secrets: ["another"] }, "the receiver has another secret"],
  [
    "fails",
    {
      accepts: () => {
        throw new Error("no");
      },
    },
    "failed while it handled a good event",
  ],
  [
    "redirects",
    { redirect: "https://elsewhere.example/hooks" },
    "redirects to https://elsewhere.example/hooks",
  ],
  ["never answers", { delayMs: 5_000 }, "No answer came within"],
  ["was started without its secret", { secrets: [""] }, "verifies with an empty secret"],
  [
    "compares in Base64",
    { verifies: (header, right) => header === `sha256=${Buffer.from(right, "hex").toString("base64")}` },
    "compared in Base64",
  ],
  ["adds a newline", { verified: (raw) => Buffer.concat([raw, Buffer.from("\n")]) }, "A newline is added"],
  ["lost the body to a parser", { verified: () => "" }, "An empty body is verified"],
])(
  "a receiver that %s fails the good event with that cause, and no other check runs",
  async (_, bugs, cause) => {
    const results = await check(bugs, { only: ["S1", "I1"], timeoutMs: 500 });
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "B1 fail",
      "S1 skipped",
      "I1 skipped",
    ]);
    expect(results[0]?.cause).toContain(cause);
  },
  TIMEOUT_MS,
);

test.each([
  [{ delayMs: 300 }, "warn"],
  [{}, "pass"],
])(
  "a receiver with %o is a %s of B2",
  async (bugs, verdict) => {
    const [result] = await check(bugs, { only: ["B2"], timeoutMs: 1_000 });
    expect(result?.verdict).toBe(verdict);
  },
  TIMEOUT_MS,
);

test(
  "secrets before and after a rotation are distinguished",
  async () => {
    const only = ["R1", "R2", "R3", "R4"];
    const secrets = { nextSecret: "next", retiredSecret: "retired" };
    const good = await check({ secrets: [SECRET, "next"] }, { only, ...secrets });
    expect(withVerdict(good, "pass")).toEqual(only);
    const bad = await check({ secrets: [SECRET, "retired"] }, { only, ...secrets });
    expect(withVerdict(bad, "fail")).toEqual(only);
  },
  TIMEOUT_MS,
);

test(
  "a receiver that crashed in a check is not checked any further",
  async () => {
    let isDown = false;
    const verifies = (header: string | undefined, right: string): boolean => {
      if (header === undefined) isDown = true;
      if (isDown) throw new Error("the process is gone");
      return header === `sha256=${right}`;
    };
    const results = await check({ verifies }, { only: ["S3", "S9", "I1"] });
    expect(results.map(({ verdict }) => verdict)).toEqual(["fail", "skipped", "skipped"]);
    expect(results[1]?.cause).toContain("has accepted no good event since S3");
  },
  TIMEOUT_MS,
);

test(
  "a receiver that crashes on a missing signature is not alive afterwards",
  async () => {
    let isDown = false;
    const verifies = (header: string | undefined, right: string): boolean => {
      isDown ||= header === undefined;
      if (isDown) throw new Error("the process is gone");
      return header === `sha256=${right}`;
    };
    const results = await check({ verifies }, { only: ["S3", "S5", "I1"] });
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "S3 fail",
      "S5 fail",
      "I1 skipped",
    ]);
    expect(results[1]?.cause).toContain("ended its process");
  },
  TIMEOUT_MS,
);

test(
  "a receiver that only looks at the form of a signature is not reported to parse the body first",
  async () => {
    const verifies = (header: string | undefined): boolean => /^sha256=[0-9a-f]{64}$/.test(header ?? "");
    const [result] = await check({ verifies }, { only: ["S7"] });
    expect(result?.verdict).toBe("fail");
    expect(result?.cause).not.toContain("serialised");
  },
  TIMEOUT_MS,
);

test(
  "past its budget of requests a check is skipped",
  async () => {
    const results = await check({}, { only: ["B2", "T4", "B3"], requestsMax: 20 });
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "B2 pass",
      "B3 pass",
      "T4 skipped",
    ]);
    expect(results[2]?.cause).toContain("The budget of 20 requests is used up.");
  },
  TIMEOUT_MS,
);

test(
  "past its budget of requests a required check is not a pass: it was not run, exit 2",
  async () => {
    await using receiver = await buggyReceiver();
    const args = [receiver.url, "--secret", SECRET, "--probe", receiver.probeUrl, "--settle", "5"];
    const { code, out, err } = await sandbank(
      "receiver",
      "check",
      ...args,
      "--budget",
      "30",
      "--only",
      "S1,X3",
    );
    expect(code).toBe(0);
    expect(out).not.toContain("NOT JUDGED");
    expect(withoutProgress(err)).toBe("");
    const short = await sandbank("receiver", "check", ...args, "--budget", "5", "--only", "S1,X3");
    expect(short.code).toBe(2);
    expect(short.err).toContain("not run: The budget of 5 requests is used up.");
    expect(short.out.split("\n")[1]).toMatch(/^NOT JUDGED: /);
  },
  TIMEOUT_MS,
);

test(
  "a slow receiver gets its verdict: its answers do not count towards the time limit",
  async () => {
    await using receiver = await buggyReceiver({ delayMs: 400 });
    const only = ["--only", "B1,B2,B3,T1"];
    const { code, out } = await sandbank(
      "receiver",
      "check",
      receiver.url,
      "--secret",
      SECRET,
      "--time",
      "3",
      ...only,
    );
    expect(out).toContain("4 pass");
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "a receiver that never answers in time fails for that, and not for its signatures",
  async () => {
    const results = await check({ delayMs: 5_000 }, { only: ["B1", "B2", "S1"], timeoutMs: 300 });
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "B1 fail",
      "B2 fail",
      "S1 skipped",
    ]);
    expect(results[1]?.cause).toContain("The work is done before the answer.");
  },
  TIMEOUT_MS,
);

test(
  "a receiver that verifies nothing is not reported to parse the body first",
  async () => {
    const results = await check({ verifies: () => true }, { only: ["S7", "X6"] });
    const causes = results.map(({ cause }) => cause).join(" ");
    expect(causes).not.toContain("serialised");
    expect(causes).toContain("Signatures are not verified");
  },
  TIMEOUT_MS,
);

test(
  "the command reports the verdicts and sets its exit code by level",
  async () => {
    await using good = await buggyReceiver();
    const passed = await sandbank(
      "receiver",
      "check",
      good.url,
      "--secret",
      SECRET,
      "--only",
      "B1",
      "--only",
      "S1",
    );
    expect(passed.out).toContain("✓ S1 Rejects a wrong signature");
    expect(passed.code).toBe(0);
    await using deaf = await buggyReceiver({ accepts: ({ event }) => event !== "ORDER-PAYOUT.SCHEDULED" });
    const args = ["receiver", "check", deaf.url, "--secret", SECRET, "--only", "b1,b5", "--reporter", "json"];
    const must = await sandbank(...args);
    const should = await sandbank(...args, "--level", "should");
    expect([must.code, should.code]).toEqual([0, 1]);
    expect(JSON.parse(must.out)).toMatchObject({
      kept: true,
      seed: expect.any(Number) as number,
      checks: [
        { id: "B1", level: "must", verdict: "pass", cause: null, fix: null },
        { id: "B5", level: "should", verdict: "fail", cause: { code: "B5" } },
      ],
    });
  },
  TIMEOUT_MS,
);

test(
  "a report on a receiver that accepts everything begins with that, and ends with how to repeat the failures",
  async () => {
    await using receiver = await buggyReceiver({ verifies: () => true });
    const args = [
      "receiver",
      "check",
      receiver.url,
      "--only",
      "S1",
      "--only",
      "S2",
      "--only",
      "S3",
      "--seed",
      "9",
    ];
    const { code, out } = await sandbank(...args);
    expect(code).toBe(1);
    expect(out.split("\n")[1]).toBe("THIS RECEIVER ACCEPTS EVERYTHING: anyone can report a payment to it.");
    expect(out).toContain(
      `Again: sandbank receiver check ${receiver.url} --only S1 --only S2 --only S3 --seed 9`,
    );
    const junit = await sandbank(...args, "--reporter", "junit");
    expect(junit.out).toContain('tests="3" failures="3"');
  },
  TIMEOUT_MS,
);

test.each([
  [["http://127.0.0.1:1/"], "refuses connections"],
  [["nowhere"], "URL must be an absolute http or https URL"],
  [["http://127.0.0.1:1/", "--only", "Q7"], 'There is no check "Q7".'],
  [["http://127.0.0.1:1/", "--probe", "x"], "--probe must be an absolute"],
  [["http://127.0.0.1:1/", "--budget", "0"], "--budget must be a whole number"],
])("receiver check %j is not run: exit 2", async (args, sentence) => {
  const { code, err } = await sandbank("receiver", "check", ...args);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});
