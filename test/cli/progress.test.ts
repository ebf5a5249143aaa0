import { expect, test } from "vitest";
import { explorationProgress } from "../../src/cli/explore.ts";
import { Machine } from "../partners/machine.ts";
import { join } from "node:path";
import { readHars } from "../../src/traffic/read-har.ts";
import { readingProgress } from "../../src/cli/recorded-files.ts";
import { statusLine } from "../../src/cli/output.ts";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

function shownOn(isTTY: boolean): string[] {
  const written: string[] = [];
  // Its end lets the next machine move: each would wait for the turns of the other.
  using machine = new Machine(0, 1);
  const show = statusLine(machine.wall, { terminal: { isTTY, write: (text: string) => written.push(text) } });
  for (const text of ["0 %", "25 %", "25 %", "x".repeat(100), ""]) show(text);
  return written;
}

test("a terminal shows each text once on one line that does not wrap and is removed in the end", () => {
  const clear = "\r\u001b[K";
  expect(shownOn(true)).toEqual(["0 %", "25 %", "x".repeat(76), ""].map((line) => clear + line));
});

test("the newest text is written every ten seconds if the output is not a terminal", async () => {
  expect(shownOn(false)).toEqual([]);
  const written: string[] = [];
  const { wall } = new Machine(0, 1);
  const terminal = { isTTY: false, write: (text: string) => written.push(text) };
  const show = statusLine(wall, { terminal });
  show("1 of 3");
  await wall.pause(9_000);
  show("2 of 3");
  expect(written).toEqual([]);
  await wall.pause(12_000);
  show("");
  await wall.pause(20_000);
  expect(written).toEqual(["2 of 3\n", "2 of 3\n"]);
});

test("a terminal shows no progress of work that ends within the time for short work", async () => {
  const written: string[] = [];
  const { wall } = new Machine(0, 1);
  const terminal = { isTTY: true, write: (text: string) => written.push(text) };
  const show = statusLine(wall, { terminal, afterMs: 2_000 });
  show("Step 1 of 2");
  await wall.pause(1_000);
  show("");
  show("Step 1 of 3");
  await wall.pause(1_500);
  show("Step 2 of 3");
  expect(written).toEqual([]);
  await wall.pause(1_000);
  show("Step 3 of 3");
  show("");
  const clear = "\r\u001b[K";
  expect(written).toEqual([`${clear}Step 2 of 3`, `${clear}Step 3 of 3`, clear]);
});

test("the time left of an exploration counts from its first schedule, without the baselines", async () => {
  const { wall } = new Machine(0, 1);
  const shown: string[] = [];
  const tell = explorationProgress("gym", { wall, show: (line) => shown.push(line) });
  await wall.pause(60_000);
  tell({ tried: 0, total: 20, diverged: 0 });
  await wall.pause(4_000);
  tell({ tried: 2, total: 20, diverged: 1 });
  expect(shown).toEqual(["0 of 20 · gym", "2 of 20 · 0.5 a second · about 36 s left · 1 diverged · gym"]);
});

test("calibrate stops reading its files at Ctrl-C, with the entries read so far", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-progress-"));
  const files = ["one.har", "two.har", "three.har"].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, JSON.stringify({ log: { entries: [{}, {}, {}] } }));
  const controller = new AbortController();
  const taken: string[] = [];
  const take = ({ index }: { readonly index: number }, file: number): void => {
    taken.push(`${file} ${index}`);
    if (file === 1 && index === 1) controller.abort();
  };
  const ends = await readHars(files, take, controller.signal);
  expect(taken).toEqual(["0 0", "0 1", "0 2", "1 0", "1 1"]);
  expect(ends).toEqual([
    { entries: 3, isCut: false, doubled: 0 },
    { entries: 2, isCut: false, doubled: 0 },
  ]);
});

test("calibrate shows how much of its files is read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-progress-"));
  const files = ["one.har", "two.har"].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, JSON.stringify({ log: { entries: [{}, {}] } }));
  const shown: string[] = [];
  const show = readingProgress(files, (line) => shown.push(line));
  await readHars(files, ({ bytesRead }, file) => show(bytesRead, file));
  expect([...new Set(shown)]).toEqual(["Reading one.har: 50 % of all", "Reading two.har: 100 % of all"]);
});
