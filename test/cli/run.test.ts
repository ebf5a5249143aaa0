import { createSandbox } from "../../src/index.ts";
import { FAILING, MISTAKEN, folderWith } from "./scenario-files.ts";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sandbank } from "./command.ts";

const GOOD = "scenarios/subscriptions/accepted.yaml";

test("exit 0 when all passed", async () => {
  const { code, out } = await sandbank("run", GOOD);
  expect(code).toBe(0);
  expect(out).toContain("1 passed");
});

test("exit 1 when an expectation failed, with the difference and its place", async () => {
  using folder = folderWith({ "failing.yaml": FAILING });
  const { code, out } = await sandbank("run", folder.at("failing.yaml"), GOOD);
  expect(code).toBe(1);
  expect(out).toContain("failing.yaml:4:5");
  expect(out).toContain("PENDING_AUTHORIZATION");
  expect(out).toContain("1 passed, 1 failed");
});

test("several reports go to standard output, to files and to the summary of a step", async () => {
  using folder = folderWith({ "failing.yaml": FAILING });
  const { code, out } = await sandbank(
    "run",
    folder.at("failing.yaml"),
    ..."--reporter pretty --reporter github --reporter".split(" "),
    `junit=${folder.at("reports/junit.xml")}`,
    { env: { GITHUB_WORKSPACE: folder.at("."), GITHUB_STEP_SUMMARY: folder.at("summary.md") } },
  );
  expect(code).toBe(1);
  expect(out).toContain("1 failed.");
  expect(out).toContain("::error file=failing.yaml,line=4,col=5,title=");
  expect(readFileSync(folder.at("reports/junit.xml"), "utf8")).toContain(
    '<testsuites name="sandbank" tests="1"',
  );
  await sandbank("run", folder.at("failing.yaml"), "--reporter", "github", {
    env: { GITHUB_STEP_SUMMARY: folder.at("summary.md") },
  });
  await sandbank("run", folder.at("failing.yaml"), {
    env: { GITHUB_STEP_SUMMARY: folder.at("summary.md"), SANDBANK_REPORTER: "pretty,github" },
  });
  // Each command adds to the summary.
  expect(readFileSync(folder.at("summary.md"), "utf8").match(/^## sandbank: 1 failed$/gm)).toHaveLength(3);
});

test("two reports without a file cannot share standard output", async () => {
  const { code, err } = await sandbank("run", GOOD, "--reporter", "json", "--reporter", "junit");
  expect({ code, err: err.split("\n")[0] }).toEqual({
    code: 2,
    err: "json and junit would both go to standard output. Name a file: --reporter junit=FILE.",
  });
});

test("exit 2 when only skipped scenarios ran, with the reason", async () => {
  using folder = folderWith({
    "scripted.yaml": "name: scripted\nsteps:\n  - receiver: { answers: [500] }\n",
  });
  await using receiver = await createSandbox();
  const { url } = await receiver.listen();
  const { code, out, err } = await sandbank("run", folder.at("scripted.yaml"), "--receiver", url);
  expect(out).toContain("1 skipped");
  expect({ code, err: err.split("\n")[0] }).toEqual({ code: 2, err: "Nothing was judged." });
});

test("exit 2 when a file is wrong, with every mistake of every file, and nothing runs", async () => {
  using folder = folderWith({ "mistaken.yaml": MISTAKEN, "broken.yaml": "name: [" });
  const { code, out, err } = await sandbank(
    "run",
    folder.at("mistaken.yaml"),
    folder.at("broken.yaml"),
    GOOD,
  );
  expect(code).toBe(2);
  expect(err).toContain(
    "mistaken.yaml:3:11: There is no operation `createSubscripton`. Did you mean `createSubscription`?",
  );
  expect(err).toContain("mistaken.yaml:4:10:");
  expect(err).toContain("mistaken.yaml:5:9:");
  expect(err).toContain("broken.yaml:1:");
  expect(out).toBe("");
});

test("--grep without a match names the ten nearest scenarios, and how to list all", async () => {
  const { err } = await sandbank("run", "scenarios/", "--grep", "payout paid twice");
  const names = err.split("\n").filter((line) => line.startsWith("  "));
  expect(names).toHaveLength(10);
  expect(names[0]).toMatch(/payout/i);
  expect(err).toMatch(/lists all \d+ names\./);
});

test("links to folders are followed once, and the ending of a file may be in capitals", async () => {
  using folder = folderWith({});
  mkdirSync(folder.at("real"));
  mkdirSync(folder.at("run"));
  const passing = (name: string): string => `name: ${name}\nsteps:\n  - call: listAccounts\n`;
  writeFileSync(folder.at("real/A.YAML"), passing("in capitals"));
  writeFileSync(folder.at("run/b.yml"), passing("beside the link"));
  symlinkSync(folder.at("real"), folder.at("run/link"));
  symlinkSync(folder.at("run"), folder.at("real/back"));
  const { code, out } = await sandbank("run", folder.at("run"));
  expect(code).toBe(0);
  expect(out).toContain("in capitals");
  expect(out).toContain("2 passed.");
});

test("exit 2 when --grep matches nothing, or there is no such file", async () => {
  expect((await sandbank("run", GOOD, "--grep", "nothing like it")).code).toBe(2);
  expect((await sandbank("run", "no-such-file.yaml")).code).toBe(2);
});

test("the json report is written to a file and is the same each time", async () => {
  using folder = folderWith({});
  const reports = [];
  for (const name of ["one.json", "two.json"]) {
    const { code, out } = await sandbank("run", GOOD, "--reporter", "json", "--out", folder.at(name));
    expect(code).toBe(0);
    expect(out).toBe("");
    reports.push(readFileSync(folder.at(name), "utf8"));
  }
  expect(reports[0]).toBe(reports[1]);
  expect(JSON.parse(reports[0] ?? "")).toMatchObject({ passed: 1, failed: 0 });
});

test("--update writes the actual values and leaves the rest of the file unchanged", async () => {
  using folder = folderWith({ "failing.yaml": FAILING });
  const { code, err } = await sandbank("run", folder.at("failing.yaml"), "--update");
  expect(err).toContain("failing.yaml: one step");
  expect(code).toBe(0);
  const updated = FAILING.replace("status: ACCEPTED", "status: PENDING_AUTHORIZATION");
  expect(readFileSync(folder.at("failing.yaml"), "utf8")).toBe(updated);
});

const PAYOUTS = `name: Three payouts, of which the first fails
start: 2026-11-23T09:00:00-03:00
steps:
${[
  ["p1", "closed@pix.example"],
  ["p2", "ok@pix.example"],
  ["p3", "ok@pix.example"],
]
  .map(
    ([id, pixKey], index) => `  - call: createPayout
    body: { $use: payout.pix, externalId: ${id}, amount: { currency: BRL, value: "${index + 1}0.00" }, paymentData: { pixKey: ${pixKey} } }
    save: ${id}
`,
  )
  .join("")}  - advance: PT1M
  - expect:
      webhooks: # in order
WEBHOOKS`;

test.each([
  ["the event first", ["{ event: ORDER-PAYOUT.PAID, code: p2, amount: { value: '9.00' } }"]],
  ["the code first", ["{ code: p2, amount: { value: '9.00' }, event: ORDER-PAYOUT.PAID }"]],
  ["its code wrong", ["{ event: ORDER-PAYOUT.PAID, code: p9, amount: { value: '20.00' } }"]],
])("--update leaves each webhook where it is not certain which one is meant: %s", async (_, items) => {
  const right = "{ event: ORDER-PAYOUT.PAID, code: p3, amount: { value: '30.00' } }";
  const text = PAYOUTS.replace("WEBHOOKS", [...items, right].map((item) => `        - ${item}\n`).join(""));
  using folder = folderWith({ "payouts.yaml": text });
  const { code, err } = await sandbank("run", folder.at("payouts.yaml"), "--update");
  expect(readFileSync(folder.at("payouts.yaml"), "utf8")).toBe(text);
  expect(code).toBe(1);
  expect(err).toMatch(/payouts\.yaml:16:\d+: Failed to update webhooks.*the expected item is not certain/);
});

test("--update changes a webhook if all others are at their places", async () => {
  const items = ["p1", "p2", "p3"].map((id) => `        - { event: ORDER-PAYOUT.PAID, code: ${id} }\n`);
  const text = PAYOUTS.replace("WEBHOOKS", items.join("")).replace("closed@", "ok@");
  using folder = folderWith({
    "payouts.yaml": text.replace("code: p2", "code: p9"),
  });
  const { code } = await sandbank("run", folder.at("payouts.yaml"), "--update");
  expect([code, readFileSync(folder.at("payouts.yaml"), "utf8")]).toEqual([0, text]);
});

test("--update leaves what the combinations of a matrix share and do not agree on", async () => {
  const text = `name: Outcomes
start: 2026-11-23T09:00:00-03:00
matrix: { id: [one, two] }
steps:
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: "\${matrix.id}" }
    expect: { body: { externalId: three, status: DRAFT } } # both
`;
  using folder = folderWith({ "matrix.yaml": text });
  const { code, err } = await sandbank("run", folder.at("matrix.yaml"), "--update");
  expect([code, readFileSync(folder.at("matrix.yaml"), "utf8")]).toEqual([1, text]);
  expect(err).toMatch(/matrix\.yaml:7:\d+: Failed to update body\.externalId/);
  const agreed = text.replace("externalId: three, ", "");
  writeFileSync(folder.at("matrix.yaml"), agreed);
  const some = await sandbank("run", folder.at("matrix.yaml"), "--update", "--grep", "one");
  expect([some.code, readFileSync(folder.at("matrix.yaml"), "utf8")]).toEqual([1, agreed]);
  const all = await sandbank("run", folder.at("matrix.yaml"), "--update");
  const updated = agreed.replace("DRAFT", "PENDING_AUTHORIZATION");
  expect([all.code, readFileSync(folder.at("matrix.yaml"), "utf8")]).toEqual([0, updated]);
});

test("--coverage lists what was not exercised, and --threshold fails below a percentage", async () => {
  const all = await sandbank("run", GOOD, "--coverage", "--threshold", "1");
  expect(all.code).toBe(0);
  expect(all.out).toContain("not exercised: subscription.reject: PENDING_AUTHORIZATION → REJECTED");
  const { code, err } = await sandbank("run", GOOD, "--coverage", "--threshold", "99");
  expect(code).toBe(1);
  expect(err).toContain("is below the threshold of 99 %");
  expect((await sandbank("run", GOOD, "--threshold", "99")).code).toBe(2);
  expect((await sandbank("run", GOOD, "--coverage", "--threshold", "much")).code).toBe(2);
});

test("coverage is part of the json report", async () => {
  const { out } = await sandbank("run", GOOD, "--coverage", "--reporter", "json");
  const { coverage } = JSON.parse(out) as { coverage: { areas: Record<string, { covered: number }> } };
  expect(coverage.areas["transitions"]?.covered).toBeGreaterThan(0);
});

test("a folder of fixtures next to the file can have its own bodies", async () => {
  using folder = folderWith({
    "scenario.yaml": `name: It starts from its own fixtures
fixtures: .
start: 2026-11-20T09:00:00-03:00
steps:
  - call: createSubscription
    body: { $use: subscription.weekly }
    expect: { status: 201 }
`,
    "bodies.yaml":
      "extends: shipped\nsubscription: { weekly: { $use: subscription.monthly, frequencyType: WEEKLY } }",
    "missing.yaml": "name: n\nfixtures: ./no-such-folder\nsteps: []\n",
  });
  const { code, out } = await sandbank("run", folder.at("scenario.yaml"));
  expect(out).toContain("1 passed");
  expect(code).toBe(0);
  const missing = await sandbank("run", folder.at("missing.yaml"));
  expect(missing.code).toBe(2);
  expect(missing.err).toContain("missing.yaml:2:11: Failed to read the fixtures");
});

test("--keep decides which worlds stay at --target, and the report names them", async () => {
  await using server = await createSandbox();
  const { url } = await server.listen();
  using folder = folderWith({ "failing.yaml": FAILING });
  const kept = async (...flags: string[]): Promise<{ names: string[]; out: string }> => {
    const { out } = await sandbank("run", GOOD, folder.at("failing.yaml"), "--target", url, ...flags);
    const { data } = (await (await server.fetch("/sandbox/worlds")).json()) as { data: { id: string }[] };
    const names = data.map(({ id }) => id).filter((id) => id !== "default");
    for (const id of names) await server.fetch(`/sandbox/worlds/${id}`, { method: "DELETE" });
    return { names, out };
  };
  const failed = await kept();
  expect(failed.names).toHaveLength(1);
  expect(failed.out).toContain(`World: ${url}/?world=${failed.names[0]}\n`);
  expect((await kept("--keep", "all", "--reporter", "junit")).names).toHaveLength(2);
  const none = await kept("--keep", "none");
  expect([none.names, none.out.includes("World:")]).toEqual([[], false]);
  const alone = await sandbank("run", GOOD, "--keep", "all");
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining("--keep requires --target")]);
});
