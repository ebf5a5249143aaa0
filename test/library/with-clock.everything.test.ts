import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSandbox, type Sandbox } from "../../src/index.ts";
import { expect, test, vi } from "vitest";
import { existsSync, globSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { tmpdir } from "node:os";

const START = "2026-11-23T12:00:00.000Z";
/** A busy machine may print a line late. */
const LATE = { timeout: 20_000 };

const folder = mkdtempSync(join(tmpdir(), "sandbank-with-clock-"));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Started {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Its exit code and its signal, once it has ended and all of its lines are there. */
  readonly closed: Promise<unknown[]>;
}

function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const lines: string[] = [];
  // A line may come in several pieces.
  createInterface(child.stdout).on("line", (line) => void lines.push(line));
  return { child, lines, closed: once(child, "close") };
}

function withClock(url: string, ...args: readonly string[]): Started {
  return start(process.execPath, ["src/cli/main.ts", "with-clock", "--target", url, ...args]);
}

async function open(): Promise<{ sandbox: Sandbox; url: string }> {
  const sandbox = await createSandbox({ start: START, clockTurnTimeout: "PT1M" });
  return { sandbox, ...(await sandbox.listen()) };
}

async function followers(sandbox: Sandbox): Promise<{ name: string; next: string | null }[]> {
  const answer = await sandbox.fetch("/sandbox/clock/followers");
  return ((await answer.json()) as { data: { name: string; next: string | null }[] }).data;
}

/** Resolves once so many followers wait for something. */
async function waiting(sandbox: Sandbox, count: number): Promise<void> {
  await vi.waitFor(
    async () => expect((await followers(sandbox)).filter(({ next }) => next !== null)).toHaveLength(count),
    LATE,
  );
}

const PRINT = `const print = (what) => console.log(new Date().toISOString(), what);`;

test("an ESM and a CJS program and their threads follow, and a command ends with its exit code in its turn", async () => {
  const { sandbox, url } = await open();
  const thread = file("thread.mjs", `${PRINT} setTimeout(() => print("thread"), 7_200_000);`);
  const main = file(
    "main.mjs",
    `import { Worker } from "node:worker_threads"; ${PRINT} new Worker(${JSON.stringify(thread)});
     setTimeout(() => print("module"), 3_600_000); setInterval(() => print("day"), 86_400_000);`,
  );
  const script = file(
    "script.cjs",
    `${PRINT} setTimeout(() => { print("script"); process.exit(3); }, 10_800_000);`,
  );
  const module = withClock(url, "--", "node", main);
  const common = withClock(url, "--", "node", script);
  await waiting(sandbox, 3);
  const names = (await followers(sandbox)).map(({ name }) => name);
  expect(names.toSorted()).toEqual(["main.mjs", "script.cjs", "thread.mjs 1"]);
  await sandbox.advance("P1D");
  const [code] = await common.closed;
  expect(code).toBe(3);
  await vi.waitFor(() => expect(module.lines).toHaveLength(3), LATE);
  expect([...module.lines, ...common.lines]).toEqual([
    "2026-11-23T13:00:00.000Z module",
    "2026-11-23T14:00:00.000Z thread",
    "2026-11-24T12:00:00.000Z day",
    "2026-11-23T15:00:00.000Z script",
  ]);
  module.child.kill("SIGTERM");
  await module.closed;
  expect(module.child.signalCode).toBe("SIGTERM");
  // The sandbox hears of the end of a process a moment later.
  await vi.waitFor(async () => expect(await followers(sandbox)).toEqual([]), LATE);
  await sandbox.close();
}, 60_000);

test("a job that runs in a thread of its own each night runs at its exact instant, and nothing of it is left", async () => {
  const { sandbox, url } = await open();
  const job = file(
    "job.mjs",
    `import { parentPort } from "node:worker_threads"; ${PRINT} print("job"); parentPort.postMessage("done");`,
  );
  const runner = file(
    "runner.mjs",
    `import { Worker } from "node:worker_threads";
     setInterval(() => {
       const thread = new Worker(${JSON.stringify(job)});
       thread.on("message", () => void thread.removeAllListeners().terminate());
     }, 86_400_000);`,
  );
  const { child, lines, closed } = withClock(url, "--", "node", runner);
  await waiting(sandbox, 1);
  expect((await sandbox.advance("P3D")).stoppedBy).toBeUndefined();
  await vi.waitFor(() => expect(lines).toHaveLength(3), LATE);
  expect(lines).toEqual([24, 25, 26].map((day) => `2026-11-${day}T12:00:00.000Z job`));
  await vi.waitFor(
    async () => expect((await followers(sandbox)).map(({ name }) => name)).toEqual(["runner.mjs"]),
    LATE,
  );
  child.kill("SIGTERM");
  await closed;
  await sandbox.close();
}, 60_000);

