/** The longest a Node timer waits. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** Wakes a running world when its next timer is due. It keeps no process alive. */
export class WorldAlarm {
  readonly #ring: () => void;
  #timeout: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings once after `delayMs` of wall time, in place of what was set before; undefined rings no more. */
  set(delayMs: number | undefined): void {
    clearTimeout(this.#timeout);
    if (delayMs === undefined) return;
    this.#timeout = setTimeout(this.#ring, Math.ceil(Math.min(Math.max(0, delayMs), DELAY_MAX_MS)));
    this.#timeout.unref();
  }
}
