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

test("nothing is shown where the output is no terminal", () => {
  expect(shownOn(false)).toEqual([]);
});
