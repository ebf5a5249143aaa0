import { vi } from "vitest";

/**
 * Makes every turn as long as a turn may be, so that each piece of long work ends its turn as often as it can.
 * `vi.restoreAllMocks` ends it.
 */
export function makeTurnsShort(): void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000));
}
