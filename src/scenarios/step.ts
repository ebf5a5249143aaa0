import type { Verb } from "./scenario.ts";

/** The verbs in the order in which they are told; `expect` last, because every other step may carry one too. */
export const verbs = ["call", "act", "plan", "advance", "fault", "receiver", "expect"] as const;

/** The verb of a step as written, or undefined when there is none or more than one. */
export function verbOf(step: { readonly [key: string]: unknown }): Verb | undefined {
  const found = verbsIn(step);
  return found.length === 1 ? found[0] : undefined;
}

/** All the verbs a step has; `expect` counts only where it stands alone. */
export function verbsIn(step: { readonly [key: string]: unknown }): Verb[] {
  const found = verbs.filter((verb) => verb !== "expect" && Object.hasOwn(step, verb));
  return found.length === 0 && Object.hasOwn(step, "expect") ? ["expect"] : found;
}
