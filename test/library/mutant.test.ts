import { afterEach, expect, test, vi } from "vitest";
import { connectSandbox, createSandbox } from "../../src/index.ts";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

const START = "2026-11-20T09:00:00-03:00";
const TOKEN = { authorization: "Bearer acme-token" };

afterEach(() => vi.unstubAllEnvs());

async function assumedIn(sandbox: Pick<Awaited<ReturnType<typeof createSandbox>>, "fetch">): Promise<object> {
  const answer = await sandbox.fetch("/sandbox/settings");
  return ((await answer.json()) as { assumptions: object }).assumptions;
}

test("SANDBANK_MUTANT sets an assumption of a sandbox and of every new world of its server", async () => {
  vi.stubEnv("SANDBANK_MUTANT", "charge.resend-delay=PT90M");
  await using sandbox = await createSandbox({ start: START });
  expect(await assumedIn(sandbox)).toMatchObject({ "charge.resend-delay": "PT90M" });
  const { url } = await sandbox.listen();
  await using world = await connectSandbox(url, { start: START });
  expect(await assumedIn(world)).toMatchObject({ "charge.resend-delay": "PT90M" });
  await sandbox.reset();
  expect(await assumedIn(sandbox)).toMatchObject({ "charge.resend-delay": "PT90M" });
});

test("several are written with commas, also where a value has commas", async () => {
  vi.stubEnv("SANDBANK_MUTANT", "refund.delay=PT1H, charge.resend-delay=PT90M");
  await using sandbox = await createSandbox({ start: START });
  expect(await assumedIn(sandbox)).toMatchObject({
    "refund.delay": "PT1H",
    "charge.resend-delay": "PT90M",
  });
});

test("a sabotage is armed where each world begins", async () => {
  vi.stubEnv("SANDBANK_MUTANT", "sabotage:operation.listAccounts.fails");
  await using sandbox = await createSandbox({ start: START });
  await sandbox.reset();
  const answer = await sandbox.fetch("/order/v1/banking/accounts", { headers: TOKEN });
  expect(answer.status).toBe(500);
});

test("what a test sets itself wins over SANDBANK_MUTANT", async () => {
  vi.stubEnv("SANDBANK_MUTANT", "charge.resend-delay=PT90M");
  await using sandbox = await createSandbox({
    start: START,
    assumptions: { "charge.resend-delay": "PT10M" },
  });
  expect(await assumedIn(sandbox)).toMatchObject({ "charge.resend-delay": "PT10M" });
});

test("a mutant that does not agree with what a test sets is left out", async () => {
  vi.stubEnv("SANDBANK_MUTANT", "charge.window-min-days=9");
  await using sandbox = await createSandbox({ start: START, assumptions: { "charge.window-max-days": 5 } });
  expect(await assumedIn(sandbox)).toEqual({ "charge.window-max-days": 5 });
});

test.each([
  [
    "charge.resend-delai=PT90M",
    'There is no assumption "charge.resend-delai". Did you mean charge.resend-delay?',
  ],
  ["charge.resend-delay=soon", "is an ISO 8601 duration"],
  ["charge.resend-delay", "SANDBANK_MUTANT must be assumption=value"],
  ["sabotage:signatures.wring", "Did you mean signatures.wrong"],
  ["charge.first-attempt-at=20:00", "which is after charge.second-attempt-at"],
])("SANDBANK_MUTANT=%s is refused with what is possible", async (written, sentence) => {
  vi.stubEnv("SANDBANK_MUTANT", written);
  await expect(createSandbox()).rejects.toMatchObject({
    name: "OptionMistake",
    message: expect.stringContaining(sentence) as string,
  });
});

test("a sandbox records what a run came near, with times since its start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "record-"));
  vi.stubEnv("SANDBANK_DOUBT_RECORD", folder);
  await using sandbox = await createSandbox({ start: START, assumptions: { "refund.delay": "PT1H" } });
  await sandbox.fetch("/order/v1/banking/accounts?pageSize=1", { headers: TOKEN });
  const [file = ""] = globSync("*.jsonl", { cwd: folder });
  const text = readFileSync(join(folder, file), "utf8").trimEnd();
  const lines = text.split("\n").map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const consulted = lines.filter(({ kind }) => kind === "consulted");
  expect(consulted.map(({ assumption }) => assumption)).toContain("payloads.unknown-fields");
  expect(lines.filter(({ kind }) => kind !== "consulted")).toEqual([
    { kind: "made", set: ["refund.delay"] },
    {
      kind: "exchange",
      world: "calls default",
      name: "listAccounts",
      exchange: expect.objectContaining({ of: "operation", status: 200, isSlow: false }) as unknown,
    },
  ]);
});
