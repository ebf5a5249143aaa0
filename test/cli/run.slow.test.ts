import { spawn } from "node:child_process";
import { FAILING, MISTAKEN, folderWith } from "./scenario-files.ts";
import { coveringScenarios } from "../scenario-runs.ts";
import { expect, test } from "vitest";
import { sandbank, serve } from "./command.ts";
import { writeFileSync } from "node:fs";

/** Some files in which many kinds of things happen. run.everything.test.ts runs more. */
const FILES = new Set(
  coveringScenarios()
    .slice(0, 3)
    .map(({ file }) => file),
);

test(
  "shipped scenarios run against a running sandbank too, each in its own world",
  { timeout: 240_000 },
  async () => {
    await using server = await serve();
    const { code, out } = await sandbank("run", ...FILES, "--target", server.url);
    expect(out).not.toContain("✗");
    expect(code).toBe(0);
    const { data } = (await (await fetch(`${server.url}/sandbox/worlds`)).json()) as { data: unknown[] };
    expect(data).toHaveLength(1);
  },
);

test("--watch runs again after a change, also after a mistake in the file", async () => {
  using folder = folderWith({ "watched.yaml": FAILING });
  const file = folder.at("watched.yaml");
  const child = spawn(process.execPath, ["src/cli/main.ts", "run", folder.at("."), "--watch"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (written.err += text));
  await expect.poll(() => written.out).toContain("1 failed");
  await expect.poll(() => written.err).toContain("Watching");
  writeFileSync(file, MISTAKEN);
  await expect.poll(() => written.err).toContain("There is no operation");
  writeFileSync(file, FAILING.replace("ACCEPTED", "PENDING_AUTHORIZATION"));
  await expect.poll(() => written.out).toContain("1 passed");
  child.kill();
}, 60_000);
