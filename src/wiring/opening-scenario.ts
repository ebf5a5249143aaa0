import type { Fetch } from "../scenarios/world.ts";
import type { Fixtures } from "../platform/seed.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { World } from "../worlds/world.ts";
import { existsSync, readFileSync } from "node:fs";
import { failureLines, placeOf } from "../scenarios/reporters/failure.ts";
import { formatMistake } from "../scenarios/mistake.ts";
import { operations } from "../api/operations.ts";
import { overrideWebhookUrl } from "../platform/world-settings.ts";
import { parseScenario } from "../scenarios/parse.ts";
import { runScenario } from "../scenarios/run.ts";
import { scenarioContext } from "./scenario-context.ts";
import { transportTo } from "../webhooks/in-process.ts";

/** Where events go meanwhile, when nobody said where: without a URL they would not be sent at all. */
const RECEIVER_URL = "http://receiver.example/webhooks";

/** The scenario that a server cannot begin with: a sentence for each mistake, with its place. */
export class OpeningMistake extends Error {
  override readonly name = "OpeningMistake";
}

/** The scenario that a server began with did not pass. */
export class OpeningFailure extends Error {
  override readonly name = "OpeningFailure";
}

/** Reads the one scenario of a file. Throws an `OpeningMistake`. */
export function readOpening(file: string): Scenario {
  if (!existsSync(file))
    throw new OpeningMistake(`Failed to read ${file}: there is no such file. Name a scenario file.`);
  const { scenarios, mistakes } = parseScenario(readFileSync(file, "utf8"), file, scenarioContext());
  if (mistakes.length > 0) throw new OpeningMistake(mistakes.map(formatMistake).join("\n"));
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length > 1) {
    throw new OpeningMistake(
      `Failed to begin with ${file}: its matrix makes ${scenarios.length} scenarios of it. Name a file that is one story.`,
    );
  }
  return scenario;
}

/**
 * Lets a scenario happen in a world that was just made and is frozen; its webhooks go to the scenario's own
 * receiver. Throws an `OpeningFailure` where it does not pass.
 */
export async function playOpening(
  scenario: Scenario,
  { world, fetch, fixtures }: { readonly world: World; readonly fetch: Fetch; readonly fixtures: Fixtures },
): Promise<void> {
  const isSilent = world.settings.webhookUrl === null;
  if (isSilent) sendTo(world, RECEIVER_URL);
  const result = await runScenario(scenario, {
    operations,
    seed: world.settings.seed,
    openWorld: ({ receiver, origin = "" }) => {
      const back = world.overrideTransport(transportTo(receiver));
      return Promise.resolve({
        fetch: (path, init) => fetch(origin + path, init),
        tokens: Object.fromEntries(fixtures.companies.map(({ id, token }) => [id, token])),
        receiver,
        [Symbol.asyncDispose]: async () => {
          await world.settled();
          back();
        },
      });
    },
  });
  if (isSilent) sendTo(world, null);
  if (result.failure === undefined) return;
  const { failure } = result;
  throw new OpeningFailure(
    [`${placeOf(result, failure)}: ${scenario.name}`, ...failureLines(failure)].join("\n"),
  );
}

function sendTo(world: World, url: string | null): void {
  world.execute({ by: "control", name: "opening scenario" }, (tx) => overrideWebhookUrl(tx, url));
}
