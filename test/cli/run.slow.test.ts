import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import { sandbank, serve } from "./command.ts";
import { tmpdir } from "node:os";

const FAILING = `name: It expects too much
start: 2026-11-20T09:00:00-03:00
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
    expect: { body: { status: ACCEPTED } }
`;

const MISTAKEN = `name: It has three mistakes
steps:
  - call: createSubscripton
  - act: subscription.acept
    on: \${sub.id}
`;

test(
  "every scenario runs against a running sandbank too, each in its own world",
  { timeout: 60_000 },
  async () => {
    await using server = await serve();
    const { code, out } = await sandbank("run", "scenarios", "--target", server.url);
    expect(out).not.toContain("✗");
    expect(code).toBe(0);
    const { data } = (await (await fetch(`${server.url}/sandbox/worlds`)).json()) as { data: unknown[] };
    expect(data).toHaveLength(1);
  },
);

test("--watch runs again after a change, also after a mistake in the file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "watched.yaml");
  writeFileSync(file, FAILING);
  const child = spawn(process.execPath, ["src/cli/main.ts", "run", folder, "--watch"], {
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
