import { RE2JS } from "re2js";

/** Longer patterns are programs, not expectations. */
const POSTED_LENGTH_MAX = 1_000;

/** Matches a text against a regular expression. */
export interface Pattern {
  /** Returns true if it is found anywhere in the text. */
  test(text: string): boolean;
  /** Returns its text. Ajv treats two patterns with the same text as one. */
  toString(): string;
}

const compiled = new Map<string, Pattern>();

/** The maximum number of patterns that are kept compiled. */
const COMPILED_MAX = 500;

/**
 * Compiles a regular expression of JavaScript so that it matches in linear time. For an expression such as `^(a+)+$`,
 * JavaScript's own matcher needs exponential time. JavaScript still matches lookaround and back-references, because
 * linear time is impossible for them. Throws a SyntaxError if the text is not a regular expression.
 */
export function patternOf(text: string): Pattern {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const expression = new RegExp(text);
  const linear = linearPattern(text);
  const pattern = linear ?? { test: (value: string) => expression.test(value), toString: () => text };
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(text, pattern);
  return pattern;
}

/** Dates are the only expressions in a pattern whose text is known to be harmless. */
const DATE = /\$\{(?:today|now)[^$}]*\}/g;

/**
 * Says why a posted file must not use this pattern. Undefined if it may. An invalid pattern is reported elsewhere. The
 * values of matrix and params are already filled in.
 */
export function postedPatternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== "string") return undefined;
  const text = pattern.replaceAll(DATE, "2026-11-20");
  if (text.length > POSTED_LENGTH_MAX)
    return `A posted pattern has at most ${POSTED_LENGTH_MAX} characters; found ${text.length}.`;
  if (text.includes("${")) return "A posted pattern must not contain a saved value. Write its text.";
  if (linearPattern(text) !== undefined || !isExpression(text)) return undefined;
  return "A posted pattern must not contain lookaround, back-references or large repetitions, which can take unlimited time. Write it without them, or run the file with `sandbank run`.";
}

/** Returns true if a text is a regular expression of JavaScript. */
export function isExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function linearPattern(text: string): Pattern | undefined {
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(text));
    return { test: (value) => expression.matcher(value).find(), toString: () => text };
  } catch {
    return undefined;
  }
}
