import type { HarEntry } from "../../../src/traffic/har.ts";
import type { Scenario } from "../../../src/scenarios/scenario.ts";
import type { ScenarioResult } from "../../../src/scenarios/result.ts";
import { type CalibrationReport, calibrationReport } from "../../../src/checks/calibration/report.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { localWorlds } from "../../../src/scenarios/world.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { TrafficReader } from "../../../src/checks/calibration/traffic-reader.ts";

const context = scenarioContext();

/** A story as a scenario: its steps in YAML, on Monday 2026-11-23 at nine in Brasília unless it says otherwise. */
export function storyOf(text: string): Scenario {
  const head = /^steps:/m.test(text) ? "" : "steps:\n";
  const indented = head === "" ? text : text.replaceAll(/^(?=\S| )/gm, "  ");
  const yaml = `name: A story\nseed: 7\n${head}${indented}`;
  const { scenarios, mistakes } = parseScenario(yaml, "story.yaml", context);
  const [scenario] = scenarios;
  if (scenario === undefined || mistakes.length > 0) throw new Error(`${JSON.stringify(mistakes)}\n${yaml}`);
  return scenario;
}

/** Runs a story in a world of its own; gives its result and its traffic. */
export async function trafficOf(
  scenario: Scenario,
  assumptions: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly result: ScenarioResult; readonly entries: HarEntry[] }> {
  let entries: HarEntry[] = [];
  const result = await runScenario(
    { ...scenario, assumptions: { ...scenario.assumptions, ...assumptions } },
    {
      openWorld: localWorlds(openSandbox),
      onTraffic: (_scenario, har) => {
        entries = (har as { log: { entries: HarEntry[] } }).log.entries;
      },
    },
  );
  return { result, entries };
}

/** What sessions say, each in a file of its own. */
export function calibrated(
  sessions: Readonly<Record<string, readonly unknown[]>>,
  { secrets = [], host }: { readonly secrets?: readonly string[]; readonly host?: string } = {},
): CalibrationReport {
  const reader = new TrafficReader({ secrets });
  for (const [file, entries] of Object.entries(sessions))
    for (const [index, entry] of entries.entries()) reader.add({ file, index }, entry);
  return calibrationReport(reader.finish(host), Object.keys(sessions));
}

/** The ids of what is not as assumed, other than summaries. */
export function deviations({ assumptions }: CalibrationReport): string[] {
  return assumptions
    .filter(
      ({ verdict, note }) => verdict !== "confirmed" && verdict !== "not-seen" && !note?.startsWith("by "),
    )
    .map(({ id }) => id);
}
