import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join, resolve } from "node:path";

const FILE = fileURLToPath(new URL("typed-words.ts", import.meta.url));
const MARK = /^ *\/\/ @ts-expect-error -- .*$/gm;

/** What the compiler reports of a text in place of the file, by line. */
function errorsIn(text: string): number[] {
  const folder = mkdtempSync(join(import.meta.dirname, "types-"));
  try {
    const file = join(folder, "typed-words.ts");
    writeFileSync(file, text.replaceAll('"../../src/', '"../../../src/'));
    const config = {
      extends: resolve("tsconfig.json"),
      include: ["*.ts"],
      compilerOptions: { noEmit: true },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = resolve("node_modules/typescript/bin/tsc");
    try {
      execFileSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
        encoding: "utf8",
        stdio: "pipe",
      });
      return [];
    } catch (error) {
      const { stdout } = error as { stdout: string };
      const lines = Array.from(stdout.matchAll(/typed-words\.ts\((\d+),/g), ([, line]) => Number(line));
      if (lines.length === 0) throw error;
      return [...new Set(lines)];
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the types of the library accept every known word and refuse every other", { timeout: 60_000 }, () => {
  expect(errorsIn(readFileSync(FILE, "utf8"))).toEqual([]);
});

test("each of the mistakes is one that the compiler finds", { timeout: 60_000 }, () => {
  const text = readFileSync(FILE, "utf8");
  const marked = text
    .split("\n")
    .flatMap((line, index) => (line.includes("@ts-expect-error --") ? [index + 2] : []));
  expect(errorsIn(text.replaceAll(MARK, "//"))).toEqual(marked);
});
