import type { Wall } from "../base/wall.ts";

const TICK_MS = 50;

/** A tick may be late by this much on a quiet machine. */
const USUAL_MS = 10;

/**
 * Begins to measure how late this process does its work. Returns the function that ends the measurement, with the sum
 * of the delays in milliseconds. A time that is measured between may be too long by this sum.
 */
export function measureLateness(wall: Wall): () => number {
  let totalMs = 0;
  let dueMs = wall.now() + TICK_MS;
  let tick = wall.deadline(TICK_MS, next);

  function addDelay(): void {
    const delayMs = wall.now() - dueMs;
    if (delayMs > USUAL_MS) totalMs += delayMs;
  }

  function next(): void {
    addDelay();
    dueMs = wall.now() + TICK_MS;
    tick = wall.deadline(TICK_MS, next);
  }

  return () => {
    addDelay();
    tick[Symbol.dispose]();
    return Math.round(totalMs);
  };
}
