import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { hasProc, pidsOfGroup, processesWith } from "./processes.ts";
import { type Wall, within } from "../base/wall.ts";

/** The time that the rest of a killed group may take to end. A process without a waiting parent stays as a zombie. */
const GROUP_END_MS = 200;

/** The variable that marks every descendant of a command, also in a separate session. */
const MARK = "SANDBANK_PROCESS_GROUP";

/** The number of the last lines of a command that are shown. */
const LINES_SHOWN = 20;

const running = new Set<ProcessGroup>();

/** The commands of left processes that were named on standard error. */
const named = new Set<string>();

/** Kills what this process started. */
function killAll(): void {
  for (const group of running) group.kill();
}

/** Ends this process as its signal asks, unless other code decides about that. */
function endWith(name: NodeJS.Signals): void {
  if (process.listenerCount(name) > 0) return;
  killAll();
  process.kill(process.pid, name);
}

/** The rest of a group is killed in at most this many turns. */
const TURNS_MAX = 3;

let count = 0;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A shell command with its processes, in a separate process group. No process of the group is left behind, neither
 * after a kill nor if this process ends first.
 */
export class ProcessGroup {
  /** The result of the command: an exit code or a signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves when all its output has been read. */
  readonly #closed: Promise<void>;
  readonly #child: ChildProcess;
  readonly #outputMax: number;
  readonly #wall: Wall;
  readonly #mark = `${process.pid}-${++count}`;
  #output = "";
  #hasLeft = false;

  constructor(
    command: string,
    {
      env,
      wall,
      outputMax = 64_000,
    }: {
      readonly env: NodeJS.ProcessEnv;
      readonly wall: Wall;
      /** The number of the last characters of its output that are kept. */
      readonly outputMax?: number;
    },
  ) {
    this.#outputMax = outputMax;
    this.#wall = wall;
    const child = spawn(command, {
      shell: true,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, [MARK]: this.#mark },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.#closed = closed;
    child.once("close", () => close());
    const { promise, resolve } = Promise.withResolvers<number | NodeJS.Signals>();
    this.ended = promise;
    child.once("exit", (code, signal) => {
      this.#killRest();
      resolve(signal ?? code ?? 1);
    });
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

  /** The end of its output, from both streams. */
  get output(): string {
    return this.#output;
  }

  /** The last lines that it wrote, without colours. */
  get lastLines(): readonly string[] {
    return stripVTControlCharacters(this.#output).trimEnd().split("\n").slice(-LINES_SHOWN);
  }

  /** The result of the command. Undefined while it runs. */
  get result(): number | NodeJS.Signals | undefined {
    return this.#child.signalCode ?? this.#child.exitCode ?? undefined;
  }

  /** Returns the ids of its processes. Empty once the command has ended, or if `/proc` is missing. */
  get pids(): readonly number[] {
    return this.#hasLeft || this.#child.pid === undefined ? [] : pidsOfGroup(this.#child.pid);
  }

  /**
   * Sends a signal to the whole group. Does nothing after the end of the command, because another process may have its
   * id.
   */
  kill(name: NodeJS.Signals = "SIGKILL"): void {
    if (this.#child.pid === undefined || this.#hasLeft) return;
    try {
      process.kill(-this.#child.pid, name);
    } catch {
      // All of it has ended.
    }
  }

  /**
   * Kills the rest of the group, after some time to end normally, and waits until all of it has ended. Names the
   * processes that still run because they left the group.
   */
  async end(waitMs = 0): Promise<void> {
    if (waitMs > 0 && this.result === undefined) {
      this.kill("SIGTERM");
      await within(() => this.ended, { ms: waitMs, late: undefined, wall: this.#wall });
    }
    this.kill();
    running.delete(this);
    if (running.size === 0) {
      process.off("exit", killAll);
      for (const name of SIGNALS) process.off(name, endWith);
    }
    await this.ended;
    await within(() => this.#closed, { ms: GROUP_END_MS, late: undefined, wall: this.#wall });
    // A process that left the group may keep them open, and this process with them.
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
    for (const { pid, command } of await this.#left()) {
      if (named.has(command)) continue;
      named.add(command);
      process.stderr.write(
        `A process is left: ${command} (process ${pid}). It runs in a session of its own. End it, and let your command end what it starts.\n`,
      );
    }
  }

  /** Kills the rest of the group as soon as its command ends, while the rest still holds its id. */
  #killRest(): void {
    const { pid } = this.#child;
    if (!hasProc) this.kill();
    // A process that starts another process during the turn is found in the next turn.
    for (let turn = 0; turn < TURNS_MAX; turn++) for (const one of pidsOfGroup(pid ?? 0)) kill(one);
    this.#hasLeft = true;
  }

  /** Waits until its processes have ended. Returns the processes that still run. */
  async #left(): Promise<ReturnType<typeof processesWith>> {
    const endMs = this.#wall.now() + GROUP_END_MS;
    for (;;) {
      const left = processesWith(MARK, this.#mark);
      if (left.length === 0 || this.#wall.now() >= endMs) return left;
      await this.#wall.pause(5);
    }
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-this.#outputMax);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
