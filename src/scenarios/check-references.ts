import type { Report } from "./context.ts";
import { ExpressionError, hasExpression, parseTemplate } from "./expression.ts";
import { lookUp } from "./interpolation.ts";
import { suggestion } from "./mistake.ts";
import type { Path } from "./scenario.ts";

interface Known {
  /** What can be read here, by name; a symbol stands for what only a run will know. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The line at which a name is saved, for all names of the file. */
  readonly later?: ReadonlyMap<string, number>;
  /** Dates that have no value here, because there is no world yet. */
  readonly unusable?: readonly string[];
  readonly report: Report;
}

/** Every expression inside `value` can be read and names something that is there by then. */
export function checkReferences(value: unknown, path: Path, known: Known): void {
  if (typeof value === "string" && hasExpression(value)) return checkText(value, path, known);
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    checkReferences(item, [...path, Array.isArray(value) ? Number(key) : key], known);
  }
}

function checkText(text: string, path: Path, { values, later, unusable = [], report }: Known): void {
  try {
    for (const part of parseTemplate(text)) {
      if (typeof part === "string") continue;
      if (part.kind === "date") {
        if (unusable.includes(part.base))
          report(path, `\`\${${part.text}}\` has no value here: there is no world yet.`);
        continue;
      }
      const line = later?.get(part.name);
      if (!values.has(part.name) && line !== undefined) {
        report(path, `\`${part.name}\` is saved only at line ${line}. Save it in an earlier step.`);
        continue;
      }
      if (typeof values.get(part.name) === "symbol") continue;
      const names = [...values.keys(), ...(unusable.length > 0 ? [] : ["today", "now"])];
      const problem = values.has(part.name)
        ? lookUp(part, values).problem
        : `Nothing is saved as \`${part.name}\`. ${suggestion(part.name, names)}`;
      if (problem !== undefined) report(path, problem);
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error.message);
  }
}
