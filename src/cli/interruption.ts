import { note } from "./standard-streams.ts";
import { CommandFailure } from "../base/failures.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The exit code of a command that a second Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Lets a command end at the first Ctrl-C with its results so far. A second one ends it at once. `task` is the work in
 * words, for the error message.
 */
export function interruption(task: string): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const end = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    note("\nInterrupted: the results so far follow.\n");
    controller.abort(
      new CommandFailure(
        `Failed to ${task}: the command was ended by ${name}. Run it again for a whole result.`,
      ),
    );
  };
  for (const name of SIGNALS) process.on(name, end);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, end);
    },
  };
}
