import { endWith } from "./exit-code.ts";
import { visibleLines } from "../base/visible-text.ts";

/** The errors of a pipe whose reader left, and of a terminal that was closed. */
const LEFT: ReadonlySet<string | undefined> = new Set(["EPIPE", "ECONNRESET", "EIO"]);

/** True if the reader of a stream left, as `head` does after its lines. Otherwise the text itself was not written. */
function hasLeft({ code }: NodeJS.ErrnoException): boolean {
  return LEFT.has(code);
}

/**
 * Lets every command continue without its output if the reader leaves: a server still serves, and a test still writes
 * its reports and ends with the code of its verdict. If a file takes no more output, the command also continues, but it
 * does not end with 0.
 */
export function outliveReaders(): void {
  let isReported = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (isReported || hasLeft(error)) return;
    isReported = true;
    process.stderr.write(`Failed to write standard output: ${error.message}. Write it to another place.\n`);
    process.once("exit", () => {
      if (Number(process.exitCode ?? 0) === 0) endWith("failed");
    });
  });
  process.stderr.on("error", () => undefined);
}

/** Writes text to standard output. Texts of other systems in it do not control the terminal. */
export function print(text: string): void {
  process.stdout.write(visibleLines(text));
}

/** Writes text to standard error. Texts of other systems in it do not control the terminal. */
export function note(text: string): void {
  process.stderr.write(visibleLines(text));
}
