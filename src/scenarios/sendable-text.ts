import type { NoteMistake } from "./context.ts";
import { hasExpression } from "./expression.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import type { Path } from "./source.ts";

/** The part of a request that a text is sent in. */
export type SentPart = "header" | "path" | "query";

/** Characters that no header can have. */
// oxlint-disable-next-line no-control-regex
const NOT_IN_A_HEADER = /[^\t\u0020-\u007E\u0080-\u00FF]/u;

/** Says why a text would arrive changed, or not at all. Undefined for all other texts. */
export function sendProblem(part: SentPart, text: string): string | undefined {
  if (/\p{Surrogate}/u.test(text)) return "it has half of a character. Write the whole character.";
  if (part === "path" && /^\.\.?$/.test(text)) return `a URL has no part \`${text}\`. Write another value.`;
  if (part !== "header") return undefined;
  const [wrong] = NOT_IN_A_HEADER.exec(text) ?? [];
  if (wrong !== undefined) {
    const code = (wrong.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `a header cannot have the character U+${code}. Write characters of Latin-1, on one line.`;
  }
  return /^[ \t]|[ \t]$/.test(text)
    ? "HTTP removes blanks around the value of a header. Leave them out."
    : undefined;
}

/** The fields of a step whose values are sent in a part of a request. */
const FIELDS: readonly (readonly [field: string, part: SentPart])[] = [
  ["as", "header"],
  ["key", "header"],
  ["headers", "header"],
  ["path", "path"],
  ["query", "query"],
];

/** Reports each text of a call or request that would not arrive as it is written. Expressions have no text yet. */
export function checkSentText(step: JsonObject, report: NoteMistake): void {
  const check = (value: unknown, path: Path, part: SentPart): void => {
    if (typeof value === "object" && value !== null)
      for (const [name, one] of Object.entries(value)) check(one, [...path, name], part);
    if (typeof value !== "string" || hasExpression(value)) return;
    const problem = sendProblem(part, value);
    if (problem !== undefined) report(path, `\`${String(path.at(-1))}\` cannot be sent: ${problem}`);
  };
  for (const [field, part] of FIELDS) check(step[field], [field], part);
  const names = new Map<string, string>();
  for (const name of isRecord(step["headers"]) ? Object.keys(step["headers"]) : []) {
    const other = names.get(name.toLowerCase());
    if (other === undefined) names.set(name.toLowerCase(), name);
    else
      report(["headers", name], `\`${name}\` and \`${other}\` are the same header. Keep one of them.`, true);
  }
}
