import { expect, onTestFinished, test } from "vitest";
import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { FileLock } from "../../../src/server/storage/file-lock.ts";
import { join, resolve } from "node:path";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";

const STARTS = 100;

function dataPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "sandbank.json");
}

/** A program that tries to take the lock of each path that it is sent at the moment that it is sent. */
const CONTENDER = `
const { FileLock } = await import(${JSON.stringify(resolve("src/server/storage/file-lock.ts"))});
let lock;
process.on("message", ({ path, at }) => {
  if (path === undefined) {
    lock.release();
    process.send("released");
    return;
  }
  while (Date.now() < at);
  try {
    lock = new FileLock(path);
    process.send("has it");
  } catch (error) {
    process.send(error.name === "FileMistakes" ? "refused" : String(error.stack));
  }
});
process.send("ready");
`;

async function startContender(): Promise<ChildProcess> {
  const program = join(mkdtempSync(join(tmpdir(), "sandbank-lock-")), "contender.mjs");
  writeFileSync(program, CONTENDER);
  const child = fork(program, { execPath: process.execPath });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

test(`of two starts at the same moment, ${STARTS} times, exactly one gets the data file`, async () => {
  const contenders = await Promise.all([startContender(), startContender()]);
  const path = dataPath();
  for (let start = 0; start < STARTS; start++) {
    if (start % 3 === 1) rmSync(`${path}.lock`);
    const at = Date.now() + 5;
    const answers = contenders.map(async (contender) => {
      const [answer] = (await once(contender, "message")) as [string];
      return answer;
    });
    for (const contender of contenders) contender.send({ path, at });
    const found = await Promise.all(answers);
    expect(found.toSorted()).toEqual(["has it", "refused"]);
    const holder = contenders[found.indexOf("has it")]!;
    holder.send({});
    expect(await once(holder, "message")).toEqual(["released", undefined]);
  }
}, 180_000);

const serve = (data: string) => ["src/cli/main.ts", "serve", "--port", "0", "--data", data];

/** Starts a server, and gives its first line: its address, or why it does not start. */
async function start(command: string, ...args: readonly string[]) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const stderr = text(child.stderr);
  const exit = once(child, "exit") as Promise<[number | null]>;
  const address = once(child.stdout.setEncoding("utf8"), "data").then(([line]) => String(line));
  const line = await Promise.race([address, exit.then(() => stderr)]);
  return { child, exit, line, stderr };
}

test("two servers that are started at once on an empty folder: one serves, the other exits with 2", async () => {
  const data = dataPath();
  const servers = await Promise.all([
    start(process.execPath, ...serve(data)),
    start(process.execPath, ...serve(data)),
  ]);
  const lines = servers.map(({ line }) => line).toSorted();
  expect(lines[0]).toContain(`Failed to open ${data}: another process is using it.`);
  expect(lines[1]).toContain("http://127.0.0.1:");
  const refused = servers.find(({ line }) => !line.includes("http://"))!;
  expect(await refused.exit).toEqual([2, null]);
  expect(await refused.stderr).not.toContain("    at ");
}, 60_000);

const canUnshare =
  process.platform === "linux" && spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

test.runIf(canUnshare)(
  "a data file in use by a process of another PID namespace is refused, and free once that process is killed",
  async () => {
    const data = dataPath();
    const inOther = ["--pid", "--fork", "--kill-child=SIGKILL", process.execPath];
    const first = await start("unshare", ...inOther, ...serve(data));
    expect(first.line).toContain("http://127.0.0.1:");
    const second = await start("unshare", ...inOther, ...serve(data));
    expect(second.line).toContain("another process is using it");
    first.child.kill("SIGKILL");
    await first.exit;
    const third = await start("unshare", ...inOther, ...serve(data));
    expect(third.line).toContain("http://127.0.0.1:");
  },
  60_000,
);

test.runIf(process.platform === "linux")(
  "a holder that was killed does not refuse the next start, even where nobody reaps it",
  async () => {
    const data = dataPath();
    // The shell becomes `sleep`, which never reaps the server that the shell started.
    const command = `"$0" "$@" & echo $! > ${data}.pid; exec sleep 60`;
    const { line } = await start("sh", "-c", command, process.execPath, ...serve(data));
    expect(line).toContain("http://127.0.0.1:");
    const pid = Number(readFileSync(`${data}.pid`, "utf8"));
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0]).toBe("Z");
    new FileLock(data).release();
    const next = await start(process.execPath, ...serve(data));
    expect(next.line).toContain("http://127.0.0.1:");
  },
  60_000,
);

test.each([
  ["that holds null", (lock: string) => writeFileSync(lock, "null")],
  ["of an earlier version", (lock: string) => writeFileSync(lock, '{"pid":1,"started":"2"}')],
  ["that holds anything", (lock: string) => writeFileSync(lock, Buffer.alloc(5_000, 7))],
  ["that is a folder", (lock: string) => mkdirSync(lock)],
])("a lock %s ends the start with a sentence and exit code 2", async (_what, put) => {
  const data = dataPath();
  put(`${data}.lock`);
  const { exit, stderr } = await start(process.execPath, ...serve(data));
  expect(await exit).toEqual([2, null]);
  expect(await stderr).toContain(`${data}.lock is not a lock of this version.`);
  expect(await stderr).not.toContain("    at ");
});
