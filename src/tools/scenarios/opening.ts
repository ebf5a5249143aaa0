import { type Fixtures } from "../../library/fixtures.ts";
import type { Scenario } from "./scenario.ts";
import { type World } from "../../control/world-access.ts";
import { existsSync, readFileSync } from "node:fs";
import { failureLines, placeOf } from "./result.ts";
import { formatMistake } from "./source.ts";
import { operations } from "./vocabulary.ts";
import { parseScenario } from "./parse.ts";
import { type Fetch, RECEIVER_URL, startOfWorld, tokensOf } from "./world.ts";
import { runScenario } from "./run.ts";
import { scenarioContext } from "./context.ts";
import { transportTo } from "../../library/webhook-sending.ts";

/** The opening scenario of a server is wrong: a sentence for each mistake, with its place. */
export class OpeningMistake extends Error {
  override readonly name = "OpeningMistake";
}

/** The opening scenario of a server did not pass. */
export class OpeningFailure extends Error {
  override readonly name = "OpeningFailure";
}

/** Reads the one scenario of a file, with the instant at which it starts. Throws an `OpeningMistake`. */
export function readOpening(file: string): Scenario {
  if (!existsSync(file))
    throw new OpeningMistake(`Failed to read ${file}: there is no such file. Name a scenario file.`);
  const { scenarios, mistakes } = parseScenario(readFileSync(file, "utf8"), file, scenarioContext());
  if (mistakes.length > 0) throw new OpeningMistake(mistakes.map(formatMistake).join("\n"));
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length > 1) {
    throw new OpeningMistake(
      `Failed to begin with ${file}: its matrix makes ${scenarios.length} scenarios of it. Name a file with one scenario.`,
    );
  }
  const { start, ...others } = scenario;
  const instant = startOfWorld(start);
  return instant === undefined ? others : { ...others, start: instant };
}

/**
 * Runs a scenario in a world that was just made and is frozen; its webhooks go to the scenario's own receiver.
 * Throws an `OpeningFailure` where it does not pass.
 */
export async function playOpening(
  scenario: Scenario,
  { world, fetch, fixtures }: { readonly world: World; readonly fetch: Fetch; readonly fixtures: Fixtures },
): Promise<void> {
  const isWithoutUrl = world.settings.webhookUrl === null;
  if (isWithoutUrl) world.changeSettings({ webhookUrl: RECEIVER_URL });
  const result = await runScenario(scenario, {
    operations,
    seed: world.settings.seed,
    openWorld: ({ receiver, origin = "" }) => {
      const back = world.overrideTransport(transportTo(receiver));
      return Promise.resolve({
        fetch: (path, init) => fetch(origin + path, init),
        tokens: tokensOf(fixtures.companies),
        receiver,
        [Symbol.asyncDispose]: async () => {
          await world.settled();
          back();
        },
      });
    },
  });
  if (isWithoutUrl) world.changeSettings({ webhookUrl: null });
  if (result.failure === undefined) return;
  const { failure } = result;
  throw new OpeningFailure(
    [`${placeOf(result, failure)}: ${scenario.name}`, ...failureLines(failure)].join("\n"),
  );
}
