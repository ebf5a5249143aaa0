import { describe, expect, test } from "vitest";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { findProgram } from "../../find-program.ts";
import { spawnSync } from "node:child_process";

const program = findProgram("promtool");

describe.skipIf(program === undefined)("promtool, which the Debian package prometheus has,", () => {
  test("finds nothing wrong in the metrics", async () => {
    await using sandbox = await createSandbox({ metrics: true });
    const { url } = await sandbox.listen();
    await fetch(`${url}/sandbox/clock`);
    const input = await (await fetch(`${url}/metrics`)).text();
    const { status, stdout, stderr } = spawnSync(program!, ["check", "metrics"], { input, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
