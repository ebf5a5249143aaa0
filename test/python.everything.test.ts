import { execFile, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createSandbox } from "../src/library/sandbox.ts";

const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;
const client = resolve("clients/python");

async function pytest(folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  const args = ["-m", "pytest", folder, "-p", "no:cacheprovider", "-q"];
  const run = promisify(execFile)("python3", args, {
    env: { ...process.env, SANDBANK_URL: "", PYTHONDONTWRITEBYTECODE: "1", ...env },
  });
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

test.skipIf(!hasPytest)(
  "the tests of examples/python pass against a running sandbox",
  { timeout: 60_000 },
  async () => {
    await using sandbox = await createSandbox();
    const { url } = await sandbox.listen();
    const environment = {
      SANDBANK_URL: url,
      PYTHONPATH: client,
      PYTEST_ADDOPTS: "-p sandbank.pytest_plugin",
    };
    expect(await pytest("examples/python", environment)).toContain("3 passed");
    const worlds = (await (await sandbox.fetch("/sandbox/worlds")).json()) as {
      readonly data: readonly unknown[];
    };
    expect(worlds.data).toHaveLength(1);
  },
);

test.skipIf(!hasPytest)(
  "the Python client is installed without a network, and starts a server for its tests",
  { timeout: 120_000 },
  async () => {
    const target = mkdtempSync(join(tmpdir(), "sandbank-python-"));
    const pip = ["-m", "pip", "install", "--no-index", "--no-cache-dir", "-q", "--target", target, client];
    const installed = spawnSync("python3", pip, { encoding: "utf8" });
    expect(installed.stderr).not.toContain("ERROR");
    const environment = {
      PYTHONPATH: target,
      SANDBANK_COMMAND: `${process.execPath} ${resolve("src/cli/main.ts")}`,
    };
    expect(await pytest("clients/python/tests", environment)).toMatch(/^\d+ passed/m);
  },
);
