import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { type Block, blocksOf } from "./page.ts";

/**
 * The examples in CONTRIBUTING of a new resource and of a new endpoint are built in a copy of the repository, one after
 * the other. For the resource these are new files, and one that is edited: everything works there, and every fast test
 * passes.
 */
const clone = mkdtempSync(join(tmpdir(), "sandbank-new-resource-"));
const NOT_COPIED = new Set([".git", "node_modules", "build", "dist"]);
const CATALOG = "src/simulator/platform/catalog.ts";

/** Whether all fast tests run in the copy. */
const isWhole = process.env["WHOLE_COPY"] === "true";

function node(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: clone, encoding: "utf8", stdio: "pipe" });
}

/** Runs a module in the copy that fills `answers`, and gives them. */
function play(module: string): Record<string, unknown> {
  const before = `import { createSandbox } from "./src/index.ts"; const answers = {};`;
  const after = `console.log(JSON.stringify(answers));`;
  return JSON.parse(node("--input-type=module", "-e", before + module + after)) as Record<string, unknown>;
}

/** Adds the lines of a change to a list: an import, and an entry after the last one. */
function addToList(file: string, last: string, change: string): void {
  const [imported = "", entry = ""] = Array.from(change.matchAll(/^\+(.*)$/gm), ([, line]) => line);
  const list = readFileSync(join(clone, file), "utf8");
  expect(list).toContain(last);
  writeFileSync(join(clone, file), `${imported}\n${list.replace(last, `${last}${entry}\n`)}`);
}

/** The blocks of the example of a resource, and those of the example of an endpoint. */
function examples(): Record<"resource" | "endpoint", Block[]> {
  const lines = readFileSync("CONTRIBUTING.md", "utf8").split("\n");
  const begin = lines.indexOf("## Adding an endpoint to the sandbox's own API");
  expect(begin).toBeGreaterThan(0);
  const { resource = [], endpoint = [] } = Object.groupBy(blocksOf("CONTRIBUTING.md"), ({ line }) =>
    line < begin ? "resource" : "endpoint",
  );
  return { resource, endpoint };
}

function writeFiles(blocks: readonly Block[]): void {
  for (const { title, text } of blocks) {
    if (title === undefined) continue;
    mkdirSync(dirname(join(clone, title)), { recursive: true });
    writeFileSync(join(clone, title), text);
  }
}

/** The packages of outside tools are hundreds of megabytes, and no test of the copy uses them. */
function isCopied(path: string): boolean {
  return path !== join("test", "outside", "node_modules");
}

beforeAll(() => {
  for (const entry of readdirSync("."))
    if (!NOT_COPIED.has(entry)) cpSync(entry, join(clone, entry), { recursive: true, filter: isCopied });
  symlinkSync(resolve("node_modules"), join(clone, "node_modules"));
  const { resource } = examples();
  for (const { language, text } of resource)
    if (language === "diff") addToList(CATALOG, "  depositBankResource,\n", text);
  writeFiles(resource);
  node("scripts/generate.ts");
  // Of the fast tests of the copy those read timelines that are left out.
  if (isWhole) node("scripts/timelines.ts");
}, 120_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

test("the example compiles without what only Node or a browser has", () => {
  expect(node("node_modules/typescript/bin/tsc", "-p", "tsconfig.core.json", "--noEmit")).toBe("");
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
    again: expect.stringContaining("is REDEEMED. Possible acts: none."),
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

/**
 * Nearly all fast tests do the same with one resource more. So those run that go through the lists of the catalog:
 * operations, events, acts, lifecycles, assumptions, plans, and what is drawn from them. A list besides the catalog
 * fails among these. `WHOLE_COPY=true` runs all of them, which takes minutes.
 */
const THROUGH_THE_CATALOG = [
  "test/simulator/api/",
  "test/pages/dashboard/",
  "test/simulator/platform/assumptions/",
  "test/simulator/platform/lifecycles.test.ts",
  "test/contracts/messages.test.ts",
  "test/scenarios/right-files.test.ts",
  "test/scenarios/wrong-files.test.ts",
];

test(
  `the fast tests of the repository ${isWhole ? "" : "that go through the catalog "}pass with the resource`,
  { timeout: 900_000, retry: 0 },
  () => {
    const vitest = join("node_modules", "vitest", "vitest.mjs");
    const report = join(clone, "build", "fast.json");
    const reported = ["--reporter", "json", "--outputFile", report];
    // A run that begins within another one takes no settings from it; under CI the results would go to another file.
    const isOwn = ([name]: [string, unknown]): boolean => !name.startsWith("VITEST") && name !== "CI";
    const env = Object.fromEntries(Object.entries(process.env).filter(isOwn));
    // A second worker would import all sources once more.
    const options = ["run", "--project", "fast", "--maxWorkers", isWhole ? "100%" : "1", ...reported];
    const files = isWhole ? [] : THROUGH_THE_CATALOG;
    spawnSync(process.execPath, [vitest, ...options, ...files], { cwd: clone, env, stdio: "ignore" });
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { assertionResults: { fullName: string; status: string }[] }[];
    };
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)).toEqual([]);
    expect(results.filter(({ status }) => status === "passed").length).toBeGreaterThan(isWhole ? 4_000 : 400);
  },
);

