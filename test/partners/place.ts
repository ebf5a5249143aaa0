import { systemWall, type Wall } from "../../src/base/wall.ts";

/** The computer of a partner: its clock, and the time that its work and its waiting take. */
export interface Place {
  readonly wall: Wall;
  readonly work: (ms: number) => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
}

/** This computer. Work of less than a millisecond takes some turns of the event loop. */
export const here: Place = {
  wall: systemWall,
  work: (ms) => systemWall.pause(ms < 1 ? 0 : ms),
  sleep: systemWall.pause,
};
