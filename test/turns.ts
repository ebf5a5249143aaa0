import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/**
 * Waits for that many turns of the event loop. It is how a receiver in a test is slower than another one: counted and
 * not timed, so that the order of answers is mixed on a quick and on a busy machine alike.
 */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await yieldToEventLoop();
}
