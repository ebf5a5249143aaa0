import { once } from "node:events";
import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { sandbankProcess, serve } from "./command.ts";

test("serve prints its URL in one line, answers, and ends with 0 on SIGTERM", async () => {
  await using server = await serve("--frozen", "--start", "2026-11-20T09:00:00-03:00");
  expect(server.line).toMatch(/^sandbank listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  const clock = await fetch(`${server.url}/sandbox/clock`);
  expect(await clock.json()).toEqual({ mode: "frozen", now: "2026-11-20T12:00:00.000Z" });
  expect(await server.stop()).toBe(0);
});

test("a signal right after that line ends it with 0 too, and so does a repeated one", async () => {
  const child = spawn(process.execPath, ["src/cli/main.ts", "serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (written: string) => (err += written));
  await once(child.stdout, "data");
  for (const signal of ["SIGINT", "SIGINT", "SIGTERM"] as const) child.kill(signal);
  expect(await once(child, "close")).toEqual([0, null]);
  expect(err).toBe("");
});

test("flags set the clock and the assumptions", async () => {
  await using server = await serve("--assume", "cancellation.delay=PT7S", "--seed", "9");
  expect(await (await fetch(`${server.url}/sandbox/clock`)).json()).toMatchObject({ mode: "running" });
  const { data } = (await (await fetch(`${server.url}/sandbox/assumptions`)).json()) as {
    data: { id: string; value: unknown }[];
  };
  expect(data.find(({ id }) => id === "cancellation.delay")?.value).toBe("PT7S");
});

test("serve reads the file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "sandbank.config.yaml");
  writeFileSync(file, "frozen: true\nstart: 2026-11-20T09:00:00-03:00\nadmin-token: from-the-file\n");
  await using server = await serve("--config", file);
  const headers = { "x-admin-token": "from-the-file" };
  const clock = await fetch(`${server.url}/sandbox/clock`, { headers });
  expect(await clock.json()).toEqual({ mode: "frozen", now: "2026-11-20T12:00:00.000Z" });
});

test("a port in use is exit 1, with the port in the sentence", async () => {
  await using server = await serve();
  const { port } = new URL(server.url);
  const second = await sandbankProcess("serve", "--port", port);
  expect(second.code).toBe(1);
  expect(second.err).toContain(`the port ${port} is in use`);
  expect(second.err).not.toContain("    at ");
});

test("--scenario runs before the sandbox listens, and a missing file is exit 2", async () => {
  await using server = await serve("--frozen", "--scenario", "scenarios/subscriptions/accepted.yaml");
  const answer = await fetch(`${server.url}/sandbox/resources/subscriptions`);
  const { data } = (await answer.json()) as { data: { status: string }[] };
  expect(data.map(({ status }) => status)).toEqual(["ACCEPTED"]);
  const missing = await sandbankProcess("serve", "--port", "0", "--scenario", "no-such.yaml");
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("there is no such file") as string });
}, 60_000);