test("time-outs of fetch, undici and node:http are real: a year that passes is none, and a silent server still is one", async () => {
  const { sandbox, url } = await open();
  const undici = JSON.stringify(join(process.cwd(), "node_modules/undici/index.js"));
  const program = file(
    "network.mjs",
    `import { createServer, get } from "node:http"; import { once } from "node:events";
     import { Agent, request } from ${undici};
     const pause = (ms) => once(AbortSignal.timeout(ms), "abort");
     const start = Date.now();
     const server = createServer(async ({ url }, response) => {
       if (url === "/silent") return;
       while (url === "/late" && Date.now() === start) await pause(1);
       await pause(50);
       response.end();
     });
     await once(server.listen(0, "127.0.0.1"), "listening");
     const own = "http://127.0.0.1:" + server.address().port;
     const outcome = (answer) => answer.then(({ body }) => body?.dump?.()).then(() => "answered", (error) => (typeof error.code === "string" ? error.code : error.name));
     const timeOuts = { headersTimeout: 30_000, bodyTimeout: 30_000 };
     const dispatcher = new Agent(timeOuts);
     const late = [fetch(own + "/late"), request(own + "/late", { dispatcher })].map(outcome);
     const body = JSON.stringify({ by: "P1Y", wait: false });
     await fetch("${url}/sandbox/clock/advance", { method: "POST", headers: { "content-type": "application/json" }, body });
     console.log(...(await Promise.all(late)), new Date().toISOString());
     const silent = own + "/silent";
     console.log(...(await Promise.all([
       request(silent, { headersTimeout: 50 }), request(silent, { headersTimeout: 1_100 }),
       fetch(silent, { signal: AbortSignal.timeout(50) }),
       new Promise((_, reject) => { const sent = get(silent, { timeout: 50 }); sent.on("error", reject).on("timeout", () => sent.destroy(new TypeError())); }),
     ].map(outcome))));
     process.exit();`,
  );
  const { lines, closed } = withClock(url, "--", "node", program);
  await closed;
  expect(lines).toEqual([
    "answered answered 2027-11-23T12:00:00.000Z",
    "UND_ERR_HEADERS_TIMEOUT UND_ERR_HEADERS_TIMEOUT TimeoutError TypeError",
  ]);
  await sandbox.close();
}, 60_000);

test("a vitest suite follows: its tests advance the clock, and their timers run on the way", async () => {
  const { sandbox, url } = await open();
  file("vitest.config.mjs", "export default {};");
  file(
    "suite.test.mjs",
    `import { expect, test } from "vitest";
     test("a job of tomorrow runs in an advance over two days", async () => {
       const ran = [];
       setTimeout(() => ran.push(new Date().toISOString()), 86_400_000);
       const body = JSON.stringify({ by: "P2D" });
       const headers = { "content-type": "application/json" };
       const answer = await fetch("${url}/sandbox/clock/advance", { method: "POST", headers, body });
       expect((await answer.json()).to).toBe("2026-11-25T12:00:00.000Z");
       expect(ran).toEqual(["2026-11-24T12:00:00.000Z"]);
       expect(new Date().toISOString()).toBe("2026-11-25T12:00:00.000Z");
     });`,
  );
  const vitest = join(process.cwd(), "node_modules/vitest/vitest.mjs");
  const suite = withClock(url, "--", "node", vitest, "run", "--root", folder);
  const [code] = await suite.closed;
  expect([code, suite.lines.join("\n")]).toEqual([0, expect.stringContaining("1 passed")]);
  await sandbox.close();
}, 90_000);

test("the follower in Python has its nightly job at its exact instant", async () => {
  const { sandbox, url } = await open();
  const python = start("python3", ["examples/one-clock/follower.py"], { SANDBANK_URL: url });
  await waiting(sandbox, 1);
  const { happened } = await sandbox.advance("P3D");
  expect(happened.map(({ at, what }) => `${at} ${what}`)).toEqual([
    "2026-11-24T06:00:00.000Z nightly.py: 1 timer ran",
    "2026-11-25T06:00:00.000Z nightly.py: 1 timer ran",
    "2026-11-26T06:00:00.000Z nightly.py: 1 timer ran",
  ]);
  await vi.waitFor(() => expect(python.lines).toHaveLength(3), LATE);
  expect(python.lines[0]).toBe("2026-11-24T06:00:00+00:00 3 accounts");
  python.child.kill();
  await sandbox.close();
}, 60_000);

const hasFaketime =
  globSync("/usr/lib/*/faketime/libfaketimeMT.so.1").length > 0 &&
  existsSync("/bin/date") &&
  spawnSync("/bin/date").status === 0;

test.skipIf(!hasFaketime)(
  "libfaketime gives a program in any language the date",
  async () => {
    const { sandbox, url } = await open();
    await sandbox.advance("P1D");
    const shell = withClock(
      url,
      "--faketime",
      "--",
      "sh",
      "-c",
      "date -u +%FT%T; read line < /dev/null; date -u +%F",
    );
    await shell.closed;
    expect(shell.lines).toEqual(["2026-11-24T12:00:00", "2026-11-24"]);
    await sandbox.close();
  },
  60_000,
);

test("a command that is missing, and a sandbox that is not there, are one sentence each", async () => {
  const { sandbox, url } = await open();
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["src/cli/main.ts", "with-clock", ...args], { encoding: "utf8" });
  expect(run("--target", url).stderr).toContain(
    "with-clock requires a command. Write it after --: sandbank with-clock -- node server.js",
  );
  expect(run("--target", "http://127.0.0.1:9", "--", "node").stderr).toContain(
    "Failed to reach http://127.0.0.1:9",
  );
  await sandbox.close();
}, 60_000);
