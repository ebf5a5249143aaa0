import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { expect, test } from "vitest";

/** Returns the lines of cspell, a line for each unknown word. */
function unknownWords(files: readonly string[]): string[] {
  const found = [];
  try {
    execFileSync(
      process.execPath,
      [
        "test/outside/node_modules/cspell/bin.mjs",
        "lint",
        "--config=test/outside/spelling/cspell.json",
        "--no-progress",
        "--no-summary",
        ...files,
      ],
      { encoding: "utf8", stdio: "pipe" },
    );
  } catch (error) {
    const { status, stdout } = error as { readonly status: number; readonly stdout: string };
    // cspell ends with 1 if it finds an unknown word, and with another code if it fails.
    if (status !== 1) throw error;
    found.push(...stdout.trim().split("\n"));
  }
  return found;
}

test("the pages have no misspelt word: words of the field are in test/outside/spelling/words.txt", () => {
  const pages = [
    "README.md",
    "README.pt-BR.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ...globSync("docs/**/*.md"),
  ];
  expect(unknownWords(pages)).toEqual([]);
});
