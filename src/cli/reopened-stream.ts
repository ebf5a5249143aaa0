import type { ControlFailure } from "../server/control/client.js";
import type { Wall } from "../base/wall.ts";

/** The time for reopening a stream that has ended: its world may be on its way to another server. */
export const REOPEN_MS = 500;
const REOPEN_MAX_MS = 60_000;

/** Opens a stream again. Undefined if this is not possible. */
export async function reopenedStream(
  open: () => Promise<Response>,
  wall: Wall,
): Promise<Response | undefined> {
  for (const until = wall.now() + REOPEN_MAX_MS; wall.now() < until; await wall.pause(REOPEN_MS)) {
    const opened = await open().catch((error: ControlFailure) => error);
    if (!(opened instanceof Error)) return opened;
    // A balancer in front of several servers may not have noticed yet that one is gone.
    if (opened.status === undefined || opened.status < 500) return undefined;
  }
  return undefined;
}
