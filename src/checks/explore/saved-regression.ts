import type { Cause } from "../../reports/cause.ts";
import type { Difference } from "../../scenarios/expectation.ts";
import type { Exploration } from "./exploration.ts";
import { durationMs } from "../../simulator/engine/instant.ts";
import { defined } from "../../simulator/engine/json.ts";
import { type ScenarioResult, differencesLine } from "../../scenarios/result.ts";
import { exploreScenario } from "./explore.ts";

/**
 * Plays a scenario that names its deviations, without them and with them. It passes if both runs end in the same state.
 * So it stays right if the baseline itself is corrected.
 */
export async function playDeviations(
  exploration: Exploration,
): Promise<Pick<ScenarioResult, "status" | "failure" | "skipped">> {
  const { scenario, receiver } = exploration;
  const { deviations = [] } = scenario;
  if (receiver === undefined && deviations.some(({ event }) => event !== undefined))
    return {
      status: "skipped",
      skipped: "It has deviations of webhooks. Name your receiver with --receiver.",
    };
  const delayOf = (kind: string): number | undefined => {
    const by = deviations.find((one) => one.kind === kind)?.by;
    return by === undefined ? undefined : durationMs(by);
  };
  const { result } = await exploreScenario({
    ...exploration,
    beyondRetries: deviations.some(({ beyondRetries }) => beyondRetries === true),
    ...defined({ repeat: deviations.find(({ repeat }) => repeat !== undefined)?.repeat }),
    ...defined({ slowMs: delayOf("call-slow"), killDelayMs: delayOf("killed-before-answer") }),
  });
  const failed = (message: string, differences: readonly Difference[] = [], cause?: Cause) => ({
    status: "failed" as const,
    failure: {
      step: scenario.steps.length + 1,
      title: "deviations",
      line: scenario.steps.at(-1)?.line ?? 1,
      column: scenario.steps.at(-1)?.column ?? 1,
      message,
      differences,
      before: [],
      ...(cause && { cause }),
    },
  });
  if (result.verdict === "not-tried" || result.verdict === "undecided")
    return failed(result.reason ?? result.unfinished ?? "It could not be tried.");
  const [divergence] = result.divergences;
  if (divergence === undefined) return { status: "passed" };
  const { title, cause, words } = divergence;
  const differences = divergence.differences.map(({ path, baseline, found }) => ({
    path: path.replace(/^\$(?=[.[])/, "probe"),
    expected: baseline,
    actual: found,
  }));
  const parts = [title, ...(words === undefined ? [] : [words]), differencesLine(differences), cause.text];
  return failed(parts.map((part) => part.replace(/\.$/, "")).join(". ") + ".", differences, cause);
}
