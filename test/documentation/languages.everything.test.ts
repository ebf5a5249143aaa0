import { execFile, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { mkdtempSync, writeFileSync } from "node:fs";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { blocksOf } from "./page.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const hasGo = spawnSync("go", ["version"]).status === 0;
const hasJava = spawnSync("java", ["--version"]).status === 0;
const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;

/** Writes the file of a page into a folder of its own, and gives that folder. */
function fileOf(page: string, name: string): string {
  const block = assertDefined(
    blocksOf(page).find(({ title }) => title === name),
    `${name} in ${page}`,
  );
  const folder = mkdtempSync(join(tmpdir(), "sandbank-language-"));
  writeFileSync(join(folder, name), block.text);
  return folder;
}

/** Runs a command against a sandbox; gives what it printed, also where it failed, and the worlds that are left. */
async function played(
  cwd: string,
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly printed: string; readonly worlds: readonly string[] }> {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const options = { cwd, env: { ...process.env, SANDBANK_URL: url, ...env } };
  const { stdout, stderr } = await run(program, args, options).catch(
    (failure: { stdout: string; stderr: string }) => failure,
  );
  const answer = await sandbox.fetch("/sandbox/worlds");
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return { printed: stdout + stderr, worlds: data.map(({ id }) => id) };
}

test.skipIf(!hasGo)("the first test in Go passes as docs/go.md has it", { timeout: 120_000 }, async () => {
  const folder = fileOf("docs/go.md", "payout_test.go");
  const env = { GOFLAGS: "-count=1" };
  const { printed, worlds } = await played(folder, ["go", "test", "payout_test.go"], env);
  expect(printed).toMatch(/^ok /);
  expect(worlds).toEqual(["default"]);
});

test.skipIf(!hasJava)(
  "the first test in Java passes as docs/java.md has it",
  { timeout: 120_000 },
  async () => {
    const folder = fileOf("docs/java.md", "PayoutTest.java");
    expect(await played(folder, ["java", "PayoutTest.java"])).toEqual({
      printed: "2 tests passed\n",
      worlds: ["default"],
    });
  },
);

test.skipIf(!hasPytest)(
  "the first test in Python passes as docs/python.md has it",
  { timeout: 60_000 },
  async () => {
    const folder = fileOf("docs/python.md", "test_payout.py");
    const env = { PYTHONPATH: resolve("clients/python"), PYTEST_ADDOPTS: "-p sandbank.pytest_plugin" };
    const { printed, worlds } = await played(
      folder,
      ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_payout.py"],
      env,
    );
    expect(printed).toContain("3 passed");
    expect(worlds).toEqual(["default"]);
  },
);
