import { readUserText } from "../base/user-file.ts";
import type { Scenario } from "./scenario.ts";
import { type ControlOptions, controlClient } from "../server/control/client.js";
import type { PlayedWorld } from "../server/access/played-world.ts";
import { existsSync } from "node:fs";
import { failureLines, placeOf } from "./result.ts";
import { formatMistake } from "../base/yaml-file.ts";
import { parseScenario } from "./parse.ts";
import { diverted, startOfWorld } from "./world.ts";
import { runScenario } from "./run.ts";
import { scenarioContext } from "./context.ts";
import { CommandFailure, FileMistakes } from "../base/failures.ts";

/** Reads the only scenario of a file, with its start. Throws a `FileMistakes`. */
export function readOpening(file: string): Scenario {
  if (!existsSync(file))
    throw new FileMistakes(`Failed to read ${file}: there is no such file. Name a scenario file.`);
  const { scenarios, mistakes } = parseScenario(readUserText(file), file, scenarioContext());
  if (mistakes.length > 0) throw new FileMistakes(mistakes.map(formatMistake).join("\n"));
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length > 1) {
    throw new FileMistakes(
      `Failed to begin with ${file}: its matrix makes ${scenarios.length} scenarios of it. Name a file with one scenario.`,
    );
  }
  const { start, ...others } = scenario;
  const instant = startOfWorld(start);
  return instant === undefined ? others : { ...others, start: instant };
}

/**
 * Runs a scenario in a new, frozen world. Its webhooks go to the scenario's own receiver. Throws a `CommandFailure` if
 * it does not pass.
 */
export async function playOpening(
  scenario: Scenario,
  {
    world,
    seed,
    ...reached
  }: Pick<ControlOptions, "fetch" | "adminToken"> & {
    readonly world: PlayedWorld;
    readonly seed: number;
  },
): Promise<void> {
  const result = await runScenario(scenario, {
    seed,
    openWorld: async ({ receiver, origin = "http://localhost" }) => ({
      fetch: controlClient({ ...reached, url: origin }).send,
      ...diverted(world, receiver, "settings"),
    }),
  });
  if (result.failure === undefined) return;
  const { failure } = result;
  throw new CommandFailure(
    [`${placeOf(result, failure)}: ${scenario.name}`, ...failureLines(failure)].join("\n"),
  );
}
