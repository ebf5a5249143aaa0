import type { Finished } from "../cli/command.ts";
import { runCommandLine } from "../../src/cli/command-line.ts";

/**
 * Runs `sandbank` in this process and returns what it wrote and its exit code. It saves the start of a process
 * for each command; `sandbank` of `test/cli` is for tests of the process itself. One command at a time.
 */
export async function runHere(...args: readonly string[]): Promise<Finished> {
  const written = { stdout: "", stderr: "" };
  const streams = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
    return { stream, write };
  });
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await runCommandLine(args);
    // It is set again by the command, which the compiler does not see.
    const code = process.exitCode as number | undefined;
    return { code: code ?? 0, out: written.stdout, err: written.stderr };
  } finally {
    process.exitCode = before;
    for (const { stream, write } of streams) stream.write = write;
  }
}
