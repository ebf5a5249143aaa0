import type { RecordedStep } from "./steps.ts";
import { mapTexts } from "../expression.ts";
import { type JsonObject, isRecord } from "../../simulator/engine/json.ts";
import { UUID_PATTERN } from "../../simulator/engine/uuid.ts";

const ID_LENGTH = 36;
const ID = new RegExp(UUID_PATTERN, "g");

/** The form of a name that an expression can contain. */
const KEY = /^[A-Za-z_][\w-]*$/;

/** The origin of an id: the answer of a step. The answer is saved under a name once a later step refers to it. */
interface Source {
  readonly index: number;
  readonly path: string;
  readonly noun: string;
}

/**
 * Makes the ids of a session readable. An id that came in an answer is saved there, and later steps name it:
 * `${subscription.id}` in place of the id itself. All steps are read before the first is written, because a step is
 * saved only if a later step refers to it.
 */
export class References {
  readonly #sources = new Map<string, Source>();
  /** Ids that a step used before any answer contained them. */
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
    eachText(answer, (text, place) => {
      if (!isIdOrToken(text, place) || this.#sources.has(text) || this.#unexplained.has(text)) return;
      const path = pathOf(place);
      if (path !== undefined) this.#sources.set(text, { index, path, noun });
    });
  }

  /** Reads a value of the next step. */
  readItem(value: unknown): void {
    const refer = (id: string): void => {
      const source = this.#sources.get(id);
      if (source === undefined) this.#unexplained.add(id);
      else this.#name(source);
    };
    eachText(value, (text) => {
      if (this.#sources.has(text)) refer(text);
      else if (text.length >= ID_LENGTH) for (const [id] of text.matchAll(ID)) refer(id);
    });
  }

  /** Returns the step of that index with its references, and the name for saving its answer. */
  written({ step }: RecordedStep, index: number): JsonObject {
    const { expect, ...asked } = step;
    const save = this.#names.get(index);
    return {
      ...(this.writtenItem(asked, index) as JsonObject),
      ...(save !== undefined && { save }),
      ...(expect !== undefined && { expect }),
    };
  }

  /** Returns a value of the step of that index with its references. */
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

/** The position of a value inside another value, from the inside out. Undefined for the whole. */
type Place = { readonly key: string | number; readonly parent: Place } | undefined;

/** Calls it for each text of a value with its place. An answer may have thousands: no list of them is made. */
function eachText(value: unknown, visit: (text: string, place: Place) => void, place?: Place): void {
  if (typeof value === "string") visit(value, place);
  else if (Array.isArray(value))
    for (const [key, item] of value.entries()) eachText(item, visit, { key, parent: place });
  else if (isRecord(value))
    for (const key of Object.keys(value)) eachText(value[key], visit, { key, parent: place });
}

function isIdOrToken(text: string, place: Place): boolean {
  if (text.length === ID_LENGTH && text.replace(ID, "") === "") return true;
  return place?.key === "access_token" && place.parent === undefined;
}

/** Returns the position as an expression writes it. Undefined if an expression cannot reach it. */
function pathOf(place: Place): string | undefined {
  const keys: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) keys.unshift(at.key);
  return keys.every((key) => typeof key === "number" || KEY.test(key)) ? keys.join(".") : undefined;
}
