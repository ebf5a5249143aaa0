import { clearTimeout, setImmediate, setTimeout } from "node:timers";

/** How long no command has changed a world when it is quiet, in wall time. */
const QUIET_MS = 250;

/** Whether a world is quiet: no command has changed it for {@link QUIET_MS}. */
export class Quiet {
  #timer: NodeJS.Timeout | undefined;
  #isQuiet = false;
  #isClosed = false;

  /** A command from outside changed the world: the time without a command begins again. */
  commandTaken(): void {
    this.#isQuiet = false;
    this.#timer?.refresh();
  }

  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Calls back once the world is quiet, unless another call waits for that. It does not keep the process alive. */
  once(quiet: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isQuiet = true;
      // A request that arrived while this process was busy is read before.
      setImmediate(() => {
        if (!this.#isClosed) quiet();
      });
    }, QUIET_MS).unref();
  }

  /** Calls nobody back any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
