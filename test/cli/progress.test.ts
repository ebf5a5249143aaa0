import { expect, test } from "vitest";
import { statusLine } from "../../src/cli/output.ts";

function shownOn(isTTY: boolean): string[] {
  const written: string[] = [];
  const show = statusLine({ isTTY, write: (text: string) => written.push(text) });
  for (const text of ["0 %", "25 %", "25 %", "x".repeat(100), ""]) show(text);
  return written;
}

test("a terminal shows each text once on one line that does not wrap and is removed in the end", () => {
  const clear = "\r\u001b[K";
  expect(shownOn(true)).toEqual(["0 %", "25 %", "x".repeat(76), ""].map((line) => clear + line));
});

test("a line is written every ten seconds where the output is not a terminal", () => {
  expect(shownOn(false)).toEqual([]);
  const written: string[] = [];
  let nowMs = 0;
  const show = statusLine(
    { write: (text: string) => written.push(text) },
    { isLogged: true, wall: { now: () => nowMs } },
  );
  for (const seconds of [1, 9, 11, 12, 20, 22, 40]) {
    nowMs = seconds * 1_000;
    show(`${seconds} s`);
  }
  show("");
  expect(written).toEqual(["11 s\n", "22 s\n", "40 s\n"]);
});
