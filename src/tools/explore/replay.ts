import type { Baseline } from "./baseline.ts";
import type { Divergence } from "./exploration.ts";
import type { Scenario, ScenarioStep } from "../scenarios/scenario.ts";
import { faultsOf, nameOf } from "./deviations.ts";
import { isRecord } from "../../engine/json.ts";
import { type Naming, nameText, textsOf } from "../oracle/naming.ts";
import { withoutIgnored } from "../oracle/ignored-paths.ts";
import { relative, resolve } from "node:path";
import { seededChance } from "../../engine/random.ts";
import { stepsOfDeviation } from "./play.ts";
import { stringify } from "yaml";

interface ReplayOptions {
  readonly scenario: Scenario;
  readonly baseline: Baseline;
  readonly seed: number;
  /** The probe of the exploration, where the scenario has none. */
  readonly probeUrl: string | undefined;
  readonly settleMs: number | undefined;
  /** Where the exploration emptied the partner's system. */
  readonly resetUrl: string | undefined;
  /** The folder in which the file will be. */
  readonly folder: string;
}

/**
 * A divergence as a scenario of its own: its faults, the steps, and the state of the baseline, which the probe has to
 * show at the end. It fails until the receiver is fixed.
 */
export function replayScenario(
  { deviations, title, cause }: Divergence,
  { scenario, baseline, seed, probeUrl, settleMs, resetUrl, folder }: ReplayOptions,
): string {
  const { start, fixtures, assumptions, origin } = scenario;
  const url = probeUrl ?? scenario.probe?.url;
  const settle = settleMs === undefined ? scenario.probe?.settle : `PT${settleMs / 1000}S`;
  const { rules, timeline, played } = baseline;
  const file = {
    name: `${scenario.name}: ${title}`,
    description: `Made by sandbank explore. ${cause}`,
    // Ids of its own, so that a system that keeps its data does not know them yet; people that were invented for the
    // baseline are invented again only with its own seed.
    seed: seededChance(seed, hasInvented(baseline) ? "run 1" : `replay ${nameOf(deviations)}`).below(2 ** 32),
    ...(start !== undefined && { start }),
    ...(fixtures !== undefined && { fixtures: relative(folder, resolve(fixtures)) || "." }),
    ...(assumptions !== undefined && { assumptions }),
    ...(origin !== undefined && { origin }),
    ...(url !== undefined && {
      probe: {
        url,
        ...(baseline.ignore.length > 0 && { ignore: baseline.ignore.map(({ path }) => path) }),
        ...(settle !== undefined && { settle }),
        ...(rules.unstable.size > 0 && { unstable: [...rules.unstable] }),
        ...(rules.unordered.size > 0 && { unordered: [...rules.unordered] }),
        state: expectedState(baseline),
      },
    }),
    steps: [
      ...(resetUrl === undefined ? [] : [{ request: `POST ${resetUrl}` }]),
      ...faultsOf(deviations, timeline).map((fault) => ({ fault })),
      ...stepsOfDeviation(scenario.steps, played.statuses).map(writtenStep),
      { advance: { until: "idle" } },
      { note: "What the faults still hold back is sent now.", call: "DELETE /sandbox/faults" },
      { advance: { until: "idle" } },
    ],
  };
  return stringify(file, { lineWidth: 110, aliasDuplicateObjects: false });
}

function writtenStep(step: ScenarioStep): object {
  const { verb: _verb, number: _number, line: _line, column: _column, ...written } = step;
  return written;
}

/** The state of the baseline, in which expressions are in the place of what is drawn. */
function expectedState(baseline: Baseline): unknown {
  const { played } = baseline;
  const naming = baseline.naming(played);
  const expressions = new Map(
    Array.from(naming.names)
      .filter(([, name]) => !isInvented(name))
      .map(([text, name]) => [text, `\${${expressionOf(name)}}`] as const),
  );
  const written: Naming = { ...naming, names: expressions };
  // A `${` of the state itself is no expression; what is replaced brings its own.
  const write = (text: string): string =>
    nameText(
      text.replaceAll("${", () => "$${"),
      written,
    );
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return write(value);
    if (Array.isArray(value)) return value.map(walk);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [write(key), walk(item)]));
  };
  return withoutIgnored({ value: walk(played.state), named: new Set() }, baseline.ignore).value;
}

/** Whether a text comes from what a step sent, which no expression reads. */
function isInvented(name: string): boolean {
  return name.startsWith("step ");
}

function hasInvented(baseline: Baseline): boolean {
  const names = new Set(Array.from(baseline.naming(baseline.played).names.values()).filter(isInvented));
  return Array.from(textsOf(baseline.state.value)).some((text) => names.has(text));
}

/** `event 2 data.id` is `world.events.2.data.id` in an expression; names of saved values are expressions already. */
function expressionOf(name: string): string {
  return name.replace(/^event (\d+) /, "world.events.$1.").replaceAll(/\[(\d+)\]/g, ".$1");
}
