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
    await group.end();
    const path = `/proc/${group.output.trim()}/stat`;
    // Without a parent that looks, an ended process stays as a zombie.
    expect(existsSync(path) ? readFileSync(path, "utf8") : ") Z").toContain(") Z");
  });

  test.runIf(hasProc)("names a process that left it for a session of its own, once", async () => {
    const written: string[] = [];
    const writing = vi
      .spyOn(process.stderr, "write")
      .mockImplementation((text) => written.push(String(text)) > 0);
    const group = new ProcessGroup("setsid sh -c 'echo ready; exec sleep 30' & wait", options);
    while (group.output === "") await systemWall.pause(5);
    await group.end();
    await group.end();
    writing.mockRestore();
    expect(written).toEqual([
      expect.stringMatching(
        /^A process is left: sleep 30 \(process \d+\)\. It runs in a session of its own\. End it, and let your command end what it starts\.\n$/,
      ),
    ]);
    process.kill(Number(/process (\d+)/.exec(written[0] ?? "")?.[1]), "SIGKILL");
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
