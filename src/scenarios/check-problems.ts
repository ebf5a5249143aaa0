import type { FieldProblem, Report, ScenarioContext } from "./context.ts";
import { hasExpression } from "./expression.ts";
import { isRecord } from "./fixture.ts";
import type { Path } from "./scenario.ts";

type Fields = { readonly [key: string]: unknown };

/**
 * What the sandbox itself would refuse of a fault or of what an act names is told before the first step, but for
 * what only the run will know, and unless the step expects to be refused.
 */
export function checkProblems(step: Fields, context: ScenarioContext, report: Report): void {
  if (expectsRefusal(step)) return;
  const { act, fault } = step;
  if (isRecord(fault)) {
    // The object only the run will know; the operation is checked with the other words of the step.
    const { object: _, operation: __, ...rest } = fault;
    if (isOpen(rest["effect"]) || isOpen(rest["on"])) return;
    tell(context.faultProblems?.(rest) ?? [], { fields: rest, below: ["fault"], report });
  }
  if (typeof act === "string" && !isOpen(act)) {
    const { id: _, ...fields } = isRecord(step["with"]) ? step["with"] : {};
    if (step["with"] !== undefined && !isRecord(step["with"])) return;
    tell(context.actProblems?.(act, fields) ?? [], { fields, below: ["with"], report });
  }
}

function tell(
  problems: readonly FieldProblem[],
  { fields, below, report }: { readonly fields: Fields; readonly below: Path; readonly report: Report },
): void {
  for (const { field, description } of problems) {
    const path = field.replaceAll("[", ".").replaceAll("]", "").split(".");
    if (isOpen(fields[path[0] ?? ""])) continue;
    report([...below, ...path], description);
  }
}

/** Whether anything inside a value is filled in only during the run. */
function isOpen(value: unknown): boolean {
  return hasExpression(JSON.stringify(value) ?? "");
}

function expectsRefusal({ expect }: Fields): boolean {
  return isRecord(expect) && ("status" in expect || "body" in expect);
}