test("the page of lifecycles shows the table", () => {
  expect(readFileSync(join(clone, "docs/lifecycles.md"), "utf8")).toContain("`VOUCHER.REDEEMED`");
});

// After the tests of the resource: they are about one edited file.
describe("an endpoint of the sandbox's own API that is one entry with its shapes", () => {
  beforeAll(() => {
    const { endpoint } = examples();
    writeFiles(endpoint);
    for (const { title, language, text } of endpoint) {
      if (language === "diff")
        addToList("src/server/control/endpoints.ts", "    ...timelineEndpoints,\n", text);
      if (language !== "json" || title !== undefined) continue;
      const schemas = join(clone, "schemas/source/control.schema.json");
      const { $defs, ...rest } = JSON.parse(readFileSync(schemas, "utf8")) as { $defs: object };
      const added = JSON.parse(text) as object;
      writeFileSync(schemas, JSON.stringify({ ...rest, $defs: { ...$defs, ...added } }, null, 2));
    }
    writeFileSync(
      join(clone, "src/note.ts"),
      `import { type ControlClient } from "./server/control/client.js";
      export async function note(client: ControlClient, text: string): Promise<number> {
        // @ts-expect-error -- a note is a text
        void (() => client.ask("POST /sandbox/notes", { text: 1 }));
        return (await client.ask("POST /sandbox/notes", { text })).entry;
      }`,
    );
    node("scripts/generate.ts");
  }, 120_000);

  test("its call has the types of its shapes, and the whole copy compiles, with the resource", () => {
    expect(node("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noEmit")).toBe("");
  }, 120_000);

  test("it has its route, sentences for wrong fields, a client call, a tool, and its place in the documents", () => {
    const answers = play(`
      import { localClient } from "./src/server/control/local-client.ts";
      import { openSandbox } from "./src/library/sandbox.ts";
      import { mcpTools } from "./src/cli/mcp/mcp-tools.ts";
      import { note } from "./src/note.ts";
      const sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00" });
      const client = localClient(sandbox);
      answers.entry = await note(client, "The app was restarted.");
      answers.refused = await note(client, "").catch(({ status, message }) => [status, message]);
      answers.timeline = (await client.ask("GET /sandbox/timeline", { since: answers.entry })).data.map(({ what }) => what);
      const { paths } = await client.ask("GET /sandbox/openapi.json");
      answers.operation = paths["/sandbox/notes"].post.operationId;
      const fetch = (path, init) => sandbox.fetch(path, init);
      const tools = mcpTools({ fetch, tokens: {}, receiver: undefined }, openSandbox);
      const tool = tools.find(({ name }) => name === "note");
      answers.tool = [Object.keys(tool.inputSchema.properties), await tool.run({ text: "By an agent." })];
      await sandbox.close();
    `);
    expect(answers).toEqual({
      entry: 2,
      refused: [400, 'text must be a text of 1 to 200 characters; found "".'],
      timeline: ["The app was restarted."],
      operation: "addNote",
      tool: [["text"], { entry: 3 }],
    });
    expect(readFileSync(join(clone, "docs/sandbox-api.md"), "utf8")).toContain("`POST /sandbox/notes`");
  }, 60_000);
});
