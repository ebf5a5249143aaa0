import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { setTimeout as pause } from "node:timers/promises";

/** How long the rest of a killed group may take to end; what nobody waits for stays there as a zombie. */
const GROUP_END_MS = 200;

/** How many of the last lines of a command are shown. */
const LINES_SHOWN = 20;

const running = new Set<ProcessGroup>();

/** This process ends, and what it started with it. */
function killAll(): void {
  for (const group of running) group.kill();
}

function endWith(name: NodeJS.Signals): void {
  killAll();
  process.kill(process.pid, name);
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A shell command with all that it starts, in a process group of its own, so that nothing of it is left behind: not
 * after a kill, and not where this process ends first.
 */
export class ProcessGroup {
  /** What it ended with: an exit code or a signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends when nothing more can be read of it. */
  readonly #closed: Promise<void>;
  readonly #child: ChildProcess;
  readonly #outputMax: number;
  #output = "";

  /** `outputMax`: how many of the last characters of its output are kept. */
  constructor(command: string, env: NodeJS.ProcessEnv, outputMax = 64_000) {
    this.#outputMax = outputMax;
    const child = spawn(command, { shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"], env });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.#closed = closed;
    child.once("close", () => close());
    const { promise, resolve } = Promise.withResolvers<number | NodeJS.Signals>();
    this.ended = promise;
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 1));
    child.once("error", (error) => {
      this.#keep(error.message);
      close();
      resolve(127);
    });
    if (running.size === 0) {
      process.once("exit", killAll);
      for (const name of SIGNALS) process.once(name, endWith);
    }
    running.add(this);
  }

  /** The end of what it wrote, on both of its outputs. */
  get output(): string {
    return this.#output;
  }

  /** The last lines that it wrote, without colours. */
  get lastLines(): readonly string[] {
    return stripVTControlCharacters(this.#output).trimEnd().split("\n").slice(-LINES_SHOWN);
  }

  /** What it ended with; undefined while it runs. */
  get result(): number | NodeJS.Signals | undefined {
    return this.#child.signalCode ?? this.#child.exitCode ?? undefined;
  }

  /** Sends a signal to the whole group. */
  kill(name: NodeJS.Signals = "SIGKILL"): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, name);
    } catch {
      // All of it has ended.
    }
  }

  /** Kills what is left of it, after some time to end by itself, and waits until all of it is gone. */
  async end(waitMs = 0): Promise<void> {
    if (waitMs > 0 && this.result === undefined) {
      this.kill("SIGTERM");
      await Promise.race([this.ended, pause(waitMs, undefined, { ref: false })]);
    }
    this.kill();
    running.delete(this);
    if (running.size === 0) {
      process.off("exit", killAll);
      for (const name of SIGNALS) process.off(name, endWith);
    }
    await this.ended;
    // What the command itself started ends a moment later, and keeps its port until then.
    for (let waited = 0; this.#isAlive() && waited < GROUP_END_MS; waited++) await pause(1);
    await Promise.race([this.#closed, pause(GROUP_END_MS, undefined, { ref: false })]);
    // What left the group may keep them open, and this process with them.
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-this.#outputMax);
  }

  #isAlive(): boolean {
    try {
      return this.#child.pid !== undefined && process.kill(-this.#child.pid, 0);
    } catch {
      return false;
    }
  }
}
