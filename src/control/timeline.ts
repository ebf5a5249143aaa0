import type { ControlRequest } from "./control.ts";
import { happeningLines } from "../worlds/happening.ts";

/** `GET /sandbox/timeline`: what happened in this world, oldest first; `about` keeps one object. */
export function showTimeline({ world, query }: ControlRequest): object {
  const { about } = query;
  const lines = happeningLines(world.journal.since(1));
  return { data: about === undefined ? lines : lines.filter((line) => line.objectId === about) };
}
