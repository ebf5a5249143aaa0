import type { RecordedStep } from "./steps.ts";
import { isRecord } from "../../engine/json.ts";

type Step = { readonly [key: string]: unknown };

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What a name may be that an expression reaches into. */
const KEY = /^[A-Za-z_][\w-]*$/;

interface Source {
  readonly index: number;
  readonly path: string;
}

/**
 * Makes the ids of a session readable: an id that came in an answer is saved there and named by the steps after
 * it, `${subscription.id}` in place of the id itself.
 */
export function withReferences(recorded: readonly RecordedStep[]): Step[] {
  const sources = new Map<string, Source>();
  const written = new Set<string>();
  const names = new Map<number, string>();
  const refer = (id: string): string => {
    const source = sources.get(id);
    if (source === undefined) {
      written.add(id);
      return id;
    }
    return `\${${nameOf(source.index)}.${source.path}}`;
  };
  const nameOf = (index: number): string => {
    const known = names.get(index);
    if (known !== undefined) return known;
    const noun = recorded[index]?.noun ?? "answer";
    const taken = new Set(names.values());
    let name = noun;
    for (let count = 2; taken.has(name); count++) name = `${noun}${count}`;
    names.set(index, name);
    return name;
  };
  const steps = recorded.map(({ step, noun, answer }, index) => {
    const { expect, ...asked } = step;
    const referring = mapTexts(asked, (text) => {
      const source = sources.get(text);
      return source === undefined ? text.replaceAll(ID, refer) : refer(text);
    }) as Step;
    if (noun !== undefined) {
      for (const [id, path] of idsIn(answer)) {
        if (!sources.has(id) && !written.has(id)) sources.set(id, { index, path });
      }
    }
    return { referring, expect };
  });
  return steps.map(({ referring, expect }, index) => {
    const save = names.get(index);
    return { ...referring, ...(save !== undefined && { save }), ...(expect !== undefined && { expect }) };
  });
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
