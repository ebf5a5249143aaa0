import { afterAll, beforeAll, expect, test } from "vitest";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { blocksOf } from "./page.ts";

/**
 * The example in CONTRIBUTING of a new resource is built in a copy of the repository: new files, and one that is
 * edited. Everything works there, and every fast test passes.
 */
const clone = mkdtempSync(join(tmpdir(), "sandbank-new-resource-"));
const NOT_COPIED = new Set([".git", "node_modules", "build", "dist"]);
const CATALOG = "src/platform/catalog.ts";

function node(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: clone, encoding: "utf8", stdio: "pipe" });
}

/** Runs a module in the copy that fills `answers`, and gives them. */
function play(module: string): Record<string, unknown> {
  const before = `import { createSandbox } from "./src/index.ts"; const answers = {};`;
  const after = `console.log(JSON.stringify(answers));`;
  return JSON.parse(node("--input-type=module", "-e", before + module + after)) as Record<string, unknown>;
}

/** The lines that a change adds to the catalog: an import, and an entry of the list. */
function addToCatalog(change: string): void {
  const [imported = "", entry = ""] = Array.from(change.matchAll(/^\+(.*)$/gm), ([, line]) => line);
  const catalog = readFileSync(join(clone, CATALOG), "utf8");
  const last = "  depositBankResource,\n";
  expect(catalog).toContain(last);
  writeFileSync(join(clone, CATALOG), `${imported}\n${catalog.replace(last, `${last}${entry}\n`)}`);
}

beforeAll(() => {
  for (const entry of readdirSync("."))
    if (!NOT_COPIED.has(entry)) cpSync(entry, join(clone, entry), { recursive: true });
  symlinkSync(resolve("node_modules"), join(clone, "node_modules"));
  for (const { title, language, text } of blocksOf("CONTRIBUTING.md")) {
    if (language === "diff") addToCatalog(text);
    if (title === undefined) continue;
    mkdirSync(dirname(join(clone, title)), { recursive: true });
    writeFileSync(join(clone, title), text);
  }
  node("scripts/generate.ts");
  node("scripts/timelines.ts");
}, 120_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

test("the example compiles", () => {
  const tsc = "node_modules/typescript/bin/tsc";
  expect(node(tsc, "-p", "tsconfig.core.json", "--noEmit")).toBe("");
  expect(node(tsc, "-p", "tsconfig.build.json", "--noEmit")).toBe("");
}, 120_000);

test("a voucher is created, changed by acts, a plan and the autopilot, and reported by webhooks", () => {
  const answers = play(`
    const transport = async (requests) => requests.map(() => ({
      status: 204, error: null, message: "", durationMs: 1,
      headers: {}, body: "", responseHeaders: {}, responseBody: "", responseTruncated: false,
    }));
    const sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00", webhookUrl: "http://receiver.example", transport });
    const authorization = "Bearer acme-token";
    const create = async (value, of = sandbox) => {
      const response = await of.fetch("/order/v1/vouchers", {
        method: "POST",
        headers: { authorization },
        body: JSON.stringify({ accountId: "11111111-1111-4111-8111-111111111111", amount: { currency: "BRL", value } }),
      });
      return { status: response.status, body: await response.json() };
    };
    const read = async (path, of = sandbox) => (await of.fetch(path)).json();
    const created = await create("25.00");
    answers.created = [created.status, created.body.status];
    const refused = await create("0");
    answers.refused = [refused.status, refused.body.details.map(({ field }) => field)];
    answers.redeemed = (await sandbox.act("voucher.redeem", { id: created.body.id })).status;
    answers.again = await sandbox.act("voucher.expire", { id: created.body.id }).catch(({ message }) => message);
    await sandbox.plan({ plan: "voucher.redemption", outcomes: ["EXPIRED"] });
    await create("10.00");
    await sandbox.advance("PT5S");
    answers.events = (await sandbox.deliveries()).map(({ event }) => event);
    answers.listed = (await read("/sandbox/resources/vouchers")).data.map(({ status }) => status);
    answers.acts = (await read("/sandbox/acts")).data.flatMap(({ act, from }) => act.startsWith("voucher.") ? [[act, from]] : []);
    const { paths, webhooks, tags } = await read("/openapi.json");
    answers.paths = Object.keys(paths).filter((path) => path.includes("voucher"));
    answers.webhooks = Object.keys(webhooks).filter((name) => name.startsWith("VOUCHER"));
    answers.tags = tags.flatMap(({ name }) => name === "Vouchers" ? [name] : []);
    await sandbox.close();
    const automatic = await createSandbox({ transport, assumptions: { "autopilot.voucher.redemption": "immediate" } });
    await create("5.00", automatic);
    await automatic.advance("PT0S");
    answers.automatic = (await read("/sandbox/resources/vouchers", automatic)).data.map(({ status }) => status);
    await automatic.close();
  `);
  expect(answers).toMatchObject({
    created: [201, "ISSUED"],
    refused: [400, ["amount.value"]],
    redeemed: "REDEEMED",
    again: expect.stringContaining("is REDEEMED. Nothing is possible from there."),
    events: ["VOUCHER.REDEEMED", "VOUCHER.EXPIRED"],
    listed: ["REDEEMED", "EXPIRED"],
    acts: [
      ["voucher.redeem", ["ISSUED"]],
      ["voucher.expire", ["ISSUED"]],
    ],
    paths: ["/order/v1/vouchers"],
    webhooks: ["VOUCHER.REDEEMED", "VOUCHER.EXPIRED"],
    tags: ["Vouchers"],
    automatic: ["REDEEMED"],
  });
}, 60_000);

// It takes as long as all fast tests together, so it runs where `.ci/run` or another pipeline sets `CI`.
test.runIf(process.env["CI"] === "true")(
  "the fast tests of the repository pass with the resource",
  () => {
    const vitest = join("node_modules", "vitest", "vitest.mjs");
    const report = join(clone, "build", "fast.json");
    const reported = ["--reporter", "json", "--outputFile", report];
    // A run that begins within another one takes no settings from it; under CI the results would go to another file.
    const isOwn = ([name]: [string, unknown]): boolean => !name.startsWith("VITEST") && name !== "CI";
    const env = Object.fromEntries(Object.entries(process.env).filter(isOwn));
    const options = ["run", "--project", "fast", "--maxWorkers", "100%", ...reported];
    spawnSync(process.execPath, [vitest, ...options], { cwd: clone, env, stdio: "ignore" });
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { assertionResults: { fullName: string; status: string }[] }[];
    };
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)).toEqual([]);
    expect(results.filter(({ status }) => status === "passed").length).toBeGreaterThan(4_000);
  },
  900_000,
);

test("the page of lifecycles shows the table", () => {
  expect(readFileSync(join(clone, "docs/lifecycles.md"), "utf8")).toContain("`VOUCHER.REDEEMED`");
});
