const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The exit code of a command that a second Ctrl-C ended. */
const INTERRUPTED = 130;

/** Lets a command end at the first Ctrl-C with its results so far. A second one ends it at once. */
export function interruption(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const end = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    process.stderr.write("\nInterrupted: the results so far follow.\n");
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, end);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, end);
    },
  };
}
