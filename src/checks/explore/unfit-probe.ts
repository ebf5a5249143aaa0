import { type Deviation, kindOf } from "./deviations.ts";
import { NotTried } from "../../base/failures.ts";
import { type Naming, textsOf } from "../../partner/states/naming.ts";

/** Says, as a sentence, why a probe without stable values cannot be compared. */
export function nothingStable(ignored: readonly string[]): string {
  return `The probe has nothing to compare: ${ignored.join(", ") || "all of it"} differs between two runs without a deviation, or is ignored. Let the probe show the changes of the webhooks, and name its objects with \${run}. Empty the system between the runs with --reset. If it still works after its answers, wait longer with --settle.`;
}

/** Says, as a sentence, which text of another run a state shows. Undefined if it shows only its own run. */
export function foreignText(state: unknown, names: Naming["names"], own: Naming): string | undefined {
  for (const text of textsOf(state)) {
    const name = names.get(text);
    if (name === undefined || own.names.has(text)) continue;
    return `The probe of the second run shows ${JSON.stringify(text)}, the ${name} of the first: the runs are not kept apart. Let the probe show only one run (\${run} in an external id, and in the probe's URL), or empty the system between the runs with --reset.`;
  }
  return undefined;
}

/**
 * Refuses to try webhooks without a probe: only the platform's state is visible then, and it does not show the effect of
 * webhooks.
 */
export function refuseWithoutProbe(probe: unknown, deviations: readonly Deviation[]): void {
  if (probe !== undefined) return;
  if (deviations.some(({ kind }) => kindOf(kind).group !== "webhooks")) return;
  throw new NotTried(
    "The effect of webhooks on your system is not visible. Name a URL that returns its state as JSON with --probe, or with `probe` in the scenario.",
  );
}
