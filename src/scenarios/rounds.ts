import type { NoteMistake } from "./context.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import { hasExpression } from "./expression.ts";
import type { Path } from "./source.ts";

/** The maximum number of steps that a scenario takes, the steps of all rounds included. */
export const STEPS_MAX = 100_000;

/** A step as written, and its place in the file. */
export interface WrittenStep {
  readonly step: JsonObject;
  readonly path: Path;
}

/** Returns the steps of a file and the steps inside their rounds, in the order of the file. */
export function writtenSteps(steps: unknown, path: Path = ["steps"]): WrittenStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown, index) => {
    if (!isRecord(step)) return [];
    const at = [...path, index];
    const { repeat } = step;
    const inside = isRecord(repeat) ? writtenSteps(repeat["steps"], [...at, "repeat", "steps"]) : [];
    return [{ step, path: at }, ...inside];
  });
}

/**
 * Reports rounds whose number is not known before the first step, and rounds with more steps than a scenario may take.
 * A param may decide the number, so this is also checked for shipped files.
 */
export function checkRounds(steps: unknown, report: NoteMistake): void {
  if (!Array.isArray(steps)) return;
  for (const { step, path } of writtenSteps(steps)) {
    const times = isRepeat(step) ? step.repeat["times"] : undefined;
    if (typeof times === "string" && hasExpression(times))
      report(
        [...path, "repeat", "times"],
        `\`times\` must be known before the first step; found \`${times}\`. Write a number, \`\${matrix.x}\` or \`\${params.x}\`.`,
      );
  }
  const taken = takenBy(steps);
  if (taken <= STEPS_MAX) return;
  const [most] = steps
    .flatMap((step: unknown, index) => (isRepeat(step) ? [{ index, taken: takenBy([step]) }] : []))
    .toSorted((one, other) => other.taken - one.taken);
  if (most === undefined) return;
  report(
    ["steps", most.index, "repeat", "times"],
    `The scenario would take ${taken.toLocaleString("en")} steps, its rounds included. The limit is ${STEPS_MAX.toLocaleString("en")}. Make \`times\` smaller, or make several scenarios.`,
  );
}

/** Returns the number of steps that a run takes. The steps of nested rounds are multiplied. */
function takenBy(steps: readonly unknown[]): number {
  return steps.reduce<number>((sum, step) => {
    if (!isRepeat(step)) return sum + 1;
    const { times, steps: inside } = step.repeat;
    return sum + (typeof times === "number" ? times : 1) * takenBy(Array.isArray(inside) ? inside : []);
  }, 0);
}

function isRepeat(step: unknown): step is { readonly repeat: JsonObject } {
  return isRecord(step) && isRecord(step["repeat"]) && Array.isArray(step["repeat"]["steps"]);
}
