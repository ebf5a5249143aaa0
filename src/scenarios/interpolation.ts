import { Temporal } from "temporal-polyfill";
import { ExpressionError, hasExpression, parseTemplate } from "./expression.ts";
import type { Expression } from "./expression.ts";
import { shown, suggestion } from "./mistake.ts";

/** What the expressions of a step can read. */
export interface Scope {
  /** By name; matrix values and params as `matrix.x` and `params.x`. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The world's time; undefined where no expression may need it. */
  readonly now?: string | undefined;
}

/** Dates are those of the calendar in Brasília. */
export const timeZone = "America/Sao_Paulo";

/**
 * `value` with every expression in it filled in. A text that is one expression and nothing else becomes the
 * expression's value, whatever its type. Throws an `ExpressionError` for what is not there.
 */
export function interpolate(value: unknown, scope: Scope): unknown {
  return mapTexts(value, (text) => {
    const parts = parseTemplate(text).map((part) =>
      typeof part === "string" ? part : evaluate(part, scope),
    );
    return parts.length === 1 ? parts[0] : parts.map((part) => written(part, text)).join("");
  });
}

/** `value` with only those expressions filled in whose name `values` knows; all others stay as they are. */
export function substitute(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (values.size === 0) return value;
  return mapTexts(value, (text) => {
    if (!isReadable(text)) return text;
    const parts = parseTemplate(text);
    if (!parts.some((part) => isKnown(part, values))) return text;
    const filled = parts.map((part) => {
      if (typeof part === "string") return part.replaceAll("${", () => "$${");
      return isKnown(part, values) ? evaluate(part, { values }) : `\${${part.text}}`;
    });
    return filled.length === 1 ? filled[0] : filled.map((part) => written(part, text)).join("");
  });
}

/** Every text inside `value`, keys excepted, put through `change`. */
function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === "string") return hasExpression(value) ? change(value) : value;
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
  throw new ExpressionError(
    `\`${text}\` puts ${shown(part)} into the middle of a text. Only a text, a number or a boolean fits there.`,
  );
}

function evaluate(expression: Expression, scope: Scope): unknown {
  if (expression.kind === "date") return evaluateDate(expression, scope);
  const { value, problem } = lookUp(expression, scope.values);
  if (problem !== undefined) throw new ExpressionError(problem);
  return value;
}

/** What a reference stands for, or a sentence that says why it stands for nothing. */
export function lookUp(
  expression: Expression & { kind: "reference" },
  values: ReadonlyMap<string, unknown>,
): { value?: unknown; problem?: string } {
  if (!values.has(expression.name)) {
    const known = [...values.keys(), "today", "now"];
    return { problem: `\`\${${expression.text}}\` is not known. ${suggestion(expression.name, known)}` };
  }
  let value = values.get(expression.name);
  let walked = expression.name;
  for (const key of expression.path) {
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (!keys.includes(key)) {
      const there = keys.length > 0 ? suggestion(key, keys) : `It is ${shown(value)}.`;
      return {
        problem: `\`\${${expression.text}}\` cannot be had: \`${walked}\` has no \`${key}\`. ${there}`,
      };
    }
    value = (value as { [key: string]: unknown })[key];
    walked += `.${key}`;
  }
  return { value };
}

function evaluateDate(expression: Expression & { kind: "date" }, scope: Scope): string {
  if (scope.now === undefined)
    throw new ExpressionError(`\`\${${expression.text}}\` cannot be used here: there is no world yet.`);
  let moment = Temporal.Instant.from(scope.now).toZonedDateTimeISO(timeZone);
  for (const { sign, duration } of expression.terms) {
    moment = sign === 1 ? moment.add(duration) : moment.subtract(duration);
  }
  if (expression.base === "today") return moment.toPlainDate().toString();
  return moment.toInstant().toString({ smallestUnit: "millisecond" });
}
