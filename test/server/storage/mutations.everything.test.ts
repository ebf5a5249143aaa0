import type { SavedWorlds } from "../../../src/simulator/worlds/saved-world.ts";
import { FileStorage } from "../../../src/server/storage/file-storage.ts";
import { JournalFile } from "../../../src/server/storage/journal-file.ts";
import { SILENCE } from "../../../src/base/log.ts";
import { SnapshotFile } from "../../../src/server/storage/snapshot-file.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { openPartner, createSubscription } from "../../partner.ts";
import { tmpdir } from "node:os";
import { FileMistakes } from "../../../src/base/failures.ts";

/**
 * What a damaged data file does: the worlds are what they were, or the start is refused and changes nothing. The data
 * file is one of each kind of line: a snapshot with records, entries and worlds, a journal with every kind of event,
 * and the end that was written down at the stop.
 */
let folder: string;
let original: ReadonlyMap<string, Buffer>;
let state: SavedWorlds;
const warnings: string[] = [];

const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sandbank-mutations-"));
  {
    await using partner = await openPartner({ data: at("data") });
    await createSubscription(partner);
    await partner.sandbox.snapshot();
    await partner.advance("PT1M");
    await createSubscription(partner, { externalId: "one", startDate: "2026-11-21" });
  }
  const written = await FileStorage.open(at("data"), SILENCE);
  await written.storage.close();
  await new SnapshotFile(at("data")).write({ generation: 2, ...written.saved });
  await (await JournalFile.create(at("data.2.journal"), 2)).close();
  for (const name of ["data.1.journal", "data.sandbank-end"]) rmSync(at(name));
  {
    await using partner = await openPartner({ data: at("data") });
    await partner.ask("POST", "/sandbox/worlds", { body: { name: "made" } });
    await createSubscription(partner, { externalId: "two", startDate: "2026-11-21" });
    await partner.ask("POST", "/oauth2/v2.0/token", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api%3A%2F%2Fapp-order-prd%2F.default",
    });
    await partner.sandbox.snapshot();
    await partner.sandbox.fork();
    await partner.ask("PATCH", "/sandbox/assumptions", { body: { "refund.delay": "PT1M" } });
    await partner.ask("PUT", "/sandbox/clock", { body: { mode: "frozen" } });
    await partner.advance("P1D");
    await partner.sandbox.restore("s2");
    await partner.sandbox.removeSnapshot("s2");
    await partner.ask("DELETE", "/sandbox/worlds/w1");
    await partner.ask("POST", "/sandbox/reset", { body: { seed: 9 } });
    await createSubscription(partner, { externalId: "three" });
  }
  original = files();
  state = (await opened())!;
});
afterAll(() => rmSync(folder, { recursive: true }));

function files(): Map<string, Buffer> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(at(name))]));
}

/** Makes these the files. One that differs is removed first: cutting a file off takes far longer than making one. */
function put(changed: ReadonlyMap<string, Buffer>): void {
  const present = files();
  for (const [name, content] of present) if (changed.get(name)?.equals(content) !== true) rmSync(at(name));
  for (const [name, content] of changed) if (!existsSync(at(name))) writeFileSync(at(name), content);
}

/** The worlds of the present files, undefined where they are refused with a sentence. */
async function opened(): Promise<SavedWorlds | undefined> {
  warnings.length = 0;
  try {
    const log = { ...SILENCE, warn: (_: object, sentence: string) => void warnings.push(sentence) };
    const { storage, saved } = await FileStorage.open(at("data"), log);
    await storage.close();
    return saved;
  } catch (error) {
    if (error instanceof FileMistakes && error.message.includes(folder)) return undefined;
    throw error;
  }
}

/** What became of it: `same`, `refused`, or what is wrong. */
async function outcomeOf(mutated: ReadonlyMap<string, Buffer>): Promise<string> {
  put(mutated);
  const saved = await opened();
  if (saved !== undefined) return isDeepStrictEqual(saved, state) ? "same" : "other worlds";
  return isDeepStrictEqual(files(), mutated) ? "refused" : "files were changed";
}

interface Mutation {
  readonly what: string;
  readonly content: Buffer | undefined;
}

/** Every mutation of a file, for each of its lines that is the first or the last of its kind. */
function* mutationsOf(content: Buffer): Generator<Mutation> {
  yield { what: "missing", content: undefined };
  yield { what: "empty", content: Buffer.alloc(0) };
  for (const more of ["x", "\n", "x\n", "[]\n", "\0".repeat(512)])
    yield { what: `appended ${JSON.stringify(more)}`, content: Buffer.concat([content, Buffer.from(more)]) };
  const lines = linesOf(content);
  const chosen = chosenOf(lines);
  for (const index of chosen) {
    const line = lines[index]!;
    const before = lines.slice(0, index);
    const after = lines.slice(index + 1);
    const join = (...parts: readonly (readonly Buffer[])[]): Buffer => Buffer.concat(parts.flat());
    const number = index + 1;
    yield { what: `line ${number} deleted`, content: join(before, after) };
    yield { what: `line ${number} repeated`, content: join(before, [line, line], after) };
    yield { what: `line ${number} repeated at the end`, content: join(lines, [line]) };
    if (after[0])
      yield { what: `line ${number} swapped`, content: join(before, [after[0], line], after.slice(1)) };
    for (const place of placesOf(line.length)) {
      const start = Buffer.concat(before).length;
      yield { what: `cut in line ${number} at ${place}`, content: content.subarray(0, start + place) };
      // A digit becomes another one, or a letter changes its case.
      const bit = place % 2 === 0 ? 1 : 0x20;
      const flipped = Buffer.from(content);
      flipped[start + place]! ^= bit;
      yield { what: `bit ${bit} of line ${number} flipped at ${place}`, content: flipped };
    }
  }
}

