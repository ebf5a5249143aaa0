import type { Scenario } from "../src/scenarios/scenario.ts";
import { run, shippedScenarios, timelineTitle, writeTimelines } from "../test/scenario-runs.ts";

// Writes the timeline of every shipped scenario to test/timelines. Run it after an intended change of behaviour and
// review the diff.
const timelines = new Map<Scenario, string>();
for (const scenario of shippedScenarios().flatMap(({ scenarios }) => scenarios)) {
  const { timeline, failure } = await run(scenario);
  if (failure === undefined) timelines.set(scenario, timeline);
  else {
    process.stderr.write(`Failed to run ${timelineTitle(scenario)}: ${failure.message} Fix it first.\n`);
    process.exitCode = 1;
  }
}
if (process.exitCode === undefined) writeTimelines(timelines);
