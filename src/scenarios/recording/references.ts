import type { RecordedStep } from "./steps.ts";
import { isRecord } from "../../engine/json.ts";

type Step = { readonly [key: string]: unknown };

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What a name may be that an expression reaches into. */
const KEY = /^[A-Za-z_][\w-]*$/;

/** Where an id came from: the answer of a step, which is saved under a name once a later step refers to it. */
interface Source {
  readonly index: number;
  readonly path: string;
  readonly noun: string;
}

/**
 * Makes the ids of a session readable: an id that came in an answer is saved there and named by the steps after it,
 * `${subscription.id}` in place of the id itself. All steps are read before the first is written, because a step is
 * saved only where a later one refers to it.
 */
export class References {
  readonly #sources = new Map<string, Source>();
  /** Ids that a step had before any answer. */
  readonly #unexplained = new Set<string>();
  readonly #names = new Map<number, string>();
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();
  #readCount = 0;

  /** Reads the next step, after its items. */
  read({ step, noun, answer }: RecordedStep): void {
    const { expect: _expect, ...asked } = step;
    this.readItem(asked);
    const index = this.#readCount++;
    if (noun === undefined) return;
    for (const [id, path] of idsIn(answer)) {
      if (!this.#sources.has(id) && !this.#unexplained.has(id)) this.#sources.set(id, { index, path, noun });
    }
  }

  /** Reads a value of the next step. */
  readItem(value: unknown): void {
    const refer = (id: string): string => {
      const source = this.#sources.get(id);
      if (source === undefined) this.#unexplained.add(id);
      else this.#name(source);
      return id;
    };
    mapTexts(value, (text) => (this.#sources.has(text) ? refer(text) : text.replaceAll(ID, refer)));
  }

  /** The step of that index with its references, and the name under which its answer is saved. */
  written({ step }: RecordedStep, index: number): Step {
    const { expect, ...asked } = step;
    const save = this.#names.get(index);
    return {
      ...(this.writtenItem(asked, index) as Step),
      ...(save !== undefined && { save }),
      ...(expect !== undefined && { expect }),
    };
  }

  /** A value of the step of that index with its references. */
  writtenItem(value: unknown, index: number): unknown {
    const refer = (id: string): string => {
      const source = this.#sources.get(id);
      if (source === undefined || source.index >= index) return id;
      return `\${${this.#name(source)}.${source.path}}`;
    };
    return mapTexts(value, (text) => (this.#sources.has(text) ? refer(text) : text.replaceAll(ID, refer)));
  }

  #name({ index, noun }: Source): string {
    const known = this.#names.get(index);
    if (known !== undefined) return known;
    let name = noun;
    let count = this.#counts.get(noun) ?? 1;
    while (this.#taken.has(name)) name = `${noun}${++count}`;
    this.#counts.set(noun, count);
    this.#taken.add(name);
    this.#names.set(index, name);
    return name;
  }
}

/** The ids and tokens in an answer, with the path of each. */
function idsIn(value: unknown, path = ""): [id: string, path: string][] {
  if (typeof value === "string") {
    const isId = value.length === 36 && value.replaceAll(ID, "") === "";
    return isId || path === "access_token" ? [[value, path]] : [];
  }
  const entries = Array.isArray(value)
    ? Array.from(value.entries())
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return entries
    .filter(([key]) => typeof key === "number" || KEY.test(key))
    .flatMap(([key, item]) => idsIn(item, path === "" ? String(key) : `${path}.${key}`));
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
