import { createSandbox } from "../../../src/library/sandbox.ts";
import { expect, onTestFinished, test } from "vitest";
import { FORMAT } from "../../../src/server/storage/snapshot-file.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { packWorlds } from "../../../src/server/storage/packed-worlds.ts";
import { RECEIVER_URL } from "../../partner.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { shippedScenarios } from "../../scenario-runs.ts";
import { FileStorage } from "../../../src/server/storage/file-storage.ts";
import { SILENCE } from "../../../src/base/log.ts";
import { tmpdir } from "node:os";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";

/** Keys that name an object, an assumption or a time, and no field. */
const NAME = /[\d.-]/;

/** Adds the fields of a value with their types, such as `orders.amount.value: string`. */
function addFields(value: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addFields(item, `${path}[]`, found);
  else if (typeof value === "object" && value !== null)
    for (const [key, field] of Object.entries(value))
      addFields(field, `${path}.${NAME.test(key) ? "*" : key}`, found);
  else found.add(`${path}: ${value === null ? "null" : typeof value}`);
}

/** The difference of a record to its version before. */
interface Patch {
  readonly set: unknown;
  readonly added?: Readonly<Record<string, readonly [number, ...unknown[]]>>;
}

/** Adds the fields of an event of a journal. Each collection has its own records. */
function addEvent(event: Record<string, unknown>, found: Set<string>): void {
  const { kind, entry, ...fields } = event as {
    kind: string;
    entry?: { changes: [string, unknown, Patch?][] };
  };
  addFields(fields, kind, found);
  if (entry === undefined) return;
  const { changes, ...rest } = entry;
  addFields(rest, "entry", found);
  for (const [collection, record, patch] of changes) {
    const { set = record, added = {} } = patch ?? {};
    addFields(set, `record ${collection}`, found);
    // The first item is the number of items that stay.
    for (const [field, [, ...items]] of Object.entries(added))
      addFields(items, `record ${collection}.${field}`, found);
  }
}

test(`the content is that of format ${FORMAT}: if it changed, raise FORMAT and run this test with -u`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-format-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const found = new Set<string>();
  const folders = new Map(
    shippedScenarios().map((one) => [`${dirname(one.file)} ${one.file.length % 3}`, one] as const),
  );
  for (const [index, { scenarios }] of [...folders.values()].entries()) {
    const data = join(folder, `${index}.json`);
    await runScenario(scenarios[0]!, {
      openWorld: async ({ receiver, name: _name, ...options }) => {
        const sandbox = await createSandbox({
          ...options,
          data,
          mode: "frozen",
          webhookUrl: RECEIVER_URL,
          transport: transportTo(receiver),
        });
        return {
          fetch: (path, init) => sandbox.fetch(path, init),
          tokens: { acme: "acme-token", globex: "globex-token", initech: "initech-token" },
          receiver,
          [Symbol.asyncDispose]: () => sandbox.close(),
        };
      },
    });
    const [, ...lines] = readFileSync(`${data}.1.journal`, "utf8").trimEnd().split("\n");
    for (const line of lines) {
      const [, json = ""] = /^\d+ \w{8} (.*)$/.exec(line) ?? [];
      for (const event of JSON.parse(json) as Record<string, unknown>[]) addEvent(event, found);
    }
    const { storage, saved } = await FileStorage.open(data, SILENCE);
    for (const { record: _record, ...line } of packWorlds(saved.worlds) as Iterable<Record<string, unknown>>)
      addFields(line, "snapshot", found);
    await storage.close();
  }
  const content = [...found].sort((one, other) => (one < other ? -1 : 1)).join("\n");
  await expect(`${content}\n`).toMatchFileSnapshot(`format-${FORMAT}.txt`);
});
