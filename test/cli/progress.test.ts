import { expect, test } from "vitest";
import { terminalProgress } from "../../src/cli/output.ts";

function shownOn(isTTY: boolean): string[] {
  const lines: string[] = [];
  const progress = terminalProgress("Recording", { isTTY, write: (text: string) => lines.push(text) });
  for (const part of [0, 0.251, 0.252, 0.999]) progress.report(part);
  progress.end();
  return lines;
}

test("a terminal shows each percentage once on one line, which is removed in the end", () => {
  const clear = "\r\u001b[K";
  expect(shownOn(true)).toEqual(
    ["Recording: 0 %", "Recording: 25 %", "Recording: 99 %", ""].map((line) => clear + line),
  );
});

test("nothing is shown where the output is no terminal", () => {
  expect(shownOn(false)).toEqual([]);
});
