import { expect, test } from "vitest";
import { hasProc, pidsOfGroup } from "../../../src/tools/partner/processes.ts";
import { PartnerLife } from "../../../src/tools/explore/partner-system.ts";
import { type PartnerCommand, partnerCommand } from "../../../src/tools/explore/partner-command.ts";
import { systemWall } from "../../../src/tools/wall.ts";

/** A system that never accepts requests. Nothing listens on this port. */
const command = {
  command: "sleep 30",
  readyUrl: "http://127.0.0.1:1/",
  timeoutMs: 20_000,
  isFollower: false,
};

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
  const life = new PartnerLife(partner);
  await life.kill();
  await partner.end();
  await expect(life.ready).rejects.toThrow("everything was ended before");
  expect(pids(partner)).toEqual([]);
});
