import type { AnsweredListener } from "../server/inbound-requests.ts";
import type { SimulationOptions } from "../engine/simulation.ts";
import { deliveries, type Delivery } from "../platform/webhook-events/delivery.ts";
import { isRecord, parsed } from "../engine/json.ts";
import { join } from "node:path";
import { openSync, writeSync } from "node:fs";
import { parseInstant } from "../engine/instant.ts";
import { threadId } from "node:worker_threads";
import { withoutQrImages } from "../webhooks/qr-images.ts";

/**
 * One line of the record of a sandbox. A call or a webhook belongs to a world, by a name that is unique in the file;
 * `set` has the assumptions that were set explicitly when the world was made, or later.
 */
export type RecordedLine =
  | { readonly kind: "made"; readonly set: readonly string[] }
  | { readonly kind: "consulted"; readonly assumption: string }
  | { readonly kind: "exchange"; readonly world: string; readonly name: string; readonly exchange: Exchange }
  | { readonly kind: "cut" };

/** A call with its answer, or an attempt of a webhook. Instants are seconds since the world's start. */
export interface Exchange {
  readonly of: "operation" | "event";
  readonly at?: string;
  readonly path?: string;
  readonly request: unknown;
  readonly status: number | null;
  readonly answer?: unknown;
  /** The keys of the platform's body in their order, which JSON does not compare. */
  readonly fields: string;
  readonly injected: readonly string[];
  readonly isSlow: boolean;
}

/** Files, bodies and consulted assumptions are bounded: past these nothing more is recorded. */
const FILES_MAX = 10_000;
const LINES_MAX = 100_000;
const TEXT_MAX = 16_000;

/** Faults that show in a body, or have had no effect on it: some answers have no amount. */
const SHOWN_BY_BODIES: ReadonlySet<string> = new Set(["other-amount", "failure", "answer-other-amount"]);

const SLOW_MS = 1_900;

/** Times before this one are not of the world's own clock. */
const DAY_MS = 86_400_000;

/**
 * Writes what happens in a sandbox to a file of its own in a folder, line by line, so that nothing is lost where the
 * process is killed.
 */
export class RunRecord {
  readonly #file: number;
  readonly #consulted = new Set<string>();
  readonly #runs = new WeakMap<object, { readonly name: string; readonly start: number }>();
  #runCount = 0;
  #lineCount = 0;

  constructor(folder: string) {
    this.#file = newFile(folder);
  }

  /** A world is made, or set, with these assumptions. */
  made(set: object): void {
    this.#write({ kind: "made", set: Object.keys(set) });
  }

  readonly consulted = (assumption: string): void => {
    if (this.#consulted.has(assumption)) return;
    this.#consulted.add(assumption);
    this.#write({ kind: "consulted", assumption });
  };

  /** Takes the webhook attempts that ended with an entry. */
  readonly audit: NonNullable<SimulationOptions["audit"]> = (simulation, { at, changes }) => {
    let run = this.#runs.get(simulation);
    if (run === undefined) {
      run = { name: `webhooks ${++this.#runCount}`, start: simulation.journal.since(1)[0]?.at ?? at };
      this.#runs.set(simulation, run);
    }
    for (const { collection, before, after } of changes) {
      if (collection !== deliveries.name || after === undefined) continue;
      const { attempts, event } = after as Delivery;
      const attempt = attempts.at(-1);
      if (
        attempt === undefined ||
        attempts.length === ((before as Delivery | undefined)?.attempts.length ?? 0)
      )
        continue;
      const { start } = run;
      const body = attempt.requestBody as string;
      this.#exchange(run.name, event, {
        of: "event",
        at: sinceStart(attempt.at, start),
        request: comparable(body, start),
        status: attempt.status,
        fields: fieldsOf(body),
        injected: attempt.injected.filter((effect) => !SHOWN_BY_BODIES.has(effect)),
        isSlow: false,
      });
    }
  };

  readonly answered: AnsweredListener = (
    { head, body, answer, injected },
    { operation, world, status, durationMs },
  ) => {
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
      request: comparable(body, start),
      status,
      ...(answer !== undefined && { answer: comparable(answer, start) }),
      fields: fieldsOf(answer ?? ""),
      injected: injected.filter((effect) => !SHOWN_BY_BODIES.has(effect)),
      isSlow: durationMs >= SLOW_MS,
    });
  };

  #exchange(world: string, name: string, exchange: Exchange): void {
    this.#write({ kind: "exchange", world, name, exchange });
  }

  #write(line: RecordedLine): void {
    if (++this.#lineCount > LINES_MAX + 1) return;
    const written: RecordedLine = this.#lineCount > LINES_MAX ? { kind: "cut" } : line;
    writeSync(this.#file, `${JSON.stringify(written)}\n`);
  }
}

/** The files of this module: tests may load it more than once in a thread. */
let fileCount = 0;

/** A file that no other sandbox of this process or of its other threads has. */
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

/** A body whose times are seconds since the world's start, with the number of digits that they were written with. */
function comparable(text: string | undefined, start: number): unknown {
  if (text === undefined || text.length > TEXT_MAX) return text?.slice(0, TEXT_MAX);
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)]));
    const digits = typeof value === "string" ? TIMESTAMP.exec(value) : null;
    if (digits === null) return value;
    const at = parseInstant(value as string) ?? 0;
    return at < start - DAY_MS ? value : `${sinceStart(at, start)} (${digits[1]?.length ?? 0} digits)`;
  };
  const undrawn = withoutQrImages(text);
  return walk(parsed(undrawn));
}

function sinceStart(at: number, start: number): string {
  return `${Math.floor((at - start) / 1_000)} s`;
}

function fieldsOf(text: string): string {
  return Array.from(text.slice(0, TEXT_MAX).matchAll(/"(\w+)":/g), ([, key]) => key).join(" ");
}
