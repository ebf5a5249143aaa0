import { once } from "node:events";
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { sandbank, serve } from "./command.ts";

test("serve prints its URL in one line, answers, and ends with 0 on SIGTERM", async () => {
  await using server = await serve("--frozen", "--start", "2026-11-20T09:00:00-03:00");
  expect(server.line).toMatch(/^sandbank listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  const clock = await fetch(`${server.url}/sandbox/clock`);
  expect(await clock.json()).toEqual({ mode: "frozen", now: "2026-11-20T12:00:00.000Z" });
  expect(await server.stop()).toBe(0);
});

test("a signal right after that line ends it with 0 too, and so does a repeated one", async () => {
  const child = spawn(process.execPath, ["src/cli/main.ts", "serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  for (const signal of ["SIGINT", "SIGINT", "SIGTERM"] as const) child.kill(signal);
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("flags set the clock and the assumptions", async () => {
  await using server = await serve("--assume", "cancellation.delay=PT7S", "--seed", "9");
  expect(await (await fetch(`${server.url}/sandbox/clock`)).json()).toMatchObject({ mode: "running" });
  const { data } = (await (await fetch(`${server.url}/sandbox/assumptions`)).json()) as {
    data: { id: string; value: unknown }[];
  };
  expect(data.find(({ id }) => id === "cancellation.delay")?.value).toBe("PT7S");
});

test("a port in use is exit 1, with the port in the sentence", async () => {
  await using server = await serve();
  const { port } = new URL(server.url);
  const second = await sandbank("serve", "--port", port);
  expect(second.code).toBe(1);
  expect(second.err).toContain(`the port ${port} is in use`);
  expect(second.err).not.toContain("    at ");
});

test.each([
  [["serve", "--port", "abc"], '--port must be a whole number from 0 to 65535; found "abc".'],
  [["serve", "--port", "70000"], "--port must be a whole number"],
  [["serve", "--seed", "x"], "--seed must be a whole number"],
  [
    ["serve", "--start", "yesterday"],
    '--start must be a timestamp with its offset, such as 2026-11-20T09:00:00-03:00; found "yesterday".',
  ],
  [["serve", "--assume", "cancellation.delay"], "--assume must be id=value"],
  [["serve", "--assume", "cancellation.dely=PT1S"], "cancellation.delay"],
  [["serve", "--fixtures", "no/such/folder"], "there is no such folder"],
  [["serve", "--prot", "1"], "There is no flag --prot. Did you mean --port?"],
  [["serv"], "Did you mean serve?"],
  [[], "Name a command"],
])("%j is exit 2, with a sentence and no stack", async (args, sentence) => {
  const finished = await sandbank(...args);
  expect(finished.code).toBe(2);
  expect(finished.err).toContain(sentence);
  expect(finished.err).not.toContain("    at ");
  expect(finished.out).toBe("");
});

test("--scenario runs before the sandbox listens, and a missing file is exit 2", async () => {
  await using server = await serve("--frozen", "--scenario", "scenarios/subscriptions/accepted.yaml");
  const answer = await fetch(`${server.url}/sandbox/resources/subscriptions`);
  const { data } = (await answer.json()) as { data: { status: string }[] };
  expect(data.map(({ status }) => status)).toEqual(["ACCEPTED"]);
  const missing = await sandbank("serve", "--port", "0", "--scenario", "no-such.yaml");
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("there is no such file") as string });
}, 60_000);
