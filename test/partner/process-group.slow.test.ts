import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { activityOf, hasProc } from "../../src/partner/processes.ts";
import { ProcessGroup } from "../../src/partner/process-group.ts";
import { systemWall } from "../../src/base/wall.ts";

const options = { env: process.env, wall: systemWall };

describe("a process group", () => {
  test("gets no signal once its command has ended, because its id may be another's", async () => {
    const group = new ProcessGroup("true", options);
    await group.ended;
    const kill = vi.spyOn(process, "kill");
    group.kill();
    await group.end(1_000);
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
  });

  test.runIf(hasProc)("leaves no process behind that outlives its command", async () => {
    const group = new ProcessGroup("sleep 30 & echo $!", options);
    await group.ended;
    expect(await group.end()).toEqual([]);
    const path = `/proc/${group.output.trim()}/stat`;
    // Without a parent that looks, an ended process stays as a zombie.
    expect(existsSync(path) ? readFileSync(path, "utf8") : ") Z").toContain(") Z");
  });

  test.runIf(hasProc)("reports a process that left it for a session of its own", async () => {
    const group = new ProcessGroup("setsid sh -c 'echo ready; exec sleep 30' & wait", options);
    while (group.output === "") await systemWall.pause(5);
    const [left = ""] = await group.end();
    expect(left).toMatch(/^sleep 30 \(process \d+\)$/);
    process.kill(Number(/\d+(?=\)$)/.exec(left)), "SIGKILL");
  });

  test.runIf(hasProc)("shows whether its threads run, and for how long", async () => {
    const group = new ProcessGroup("while :; do :; done", options);
    const before = activityOf(group.pids);
    while (activityOf(group.pids).ranMs <= before.ranMs) await systemWall.pause(5);
    expect(activityOf(group.pids).isBusy).toBe(true);
    await group.end();
    expect(group.pids).toEqual([]);
  });
});
