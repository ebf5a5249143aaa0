import { execFile, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { promisify } from "node:util";
import { createSandbox } from "../src/library/sandbox.ts";

const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;

test.skipIf(!hasPytest)(
  "the tests of examples/python pass against a running sandbox",
  { timeout: 60_000 },
  async () => {
    await using sandbox = await createSandbox();
    const { url } = await sandbox.listen();
    const args = ["-m", "pytest", "examples/python", "-p", "no:cacheprovider", "-q"];
    const env = { ...process.env, SANDBANK_URL: url, PYTHONDONTWRITEBYTECODE: "1" };
    const { stdout } = await promisify(execFile)("python3", args, { env });
    expect(stdout).toContain("3 passed");
    const worlds = (await (await sandbox.fetch("/sandbox/worlds")).json()) as {
      readonly data: readonly unknown[];
    };
    expect(worlds.data).toHaveLength(1);
  },
);
