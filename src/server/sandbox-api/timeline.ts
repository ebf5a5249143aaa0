import type { ControlRequest } from "./control.ts";
import { causesOf, timelineLines } from "../../worlds/timeline.ts";
import { wholeNumber } from "./newest.ts";

/**
 * `GET /sandbox/timeline`: what happened in this world, oldest first; `about` keeps one
 * object or delivery with the chain of causes that led to it, `since` and
 * `until` the journal entries between two numbers, both inclusive. `next` is the number the next entry will
 * have: asked with it as `since`, the answer is what is new.
 */
export function showTimeline({ world, query }: ControlRequest): object {
  const { about, since = "1", until } = query;
  const last = until === undefined ? Infinity : wholeNumber("until", until);
  const first = wholeNumber("since", since);
  const { journal } = world;
  const lines = about === undefined ? timelineLines(journal.since(first)) : causesOf(world, about);
  return {
    data: lines.filter(({ entry }) => entry >= first && entry <= last),
    next: journal.nextNumber,
  };
}
