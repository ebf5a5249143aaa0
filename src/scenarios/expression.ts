import type { FakePerson } from "../server/access/sandbox-interface.ts";
import { CommandFailure } from "../base/failures.ts";
import { isDuration } from "../simulator/engine/instant.ts";
import { shown, hint } from "./source.ts";
import { Temporal } from "temporal-polyfill";
import { SAO_PAULO } from "../simulator/countries/brazil/calendar.ts";

/** The content between `${` and `}`: a saved value, a matrix value, a param, a date, or an invented person. */
export type Expression =
  | {
      readonly kind: "reference";
      /** A saved name, or the whole of `matrix.x` or `params.x`. */
      readonly name: string;
      readonly path: readonly string[];
      readonly text: string;
    }
  | {
      readonly kind: "date";
      readonly base: "today" | "now";
      readonly terms: readonly { readonly sign: 1 | -1; readonly duration: string }[];
      readonly text: string;
    }
  | {
      readonly kind: "fake";
      /** The path to a field of the person. Empty for the whole person. */
      readonly path: readonly string[];
      readonly text: string;
    };

/** Names with another meaning in expressions. A value cannot be saved under them. */
export const reservedNames: readonly string[] = ["matrix", "params", "today", "now", "fake", "run", "world"];

const opening = /\$\$\{|\$\{/g;
const reference = /^[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*$/;
const date = /^(today|now)((?:\s*[+-]\s*[A-Za-z0-9.,]+)*)$/;

/** Splits a text into its parts. `$${` is a literal `${`. Throws a `CommandFailure` if it cannot read the text. */
export function parseTemplate(text: string): readonly (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let literal = "";
  let from = 0;
  for (const { 0: found, index } of text.matchAll(opening)) {
    if (index < from) continue;
    literal += text.slice(from, index);
    from = index + found.length;
    if (found === "$${") {
      literal += "${";
      continue;
    }
    const end = text.indexOf("}", from);
    if (end === -1) throw new CommandFailure(`\`${text.slice(index)}\` has no closing }.`);
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(parseExpression(text.slice(from, end).trim()));
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal !== "" || parts.length === 0) parts.push(literal);
  return parts;
}

/** Returns true if a text contains an expression, readable or not. */
export function hasExpression(text: string): boolean {
  return text.includes("${");
}

function parseExpression(text: string): Expression {
  const dated = date.exec(text);
  if (dated)
    return { kind: "date", base: dated[1] as "today" | "now", terms: parseTerms(dated[2] ?? ""), text };
  if (!reference.test(text)) {
    throw new CommandFailure(
      `\`\${${text}}\` cannot be read. An expression is \`\${name.path}\`, \`\${matrix.x}\`, \`\${params.x}\`, \`\${today + P3D}\` or \`\${now + PT1H}\`.`,
    );
  }
  const [first = "", ...rest] = text.replaceAll("[", ".").replaceAll("]", "").split(".");
  if (first === "fake") return fakeExpression(text, rest);
  if (first !== "matrix" && first !== "params") return { kind: "reference", name: first, path: rest, text };
  const [name, ...path] = rest;
  if (name === undefined) {
    throw new CommandFailure(`\`\${${text}}\` has no name. Write \`\${${first}.name}\`.`);
  }
  return { kind: "reference", name: `${first}.${name}`, path, text };
}

const personFields: readonly string[] = [
  "name",
  "document",
  "document.type",
  "document.number",
  "email",
  "phone",
];

function fakeExpression(text: string, [what = "", ...path]: readonly string[]): Expression {
  const written = `\`\${${text}}\``;
  if (what !== "person")
    throw new CommandFailure(`${written} is not known. \`fake\` has only \`\${fake.person}\`.`);
  const field = path.join(".");
  if (path.length === 0 || personFields.includes(field)) return { kind: "fake", path, text };
  throw new CommandFailure(
    `${written} has no value: a person has no \`${field}\`. ${hint(field, personFields)}`,
  );
}

function parseTerms(text: string): { sign: 1 | -1; duration: string }[] {
  return [...text.matchAll(/([+-])\s*([^\s+-]+)/g)].map(([, sign, duration = ""]) => {
    if (!isDuration(duration)) {
      throw new CommandFailure(
        `\`${duration}\` is not an ISO 8601 duration. Write one such as P3D, P1M or PT1H.`,
      );
    }
    return { sign: sign === "-" ? -1 : 1, duration };
  });
}

/** The values that expressions can read. */
export interface Scope {
  /** The values by name. Matrix values and params are named `matrix.x` and `params.x`. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The world's time. Undefined without a world. */
  readonly now?: string | undefined;
  /** Invents the next person. Undefined without a world. */
  readonly nextPerson?: (() => FakePerson) | undefined;
}

/**
 * Fills in every expression in a value. A text with only one expression becomes the value of that expression, of any
 * type. Throws a `CommandFailure` for a value that does not exist.
 */
export function interpolate(value: unknown, scope: Scope): unknown {
  return mapTexts(value, (text) => {
    if (!hasExpression(text)) return text;
    const parts = parseTemplate(text).map((part) =>
      typeof part === "string" ? part : evaluate(part, scope),
    );
    return parts.length === 1 ? parts[0] : parts.map((part) => written(part, text)).join("");
  });
}

/** Fills in the expressions whose name is in `values`. The other expressions stay. */
export function substitute(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (values.size === 0) return value;
  return mapTexts(value, (text) => {
    if (!hasExpression(text) || !isReadable(text)) return text;
    const parts = parseTemplate(text);
    if (!parts.some((part) => isKnown(part, values))) return text;
    const filled = parts.map((part) => {
      if (typeof part === "string") return part.replaceAll("${", () => "$${");
      return isKnown(part, values) ? evaluate(part, { values }) : `\${${part.text}}`;
    });
    return filled.length === 1 ? filled[0] : filled.map((part) => written(part, text)).join("");
  });
}

/** Returns a value with every expression escaped, so that it is a plain text. */
export function escaped<Value>(value: Value): Value {
  // Most values have no expression to escape and are not copied.
  if (!hasExpression(JSON.stringify(value) ?? "")) return value;
  return mapTexts(value, (text) => text.replaceAll("${", () => "$${")) as Value;
}

/** Returns a value with `change` applied to every text in it, except keys. */
export function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

function isReadable(text: string): boolean {
  try {
    return parseTemplate(text).length > 0;
  } catch {
    return false;
  }
}

function isKnown(part: string | Expression, values: ReadonlyMap<string, unknown>): boolean {
  return typeof part !== "string" && part.kind === "reference" && lookUp(part, values).problem === undefined;
}

function written(part: unknown, text: string): string {
  if (typeof part === "string" || typeof part === "number" || typeof part === "boolean") return String(part);
  throw new CommandFailure(
    `\`${text}\` puts ${shown(part)} inside a text. Only a string, a number or a boolean can be part of a text.`,
  );
}

function evaluate(expression: Expression, scope: Scope): unknown {
  if (expression.kind === "date") return evaluateDate(expression, scope);
  if (expression.kind === "fake") return evaluateFake(expression, scope);
  const { value, problem } = lookUp(expression, scope.values);
  if (problem !== undefined) throw new CommandFailure(problem);
  return value;
}

/** Returns the value of a reference, or says why the value is missing. */
export function lookUp(
  expression: Expression & { kind: "reference" },
  values: ReadonlyMap<string, unknown>,
): { value?: unknown; problem?: string } {
  if (!values.has(expression.name)) {
    const known = knownNames(values, ["today", "now"]);
    return { problem: `\`\${${expression.text}}\` is not known. ${hint(expression.name, known)}` };
  }
  let value = values.get(expression.name);
  let walked = expression.name;
  for (const key of expression.path) {
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (!keys.includes(key)) {
      const known = keys.length > 0 ? hint(key, keys) : `It is ${shown(value)}.`;
      return {
        problem: `\`\${${expression.text}}\` has no value: \`${walked}\` has no \`${key}\`. ${known}`,
      };
    }
    value = (value as { [key: string]: unknown })[key];
    walked += `.${key}`;
  }
  return { value };
}

/**
 * Returns the names that a misspelt name can mean. `run` and `world` are left out, because short names are similar to
 * many others.
 */
export function knownNames(values: ReadonlyMap<string, unknown>, dates: readonly string[]): string[] {
  return [...Array.from(values.keys()).filter((name) => name !== "run" && name !== "world"), ...dates];
}

function evaluateFake({ path, text }: Expression & { kind: "fake" }, { nextPerson }: Scope): unknown {
  if (nextPerson === undefined)
    throw new CommandFailure(`\`\${${text}}\` cannot be used here: there is no world yet.`);
  return path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<string, unknown>>)[key],
    nextPerson(),
  );
}

function evaluateDate(expression: Expression & { kind: "date" }, scope: Scope): string {
  if (scope.now === undefined)
    throw new CommandFailure(`\`\${${expression.text}}\` cannot be used here: there is no world yet.`);
  const key = `${scope.now} ${expression.text}`;
  const known = dates.get(key);
  if (known !== undefined) return known;
  let moment = Temporal.Instant.from(scope.now).toZonedDateTimeISO(SAO_PAULO);
  for (const { sign, duration } of expression.terms) {
    moment = sign === 1 ? moment.add(duration) : moment.subtract(duration);
  }
  const value =
    expression.base === "today"
      ? moment.toPlainDate().toString()
      : moment.toInstant().toString({ smallestUnit: "millisecond" });
  if (dates.size < DATES_KEPT_MAX) dates.set(key, value);
  return value;
}

/** The dates of expressions, by the time and the expression: most scenarios begin at one time. */
const dates = new Map<string, string>();
const DATES_KEPT_MAX = 1_000;
