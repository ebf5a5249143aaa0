import { expect, test } from "vitest";
import { Machine } from "../judge/machine.ts";
import { statusLine } from "../../src/cli/output.ts";

function shownOn(isTTY: boolean): string[] {
  const written: string[] = [];
  const { wall } = new Machine(0, 1);
  const show = statusLine(wall, { terminal: { isTTY, write: (text: string) => written.push(text) } });
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
  const show = statusLine(wall, { terminal, isLogged: true });
  show("1 of 3");
  await wall.pause(9_000);
  show("2 of 3");
  expect(written).toEqual([]);
  await wall.pause(12_000);
  show("");
  await wall.pause(20_000);
  expect(written).toEqual(["2 of 3\n", "2 of 3\n"]);
});
