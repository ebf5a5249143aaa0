import { closest, distance } from "fastest-levenshtein";
import type { Place } from "./scenario.ts";

/** Something wrong in a scenario file: a usage error, told before anything runs. */
export interface ScenarioMistake extends Place {
  readonly file: string;
  /** What was found, and what would be right. */
  readonly message: string;
}

/** `file:line:column: message`, the form that terminals and editors turn into a link. */
export function formatMistake(mistake: ScenarioMistake): string {
  return `${mistake.file}:${mistake.line}:${mistake.column}: ${mistake.message}`;
}

/** More words than these tell a reader less than the nearest of them. */
const LISTED_MAX = 40;

/** "Did you mean `x`?" where a known word is close to the one written, else the list of what is known. */
export function suggestion(written: string, known: readonly string[]): string {
  if (known.length === 0) return "There is none to choose from.";
  const near = closest(
    written.toLowerCase(),
    [...known].map((word) => word.toLowerCase()),
  );
  const word = known.find((candidate) => candidate.toLowerCase() === near) ?? near;
  if (distance(written.toLowerCase(), near) <= Math.max(2, Math.floor(word.length / 3))) {
    return `Did you mean \`${word}\`?`;
  }
  if (known.length > LISTED_MAX) return `The nearest is \`${word}\`.`;
  return known.length === 1 ? `Only ${list(known)} is known.` : `It can be ${list(known)}.`;
}

/** `a`, `b` or `c`. */
export function list(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

/** A value as it may stand in a sentence: short, on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
