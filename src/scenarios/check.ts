import type { Report, ScenarioContext } from "./context.ts";
import { checkExpectation } from "./check-expectation.ts";
import { checkReferences } from "./check-references.ts";
import { checkClock } from "./check-clock.ts";
import { checkProblems } from "./check-problems.ts";
import { checkAct, checkCall, checkFault } from "./check-verbs.ts";
import { reservedNames } from "./expression.ts";
import { isRecord } from "./fixture.ts";
import { list, shown, suggestion } from "./mistake.ts";
import type { Path } from "./scenario.ts";
import { schemaMistakes } from "./schema.ts";
import { verbs, verbsIn } from "./step.ts";

interface Checking {
  /** Matrix values and params: what can be read before the first step. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly context: ScenarioContext;
  readonly report: Report;
  readonly lineOf: (path: Path) => number;
}

type Fields = { readonly [key: string]: unknown };

/** Finds everything that is wrong with a scenario before it runs, its matrix values and fixtures filled in. */
export function checkScenario(tree: Fields, checking: Checking): void {
  const { report, values } = checking;
  for (const { path, message, atKey } of schemaMistakes(tree)) {
    // What is wrong inside a step is told by the step's own verb.
    if (path[0] !== "steps" || path.length === 1) report(path, message, atKey);
  }
  for (const key of ["name", "seed", "start", "fixtures", "assumptions"]) {
    checkReferences(tree[key], [key], { values, unusable: ["today", "now"], report });
  }
  checkAssumptions(tree["assumptions"], checking);
  checkClock(tree, report);
  const saved = checkSteps(Array.isArray(tree["steps"]) ? tree["steps"] : [], checking);
  checkReferences(tree["returns"], ["returns"], { values: saved, report });
}

function checkAssumptions(assumptions: unknown, { context, report }: Checking): void {
  if (!isRecord(assumptions)) return;
  let areRight = true;
  for (const [id, value] of Object.entries(assumptions)) {
    if (context.assumptions && !context.assumptions.includes(id)) {
      areRight = false;
      report(
        ["assumptions", id],
        `There is no assumption \`${id}\`. ${suggestion(id, context.assumptions)}`,
        true,
      );
      continue;
    }
    const message = context.checkAssumption?.(id, value);
    if (message === undefined) continue;
    areRight = false;
    report(["assumptions", id], message);
  }
  if (!areRight) return;
  for (const message of context.contradictions?.(assumptions) ?? []) report(["assumptions"], message);
}

/** Checks the steps in order, so that each knows what is saved by then; gives what is saved in the end. */
function checkSteps(steps: readonly unknown[], checking: Checking): Map<string, unknown> {
  const { report, lineOf } = checking;
  const lines = new Map<string, number>();
  const later = new Map<string, number>();
  steps.forEach((step, index) => {
    if (isRecord(step) && typeof step["save"] === "string")
      later.set(step["save"], lineOf(["steps", index, "save"]));
  });
  const values = new Map(checking.values);
  steps.forEach((step, index) => {
    const path = ["steps", index];
    if (!isRecord(step)) {
      report(path, `A step is an object with one of ${list(verbs)}; found ${shown(step)}.`);
      return;
    }
    checkStep(step, path, checking);
    const { save, expect, ...before } = step;
    checkReferences(before, path, { values, later, report });
    if (typeof save === "string") {
      checkSave(save, [...path, "save"], lines, report);
      lines.set(save, lineOf([...path, "save"]));
      values.set(save, anything);
    }
    checkReferences(expect, [...path, "expect"], { values, later, report });
  });
  return values;
}

/** Stands for what a step will have saved: nobody knows yet what is in it. */
const anything = Symbol("saved by a step");

function checkSave(save: string, path: Path, lines: ReadonlyMap<string, number>, report: Report): void {
  if (reservedNames.includes(save))
    report(
      path,
      `\`${save}\` cannot be saved under: expressions have it for themselves. Choose another name.`,
    );
  const line = lines.get(save);
  if (line !== undefined) report(path, `\`${save}\` is saved at line ${line} already. Choose another name.`);
}

function checkStep(step: Fields, path: Path, checking: Checking): void {
  const { report, context } = checking;
  const found = verbsIn(step);
  const [verb] = found;
  if (verb === undefined) {
    const [key] = Object.keys(step);
    if (key === undefined) report(path, `The step is empty. It can have ${list(verbs)}.`);
    else report([...path, key], `The step has no verb; found \`${key}\`. ${suggestion(key, verbs)}`, true);
    return;
  }
  if (found.length > 1) {
    report(
      path,
      `A step does one thing; found ${list(found).replace(" or ", " and ")}. Make a step of each.`,
    );
    return;
  }
  const mistakes = schemaMistakes(step, `${verb}Step`).filter(
    // The schema has the operations for editors only; the table of operations says what is right.
    ({ path: [first, second, ...rest] }) =>
      !(verb === "call" && first === "call" && typeof step["call"] === "string") &&
      !(verb === "fault" && second === "operation" && rest.length === 0 && isOperationText(step["fault"])),
  );
  for (const mistake of mistakes) report([...path, ...mistake.path], mistake.message, mistake.atKey);
  const here: Report = (below, message, atKey) => report([...path, ...below], message, atKey);
  if (verb === "call") checkCall(step, context.operations, here);
  if (verb === "act") checkAct(step, here);
  if (verb === "fault") checkFault(step["fault"], context.operations, here);
  if (mistakes.length === 0) checkProblems(step, context, here);
  checkExpectation(step["expect"], ["expect"], here);
}

function isOperationText(fault: unknown): boolean {
  return isRecord(fault) && typeof fault["operation"] === "string";
}
