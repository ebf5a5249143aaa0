import type { Journal } from "../../simulator/engine/journal.ts";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import { join } from "node:path";
import { openSync, writeSync } from "node:fs";
import { parseInstant } from "../../simulator/engine/instant.ts";
import { threadId } from "node:worker_threads";

/**
 * One line of the record of a sandbox. A call or a webhook has the name of its world, which is unique in the file.
 * `set` has the assumptions that were set explicitly, at the start of the world or later.
 */
export type RecordedLine =
  | { readonly kind: "made"; readonly set: readonly string[] }
  | { readonly kind: "consulted"; readonly assumption: string }
  | {
      readonly kind: "exchange";
      readonly world: string;
      readonly name: string;
      readonly exchange: ServedCall;
    }
  | { readonly kind: "cut" };

/** A call with its answer, or an attempt of a webhook. Instants are seconds since the world's start. */
export interface ServedCall {
  readonly of: "operation" | "event";
  readonly at?: string;
  readonly path?: string;
  readonly request: unknown;
  readonly status: number | null;
  readonly answer?: unknown;
  /** The keys of the platform's body, in order. A comparison of JSON ignores their order. */
  readonly fields: string;
  readonly injected: readonly string[];
  readonly isSlow: boolean;
}

/** The limits for files, bodies and read assumptions. Above them nothing more is recorded. */
const FILES_MAX = 10_000;
const LINES_MAX = 100_000;
const TEXT_MAX = 16_000;

/** Faults that show in a body, or have had no effect on it: some answers have no amount. */
const SHOWN_BY_BODIES: ReadonlySet<string> = new Set(["other-amount", "failure", "answer-other-amount"]);

const SLOW_MS = 1_900;

/** Earlier times do not come from the world's clock. */
const DAY_MS = 86_400_000;

/** An answered request, as the server logs it. */
interface Answered {
  readonly inbound: {
    readonly head: { readonly method: string; readonly path: string };
    readonly body?: string | undefined;
    readonly answer?: string | undefined;
    readonly injected: readonly string[];
  };
  /** Undefined if the request is outside of the platform API. */
  readonly operation: string | undefined;
  readonly world: { readonly id: string; readonly settings: { readonly start: number | null } };
  /** Null if the connection was dropped. */
  readonly status: number | null;
  readonly durationMs: number;
}

/**
 * Writes the events of a sandbox to a separate file in a folder, line by line, so that all lines are kept if the
 * process is killed.
 */
export class TestRecorder {
  readonly #file: number;
  readonly #withoutImages: (text: string) => string;
  readonly #consulted = new Set<string>();
  readonly #runs = new WeakMap<object, { readonly name: string; readonly start: number }>();
  #runCount = 0;
  #lineCount = 0;

  /** `withoutImages` has a word in place of the images of QR codes in a body. */
  constructor(folder: string, withoutImages: (text: string) => string) {
    this.#file = newFile(folder);
    this.#withoutImages = withoutImages;
  }

  /** Records that a world is made, or set, with these assumptions. */
  made(set: object): void {
    this.#write({ kind: "made", set: Object.keys(set) });
  }

  readonly consulted = (assumption: string): void => {
    if (this.#consulted.has(assumption)) return;
    this.#consulted.add(assumption);
    this.#write({ kind: "consulted", assumption });
  };

  /** Records that an attempt of a webhook has ended in a simulation. */
  attempted(
    simulation: { readonly journal: Pick<Journal, "since"> },
    event: string,
    attempt: {
      readonly at: number;
      readonly body: string;
      readonly status: number | null;
      readonly injected: readonly string[];
    },
  ): void {
    const { at, body, status, injected } = attempt;
    let run = this.#runs.get(simulation);
    if (run === undefined) {
      run = { name: `webhooks ${++this.#runCount}`, start: simulation.journal.since(1)[0]?.at ?? at };
      this.#runs.set(simulation, run);
    }
    this.#exchange(run.name, event, {
      of: "event",
      at: sinceStart(at, run.start),
      request: this.#comparable(body, run.start),
      status,
      fields: fieldsOf(body),
      injected: injected.filter((effect) => !SHOWN_BY_BODIES.has(effect)),
      isSlow: false,
    });
  }

  /** A request was answered. */
  readonly answered = ({ inbound, operation, world, status, durationMs }: Answered): void => {
    const { head, body, answer, injected } = inbound;
    const { method, path } = head;
    if (/^(POST \/sandbox\/worlds|PATCH \/sandbox\/settings)\b/.test(`${method} ${path}`)) {
      const { assumptions } = (parsed(body ?? "") ?? {}) as { readonly assumptions?: object };
      if (status !== null && status < 300) this.made(assumptions ?? {});
    }
    if (operation === undefined) return;
    const start = world.settings.start ?? 0;
    this.#exchange(`calls ${world.id}`, operation, {
      of: "operation",
      path,
      request: this.#comparable(body, start),
      status,
      ...(answer !== undefined && { answer: this.#comparable(answer, start) }),
      fields: fieldsOf(answer ?? ""),
      injected: injected.filter((effect) => !SHOWN_BY_BODIES.has(effect)),
      isSlow: durationMs >= SLOW_MS,
    });
  };

  #comparable(text: string | undefined, start: number): unknown {
    if (text === undefined || text.length > TEXT_MAX) return text?.slice(0, TEXT_MAX);
    return comparable(parsed(this.#withoutImages(text)), start);
  }

  #exchange(world: string, name: string, exchange: ServedCall): void {
    this.#write({ kind: "exchange", world, name, exchange });
  }

  #write(line: RecordedLine): void {
    if (++this.#lineCount > LINES_MAX + 1) return;
    const written: RecordedLine = this.#lineCount > LINES_MAX ? { kind: "cut" } : line;
    writeSync(this.#file, `${JSON.stringify(written)}\n`);
  }
}

/** The number of files of this module. Tests may load the module more than once in a thread. */
let fileCount = 0;

/** Opens a file that no other sandbox of this process or of its other threads has. */
function newFile(folder: string): number {
  while (fileCount < FILES_MAX) {
    try {
      return openSync(join(folder, `${process.pid}-${threadId}-${++fileCount}.jsonl`), "wx");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(`Failed to record the run in ${folder}: it has ${FILES_MAX} files. Name an empty folder.`);
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/;

/** Turns the times in a value into seconds since the world's start, with their written number of digits. */
function comparable(value: unknown, start: number): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, start));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item, start)]));
  const digits = typeof value === "string" ? TIMESTAMP.exec(value) : null;
  if (digits === null) return value;
  const at = parseInstant(value as string) ?? 0;
  return at < start - DAY_MS ? value : `${sinceStart(at, start)} (${digits[1]?.length ?? 0} digits)`;
}

function sinceStart(at: number, start: number): string {
  return `${Math.floor((at - start) / 1_000)} s`;
}

function fieldsOf(text: string): string {
  return Array.from(text.slice(0, TEXT_MAX).matchAll(/"(\w+)":/g), ([, key]) => key).join(" ");
}
