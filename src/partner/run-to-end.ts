import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { tmpdir } from "node:os";
import { type Wall, within } from "../base/wall.ts";

/** The number of the last bytes and lines of a command that are shown. */
const BYTES_SHOWN = 4_096;
const LINES_SHOWN = 20;

/**
 * Runs a shell command to its end. Processes that the command leaves in the background live on. Returns the problem, for
 * the end of a sentence. Undefined after exit code 0.
 */
export async function runToEnd(
  command: string,
  {
    env,
    wall,
    timeoutMs,
  }: { readonly env: NodeJS.ProcessEnv; readonly wall: Wall; readonly timeoutMs: number },
): Promise<string | undefined> {
  // A pipe would break when this process ends, and end the processes in the background with it.
  const output = openOutput();
  try {
    const child = spawn(command, { shell: true, detached: true, stdio: ["ignore", output, output], env });
    const { promise: ended, resolve } = Promise.withResolvers<number | NodeJS.Signals>();
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 1));
    child.once("error", () => resolve(127));
    const result = await within(() => ended, { ms: timeoutMs, late: undefined, wall });
    if (result === 0) return undefined;
    if (result === undefined && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    const found =
      result === undefined ? `did not end within ${timeoutMs} ms` : `ended with ${resultWords(result)}`;
    return `it ${found}.${lastLinesWords(lastLinesIn(output))}`;
  } finally {
    closeSync(output);
  }
}

/** Names the end of a command. */
export function resultWords(result: number | NodeJS.Signals): string {
  return typeof result === "number" ? `exit code ${result}` : result;
}

/** Returns the last lines of a command, for the end of a sentence. */
export function lastLinesWords(lines: readonly string[]): string {
  const text = lines.join("\n");
  return text === "" ? " It wrote nothing." : ` Its last lines:\n${text}`;
}

/** Opens a file without a name. It is gone as soon as no process has it open. */
function openOutput(): number {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-command-"));
  try {
    return openSync(join(folder, "output"), "w+");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lastLinesIn(output: number): string[] {
  const bytes = Buffer.alloc(BYTES_SHOWN);
  const from = Math.max(0, fstatSync(output).size - BYTES_SHOWN);
  const count = readSync(output, bytes, 0, BYTES_SHOWN, from);
  const text = stripVTControlCharacters(bytes.toString("utf8", 0, count));
  return text.trimEnd().split("\n").slice(-LINES_SHOWN);
}
