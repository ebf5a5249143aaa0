import { measure } from "./comparison.ts";
import type { Report } from "./context.ts";
import { hasExpression } from "./expression.ts";
import { isRecord } from "./fixture.ts";
import { list, shown } from "./mistake.ts";
import type { Path } from "./scenario.ts";

const comparisons = new Set(["$gt", "$gte", "$lt", "$lte"]);

/** Matchers and plain fields do not mix in one object, and a comparison needs something that has an order. */
export function checkExpectation(value: unknown, path: Path, report: Report): void {
  if (typeof value !== "object" || value === null) return;
  if (isRecord(value)) {
    const matchers = Object.keys(value).filter((key) => key.startsWith("$"));
    const plain = Object.keys(value).filter((key) => !key.startsWith("$"));
    if (matchers.length > 0 && plain.length > 0) {
      const found = list(matchers);
      report(
        [...path, plain[0] ?? ""],
        `\`${plain[0]}\` stands beside the matcher ${found}, which is about the whole value. Move one of them.`,
        true,
      );
    }
    for (const key of matchers.filter((name) => comparisons.has(name))) {
      const bound = value[key];
      if ((typeof bound === "string" && hasExpression(bound)) || measure(bound)) continue;
      report(
        [...path, key],
        `${shown(bound)} has no order. Compare with a number, a decimal text, a date or a time.`,
      );
    }
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === "$exactly") continue;
    checkExpectation(item, [...path, Array.isArray(value) ? Number(key) : key], report);
  }
}
