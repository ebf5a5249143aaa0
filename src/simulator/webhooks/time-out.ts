import { clearTimeout, setTimeout } from "node:timers";

/** Waits for a promise, up to a time-out. */
export async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, timeoutMs);
  await Promise.race([promise, timeout.promise]);
  clearTimeout(timer);
}
