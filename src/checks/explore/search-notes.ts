import { nameOf, type Schedule } from "./deviations.ts";
import { PATIENCE } from "./run-plan.ts";
import type { ScenarioStep } from "../../scenarios/scenario.ts";
import type { StateDifference } from "../../partner/states/comparison.ts";

// The sentences about schedules that are no divergences.

/** Advises to keep one name. Names that a system draws for each try do not count as a second piece of work. */
export function namedAgain(names: readonly string[], schedule: Schedule): string {
  return `Advice: with ${nameOf(schedule)} your system used another name (${names.join(", ")}). The work was not done twice. Keep one externalId for all tries: then the platform recognises the call after a lost answer.`;
}

/** Says that a call was repeated too late only in the first run. */
export function repeatedInTime(schedule: Schedule, operations: readonly string[]): string {
  return `With ${nameOf(schedule)} your system repeated ${operations.join(", ")} only after the clock had moved. With ${PATIENCE} times the waiting time it repeated the call in time, and ended in the same state.`;
}

/** Says that the system reconciles, by a request that may be its nightly job. */
export function reconciledLater(schedule: Schedule, jobs: readonly ScenarioStep[]): string {
  const names = jobs.map(({ number }) => `step ${number}`).join(", ");
  return `With ${nameOf(schedule)} the state was the same only after ${names} ran once more, after the last webhook. If this is a nightly job, mark it with tick: true.`;
}

/** Returns the first paths of differences, as a list. */
export function pathsOf(differences: readonly StateDifference[]): string {
  return differences
    .slice(0, 3)
    .map(({ path }) => path)
    .join(", ");
}
