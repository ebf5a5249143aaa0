import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import { hasProc, pidsOfGroup } from "../../../src/partner/processes.ts";
import { PartnerLife } from "../../../src/checks/explore/partner-system.ts";
import { type PartnerCommand, partnerCommand, resetOf } from "../../../src/checks/explore/partner-command.ts";
import { Stop } from "../../../src/base/stop.ts";
import { SpentTime } from "../../../src/base/spent-time.ts";
import { systemWall } from "../../../src/base/wall.ts";

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
