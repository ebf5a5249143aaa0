import { expect, test } from "vitest";
import type { Bugs } from "../../partners/buggy-receiver.ts";
import { EFFECTS, TIMEOUT_MS, checkOverSockets, dense, ids, withVerdict } from "./checking.ts";

// receiver-check.slow.test.ts judges receivers without real time. Over sockets, each kind of check finds a failure once.
test.each<readonly [string, Bugs, readonly string[], readonly string[]]>([
  ["is good", {}, [], ids],
  ["redirects", { redirect: "http://127.0.0.1/elsewhere" }, ["B1"], ["B2", "S1"]],
  ["verifies what it parsed and wrote again", { verified: dense }, ["S7", "S8"], ["S1", "S7", "S8"]],
  ["lets copies at the same moment slip through", { dedup: "racy" }, ["I2"], ["I2"]],
  ["lets the last event win", { lastWins: true }, ["E1"], ["E1", "T1"]],
  ["has a body limit of 10 KiB", { bodyMaxBytes: 10_240 }, ["X3"], ["X3"]],
  [
    "takes half a body for the whole",
    { partialBodies: true, verified: () => "", verifies: () => true, accepts: () => true },
    ["S1", "S13", "T3", "X6"],
    ["S1", "S13", "T3", "X1", "X6"],
  ],
])(
  "over sockets a receiver that %s fails %o, %o",
  async (_, bugs, failing, only) => {
    expect(withVerdict(await checkOverSockets(bugs, { only }), "fail").sort()).toEqual([...failing].sort());
  },
  TIMEOUT_MS,
);

test(
  "a receiver that is slow but handles others meanwhile is not taken for one that a slow sender blocks",
  async () => {
    const setting = { only: ["X2"], timeoutMs: 10_000, sees: "status" } as const;
    const [result] = await checkOverSockets({ delayMs: 2_200 }, setting);
    expect(result?.verdict).toBe("pass");
  },
  TIMEOUT_MS,
);

test.each<readonly [string, Bugs, readonly string[]]>([
  ["is good", {}, []],
  ["handles every copy again", { dedup: "none" }, ["I1", "I2", "I3"]],
  ["takes the retry of a failed attempt for a duplicate", { dedup: "before-work" }, ["I5"]],
  ["acknowledges an event whose work failed", { acksFailures: true, dedup: "before-work" }, ["I5"]],
  ["acts on what it rejects", { actsFirst: true, verifies: () => true }, ["S13"]],
])(
  "by its calls to the sandbox a receiver that %s is recognised",
  async (_, bugs, failing) => {
    const results = await checkOverSockets(bugs, { sees: "calls", only: EFFECTS });
    expect(withVerdict(results, "fail")).toEqual(failing);
    expect(withVerdict(results, "pass")).toEqual(EFFECTS.filter((id) => !failing.includes(id)));
  },
  TIMEOUT_MS,
);

test(
  "a receiver that closes a connection once it is used again fails nothing: every request has its own",
  async () => {
    const results = await checkOverSockets({ singleUse: true }, { only: ["B1", "S13", "I1", "E1", "X5"] });
    expect(withVerdict(results, "pass")).toEqual(["B1", "S13", "I1", "E1", "X5"]);
  },
  TIMEOUT_MS,
);

test(
  "a receiver whose process a truncated body ends is named by that, and is not checked any further",
  async () => {
    const results = await checkOverSockets({ endsByBrokenBody: true }, { only: ["X1", "X2", "X3"] });
    expect(results.map(({ verdict }) => verdict)).toEqual(["fail", "skipped", "skipped"]);
    expect(results[0]?.cause).toContain("the receiver stopped");
    expect(results[1]?.cause).toContain("has accepted no good event since X1");
  },
  TIMEOUT_MS,
);

test(
  "a slow body is accepted, and other requests are served meanwhile",
  async () => {
    const [result] = await checkOverSockets({}, { only: ["X2"] });
    expect(result?.verdict).toBe("pass");
  },
  TIMEOUT_MS,
);
