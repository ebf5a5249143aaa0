import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { basename, join, resolve } from "node:path";

const FILE = fileURLToPath(new URL("typed-words.ts", import.meta.url));
const MARK = /^ *\/\/ @ts-expect-error -- .*$/gm;

/** The lines of each of these texts, which are put in place of the file, at which the compiler reports something. */
function errorsIn(texts: Readonly<Record<string, string>>): Record<string, number[]> {
  const folder = mkdtempSync(join(import.meta.dirname, "types-"));
  try {
    for (const [name, text] of Object.entries(texts))
      writeFileSync(join(folder, `${name}.ts`), text.replaceAll('"../../src/', '"../../../src/'));
    const config = {
      extends: resolve("tsconfig.json"),
      include: ["*.ts"],
      compilerOptions: { noEmit: true },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = resolve("node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      encoding: "utf8",
    });
    const places = Array.from(stdout.matchAll(/^(.*?)\((\d+),\d+\): error/gm), ([, file = "", line]) => ({
      name: basename(file, ".ts"),
      line: Number(line),
    }));
    const found = Map.groupBy(places, ({ name }) => name);
    expect([...found.keys()].filter((name) => !(name in texts))).toEqual([]);
    return Object.fromEntries(
      Object.keys(texts).map((name) => [name, [...new Set(found.get(name)?.map(({ line }) => line))]]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test(
  "the types of the library accept every known word, and refuse every other where the compiler finds a mistake",
  { timeout: 60_000 },
  () => {
    const marked = readFileSync(FILE, "utf8");
    const mistakes = marked
      .split("\n")
      .flatMap((line, index) => (line.includes("@ts-expect-error --") ? [index + 2] : []));
    expect(mistakes.length).toBeGreaterThan(0);
    expect(errorsIn({ marked, unmarked: marked.replaceAll(MARK, "//") })).toEqual({
      marked: [],
      unmarked: mistakes,
    });
  },
);
