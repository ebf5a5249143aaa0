import { listed, suggestion } from "../simulator/engine/suggestion.ts";
import { type FileMistake, type Path, type Place, type YamlFile, readYaml } from "../base/yaml-file.ts";
import { isSentByScenario, misreadValues } from "./written-values.ts";

export type { FileMistake, Path, Place, YamlFile };

/** Returns "Did you mean `x`?" if a known word is similar, otherwise the known words. */
export function hint(written: string, known: readonly string[], all?: string): string {
  return suggestion(written, known, { quote: "`", ...(all !== undefined && { all }) });
}

/** Lists words in backticks: `a`, `b` or `c`. */
export function quoted(words: readonly string[], conjunction: "or" | "and" = "or"): string {
  return listed(
    words.map((word) => `\`${word}\``),
    conjunction,
  );
}

/** Writes a value for a sentence: short, on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/**
 * Reads a scenario file with the place of every value. Its mistakes include values that would be sent with another text.
 * Never throws.
 */
export function readSource(text: string, file: string): YamlFile {
  const source = readYaml(text, file, {
    what: "scenario",
    help: (line) =>
      hasUnquotedExpression(line)
        ? ' Inside { } and [ ] an expression has to be in quotes: "${name.id}".'
        : "",
    aliasAdvice: ", or use `matrix` for repeated scenarios",
  });
  const { document } = source;
  if (document === undefined) return source;
  const misread = misreadValues(document, isSentByScenario).map(({ at, message }) => ({
    file,
    ...source.placeAt(at),
    message,
  }));
  return { ...source, mistakes: [...source.mistakes, ...misread] };
}

/** Returns true if an expression in a line of YAML stands in { } or [ ] without quotes. */
export function hasUnquotedExpression(line: string): boolean {
  let isInside = false;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (isInside && !isQuoted && character === "$" && line[at + 1] === "{") return true;
    if (character === '"' || character === "'") isQuoted = true;
    else if (character === "{" || character === "}") isQuoted = false;
    if (character === "{" || character === "[") isInside = true;
  }
  return false;
}
