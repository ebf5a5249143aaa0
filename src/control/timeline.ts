import type { ControlRequest } from "./control.ts";
import { happeningLines } from "../worlds/happening.ts";
import { wholeNumber } from "./newest.ts";

/**
 * `GET /sandbox/timeline`: what happened in this world, oldest first; `about` keeps one object, `since` and
 * `until` the journal entries between two numbers, both inclusive. `next` is the number the next entry will
 * have: asked with it as `since`, the answer is what is new.
 */
export function showTimeline({ world, query }: ControlRequest): object {
  const { about, since = "1", until } = query;
  const last = until === undefined ? Infinity : wholeNumber("until", until);
  const { journal } = world;
  const entries = journal.since(wholeNumber("since", since)).filter(({ number }) => number <= last);
  const lines = happeningLines(entries);
  return {
    data: about === undefined ? lines : lines.filter((line) => line.objectId === about),
    next: journal.nextNumber,
  };
}
