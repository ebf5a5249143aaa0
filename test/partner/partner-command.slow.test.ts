import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { hasProc, pidsOfGroup } from "../../src/partner/processes.ts";
import { freePort } from "../free-port.ts";
import { PartnerLife } from "../../src/partner/partner-system.ts";
import { type PartnerCommand, partnerCommand, resetOf } from "../../src/partner/partner-command.ts";
import { runToEnd } from "../../src/partner/run-to-end.ts";
import { Stop } from "../../src/base/stop.ts";
import { SpentTime } from "../../src/base/spent-time.ts";
import { systemWall } from "../../src/base/wall.ts";

/** A system that never accepts requests. Nothing listens on this port. */
const command = {
  command: "sleep 30",
  readyUrl: "http://127.0.0.1:1/",
  timeoutMs: 20_000,
  isFollower: false,
};

/** Returns true for a process that has not ended. A zombie has ended. */
function isRunning(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
}

const pids = (partner: PartnerCommand): readonly number[] => partner.pids?.() ?? [];

test.runIf(hasProc)("a start that is under way at the end leaves no process behind", async () => {
  const partner = partnerCommand(command);
  const starting = partner.start();
  // It is refused before the end is over.
  starting.catch(() => undefined);
  while (pids(partner).length === 0) await systemWall.pause(5);
  const [leader = 0] = pids(partner);
  await partner.end();
  await expect(starting).rejects.toThrow("everything was ended before");
  expect(pidsOfGroup(leader)).toEqual([]);
});

test.runIf(hasProc)("a system that was killed does not start again after the end", async () => {
  const partner = partnerCommand(command);
  const life = new PartnerLife(partner, new SpentTime(systemWall));
  await life.kill();
  await partner.end();
  await expect(life.ready).rejects.toThrow("everything was ended before");
  expect(pids(partner)).toEqual([]);
});

test.runIf(hasProc)("a reset that is interrupted leaves no process of its command behind", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "sandbank-reset-")), "child.txt");
  const reset = resetOf({ url: undefined, command: `sleep 30 & echo $! > ${file}; wait` });
  const controller = new AbortController();
  using stop = new Stop(systemWall, controller.signal);
  const resetting = assertDefined(reset, "a reset")(stop.wall);
  resetting.catch(() => undefined);
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await systemWall.pause(5);
  controller.abort();
  await expect(resetting).rejects.toThrow("it was interrupted");
  // A killed process ends soon after its signal. If it does not, this test takes too long.
  while (isRunning(readFileSync(file, "utf8").trim())) await systemWall.pause(5);
});

test("a reset that fails says how its command ended, and what it wrote", async () => {
  const reset = resetOf({ url: undefined, command: "echo the database is away >&2; exit 3" });
  await expect(reset?.(systemWall)).rejects.toThrow(
    "Failed to reset your system with `echo the database is away >&2; exit 3`: it ended with exit code 3. Its last lines:\nthe database is away\nLet it end with exit code 0.",
  );
});

/** Returns the partner of a program that runs a small server in the background. */
async function managed(more: { readonly start?: string; readonly stop?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-managed-"));
  const url = `http://127.0.0.1:${await freePort()}/`;
  const server = `require("http").createServer((_, answer) => { console.log("asked"); answer.end("{}"); }).listen(${new URL(url).port}, "127.0.0.1")`;
  const commands = {
    start: `'${process.execPath}' -e '${server}' & echo $! > '${folder}/pid'`,
    stop: `kill -9 $(cat '${folder}/pid')`,
    ...more,
  };
  const isUp = async (): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  const partner = (given = commands): PartnerCommand =>
    partnerCommand({ ...command, command: given, readyUrl: url });
  const byHand = async (one: string): Promise<void> =>
    expect(await runToEnd(one, { env: process.env, wall: systemWall, timeoutMs: 20_000 })).toBeUndefined();
  return { partner: partner(), another: partner, isUp, byHand, commands };
}

test("a system of another program is killed and started again, and ends as it was found", async () => {
  const { partner, another, isUp, byHand, commands } = await managed();
  await partner.start();
  await partner.kill();
  expect(await isUp()).toBe(false);
  await partner.start();
  expect(await isUp()).toBe(true);
  await partner.end();
  expect(await isUp()).toBe(false);

  await byHand(commands.start);
  await expect.poll(isUp).toBe(true);
  const found = another();
  await found.start();
  await found.kill();
  await found.end();
  await expect.poll(isUp).toBe(true);
  await byHand(commands.stop);
});

test("a system of another program that has ended by itself is started again", async () => {
  const { partner, isUp, byHand, commands } = await managed();
  await partner.start();
  await byHand(commands.stop);
  await partner.kill();
  await partner.start();
  expect(await isUp()).toBe(true);
  await partner.end();
});

test("a command of another program that fails is shown with its last lines", async () => {
  const start = "echo no such container >&2; exit 125";
  await expect((await managed({ start })).partner.start()).rejects.toThrow(
    `Failed to start your system with \`${start}\`: it ended with exit code 125. Its last lines:\nno such container\nLet it end with exit code 0.`,
  );
  const { another, isUp, byHand, commands } = await managed();
  await byHand(commands.start);
  await expect.poll(isUp).toBe(true);
  for (const [stop, problem] of [
    [
      "echo not allowed; exit 1",
      "it was not stopped by `echo not allowed; exit 1`: it ended with exit code 1.",
    ],
    [
      "true",
      "still answers after `true`. Let --partner-stop kill your system, and let no other program start it again.",
    ],
  ] as const) {
    const partner = another({ ...commands, stop });
    await partner.start();
    await partner.kill();
    await expect(partner.start()).rejects.toThrow(problem);
    await partner.end();
  }
  await byHand(commands.stop);
});