function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let begin = 0, end = 0; begin < content.length; begin = end) {
    end = content.indexOf("\n", begin) + 1 || content.length;
    lines.push(content.subarray(begin, end));
  }
  return lines;
}

/** What a line is: a kind of event in a journal, the key of its value elsewhere. */
function kindOf(line: Buffer): string {
  const value = JSON.parse(line.toString().replace(/^\d+ \w+ /, "")) as object;
  return Array.isArray(value)
    ? value.map(({ kind }: { kind: string }) => kind).join(" ")
    : (Object.keys(value)[0] ?? "");
}

function chosenOf(lines: readonly Buffer[]): number[] {
  const kinds = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const kind = kindOf(line);
    kinds.set(kind, [...(kinds.get(kind) ?? []), index]);
  }
  return [...kinds.values()].flatMap((all) => [...new Set([all[0]!, all.at(-1)!])]);
}

/** All places of a short line; of a longer one those in front of its JSON, its last ones, and some between. */
function placesOf(length: number): number[] {
  const all = Array.from({ length }, (_, place) => place);
  return all.filter((place) => length < 40 || place < 13 || place > length - 4 || place === length >> 1);
}

test("the data file has every kind of line, and gives the same worlds each time", async () => {
  expect(await outcomeOf(original)).toBe("same");
  const kinds = (name: string): string[] =>
    linesOf(original.get(name)!).flatMap((line) => kindOf(line).split(" "));
  expect([...original.keys()].sort()).toEqual(["data", "data.2.journal", "data.lock", "data.sandbank-end"]);
  expect(new Set(kinds("data"))).toEqual(
    new Set(["sandbank", "record", "of", "entry", "journal", "move", "table", "world", "end"]),
  );
  expect([...new Set(kinds("data.2.journal"))].sort()).toEqual(
    [
      "journal",
      "begun",
      "clock",
      "committed",
      "dropped",
      "forked",
      "made",
      "moved",
      "restored",
      "settings",
      "snapshot",
      "snapshot-removed",
      "token",
    ].sort(),
  );
});

test.each(["data", "data.2.journal", "data.sandbank-end"])(
  "any change of %s after a stop is refused and changes nothing, or makes no difference",
  async (name) => {
    const wrong: string[] = [];
    const outcomes = { same: 0, refused: 0 };
    for (const { what, content } of mutationsOf(original.get(name)!)) {
      const mutated = new Map(original);
      if (content === undefined) mutated.delete(name);
      else mutated.set(name, content);
      const outcome = await outcomeOf(mutated);
      if (outcome === "refused" || outcome === "same") outcomes[outcome]++;
      else wrong.push(`${what}: ${outcome}`);
    }
    expect(wrong).toEqual([]);
    // Only the end that was written down can be missing, as after a crash.
    expect(outcomes).toEqual({
      same: name === "data.sandbank-end" ? 1 : 0,
      refused: expect.any(Number) as number,
    });
  },
  120_000,
);

test("after a crash, only what follows the last complete line is left out, and the log says so", async () => {
  const name = "data.2.journal";
  const journal = original.get(name)!;
  const crashed = new Map(original);
  crashed.delete("data.sandbank-end");
  const last = linesOf(journal).at(-1)!;
  const shorter = journal.subarray(0, journal.length - last.length);
  put(new Map(crashed).set(name, shorter));
  const before = await opened();
  expect(warnings).toEqual([]);
  for (const place of placesOf(last.length).slice(1)) {
    put(new Map(crashed).set(name, journal.subarray(0, shorter.length + place)));
    expect(isDeepStrictEqual(await opened(), before)).toBe(true);
    expect(warnings).toEqual([`${at(name)}: an incomplete last line was left out.`]);
    expect(readFileSync(at(name)).equals(shorter)).toBe(true);
  }
  const wrong: string[] = [];
  for (const { what, content } of mutationsOf(journal)) {
    // A journal that ends earlier is what an earlier crash leaves; it is no damage that could be seen.
    if (content === undefined || journal.subarray(0, content.length).equals(content)) continue;
    const outcome = await outcomeOf(new Map(crashed).set(name, content));
    const isTorn = warnings.length > 0;
    if (outcome !== "refused" && !isTorn) wrong.push(`${what}: ${outcome}`);
  }
  expect(wrong).toEqual([]);
}, 120_000);
