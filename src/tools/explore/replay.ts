import type { Baseline } from "./baseline.ts";
import type { Divergence } from "./exploration.ts";
import type { Scenario, ScenarioStep } from "../scenarios/scenario.ts";
import { defined } from "../../engine/json.ts";
import { companionOf, type DeviationKind, kindOf, nameOf } from "./deviations.ts";
import { relative, resolve } from "node:path";
import { seededChance } from "../../engine/random.ts";
import { stringify } from "yaml";

interface ReplayOptions {
  readonly scenario: Scenario;
  readonly baseline: Baseline;
  readonly seed: number;
  /** The probe of the exploration, if the scenario names no probe. */
  readonly probeUrl: string | undefined;
  readonly settleMs: number | undefined;
  /** The delay of the answer of `call-slow`, and the moment of a kill, if the exploration sets them. */
  readonly slowMs: number | undefined;
  readonly killDelayMs: number | undefined;
  /** The number of tries for a race, if the exploration sets it. */
  readonly repeat: number | undefined;
  /** The URL that emptied the partner's system in the exploration. */
  readonly resetUrl: string | undefined;
  /** The folder of the new file. */
  readonly folder: string;
}

/**
 * Writes a divergence as a separate scenario with its deviations. The scenario fails until the run with them ends in
 * the same state as the run without them.
 */
export function replayScenario({ deviations, title, cause }: Divergence, options: ReplayOptions): string {
  const { scenario, baseline, seed, probeUrl, settleMs, resetUrl, folder } = options;
  const delays: Partial<Record<DeviationKind, number>> = defined({
    "call-slow": options.slowMs,
    "killed-before-answer": options.killDelayMs,
  });
  const { start, fixtures, assumptions, origin, probe } = scenario;
  const { line: _line, column: _column, ...shown } = probe ?? { line: 0, column: 0 };
  const url = probeUrl ?? shown.url;
  const settle = settleMs === undefined ? shown.settle : durationOf(settleMs);
  const resets = resetUrl === undefined ? [] : [{ request: `POST ${resetUrl}`, repeat: 0 }];
  const file = {
    name: `${scenario.name}: ${title}`,
    description: `Made by sandbank explore. ${cause}`,
    // Separate ids, so that a system that keeps its data does not know them yet.
    seed: seededChance(seed, `replay ${nameOf(deviations)}`).below(2 ** 32),
    ...defined({
      start,
      fixtures: fixtures && (relative(folder, resolve(fixtures)) || "."),
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
      ...(kindOf(one.kind).isRace && defined({ repeat: options.repeat })),
      ...(one.kind === "together" && { with: companionOf(one, baseline.timeline)?.index }),
    })),
    steps: [...resets, ...scenario.steps.map(writtenStep)],
  };
  return stringify(file, { lineWidth: 110, aliasDuplicateObjects: false });
}

function durationOf(timeMs: number): string {
  return `PT${timeMs / 1000}S`;
}

function writtenStep(step: ScenarioStep): object {
  const { verb: _verb, number: _number, line: _line, column: _column, ...written } = step;
  return written;
}
