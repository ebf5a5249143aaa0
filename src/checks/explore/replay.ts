import type { Baseline } from "./baseline.ts";
import type { Divergence } from "./exploration.ts";
import { LIMITS } from "./search-limits.ts";
import type { ScenarioStep } from "../../scenarios/scenario.ts";
import { defined } from "../../simulator/engine/json.ts";
import { companionOf, type Deviation, type DeviationKind, kindOf, nameOf } from "./deviations.ts";
import { relative, resolve } from "node:path";
import { seededChance } from "../../simulator/engine/random.ts";
import { stringify } from "yaml";

/**
 * Writes a divergence as a separate scenario with its deviations. The scenario fails until the run with them ends in
 * the same state as the run without them. `folder` is the folder of its file. `resetUrl` empties the partner's system.
 */
export function replayScenario(
  { deviations, title, cause }: Divergence,
  baseline: Baseline,
  { folder, resetUrl }: { readonly folder: string; readonly resetUrl: string | undefined },
): string {
  const { exploration } = baseline;
  const { scenario, seed = LIMITS.seed.preset, settleMs } = exploration;
  const delays: Partial<Record<DeviationKind, number>> = defined({
    "call-slow": exploration.slowMs,
    "killed-before-answer": exploration.killDelayMs,
  });
  const { start, fixtures, assumptions, origin, probe } = scenario;
  const { line: _line, column: _column, ...shown } = probe ?? { line: 0, column: 0 };
  const url = typeof exploration.probe === "string" ? exploration.probe : shown.url;
  const settle = settleMs === undefined ? shown.settle : durationOf(settleMs);
  const resets = resetUrl === undefined ? [] : [{ request: `POST ${resetUrl}`, repeat: 0 }];
  const file = {
    name: `${scenario.name}: ${title}`,
    description: `Made by sandbank explore. ${cause.text}`,
    // Separate ids, so that a system that keeps its data does not know them yet.
    seed: seededChance(seed, `replay ${nameOf(deviations)}`).below(2 ** 32),
    ...defined({
      start,
      fixtures: typeof fixtures === "string" ? relative(folder, resolve(fixtures)) || "." : fixtures,
      assumptions,
      origin,
    }),
    ...(url !== undefined && {
      probe: {
        ...shown,
        url,
        ...(baseline.ignore.length > 0 && { ignore: baseline.ignore.map(({ path }) => path) }),
        ...defined({ settle }),
      },
    }),
    deviations: deviations.map((one) => ({
      ...one,
      ...(one.step !== undefined && { step: one.step + resets.length }),
      ...(delays[one.kind] !== undefined && { by: durationOf(delays[one.kind] ?? 0) }),
      ...(kindOf(one.kind).isRace && defined({ repeat: exploration.repeat })),
      ...(exploration.beyondRetries === true && isHeld(one) && { beyondRetries: true }),
      ...(one.kind === "together" && { with: companionOf(one, baseline.timeline)?.index }),
    })),
    steps: [...resets, ...scenario.steps.map(writtenStep)],
  };
  return stringify(file, { lineWidth: 110, aliasDuplicateObjects: false });
}

/** Returns true for a deviation that holds its event until another event comes. */
function isHeld({ kind }: Deviation): boolean {
  return kind === "late" || kind === "together";
}

function durationOf(timeMs: number): string {
  return `PT${timeMs / 1000}S`;
}

function writtenStep(step: ScenarioStep): object {
  const { verb: _verb, number: _number, line: _line, column: _column, ...written } = step;
  if (step.verb !== "repeat") return written;
  return { ...written, repeat: { ...step.repeat, steps: step.repeat.steps.map(writtenStep) } };
}
