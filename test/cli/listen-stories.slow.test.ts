import { expect, test, vi } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { controlClient } from "../../src/server/control/client.js";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { readScenarios } from "../../src/scenarios/scenario-files.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { type Scenario, withRounds } from "../../src/scenarios/scenario.ts";
import { type OpenWorld, type ScenarioWorld, targetWorlds } from "../../src/scenarios/world.ts";
import { startSandbank } from "./command.ts";
import { subscriptionBody } from "../partner.ts";

/** The shipped scenarios that script the answers of the receiver. */
const stories = readScenarios(["scenarios"], {}).filter(({ steps }) =>
  withRounds(steps).some(({ verb }) => verb === "receiver"),
);

const holding = `
name: Answers are held back while the clock stands still
seed: 3
start: 2026-11-20T09:00:00-03:00
steps:
  - receiver: { holds: true }
  - call: createSubscription
    body: ${JSON.stringify(subscriptionBody({ externalId: "held" }))}
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - receiver: { replies: [503] }
  - advance: PT1M
    wait: false
  - receiver: { replies: [200] }
  - expect: { deliveries: [{ status: delivered, attempts: [{ status: 503 }, { status: 200 }] }] }
`;

/** Runs a scenario on a server. Returns its result and the digest of its journal. */
async function played(scenario: Scenario, { isListened }: { readonly isListened: boolean }) {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  let digest = "";
  const openWorld: OpenWorld = async ({ assumptions, ...given }) => {
    // A time-out lasts its whole time, because a real connection waits for the answer.
    const world = await targetWorlds(url)({ ...given, assumptions: { ...assumptions, ...SHORT_TIME_OUT } });
    const { id = "" } = (await controlClient({ url }).worlds()).at(-1) ?? {};
    if (isListened) await listenTo(["--target", url, "--world", id, "--forward", await receiverOf(world)]);
    return {
      ...world,
      [Symbol.asyncDispose]: async () => {
        ({ digest } = await controlClient({ url, world: id }).ask("GET /sandbox/digest"));
        await world[Symbol.asyncDispose]();
      },
    };
  };
  const { status, failure } = await runScenario(scenario, { openWorld });
  return { status, failure, digest };
}

const SHORT_TIME_OUT = { "webhook.timeout": "PT1S" };

/** Starts `sandbank listen`, which ends with its world, and waits until it is connected. */
async function listenTo(args: readonly string[]): Promise<void> {
  const { written } = startSandbank("listen", ...args);
  await vi.waitFor(() => expect(written.stderr).toContain("Ctrl-C ends it."), { timeout: 20_000 });
}

/** Returns the address of the scripted receiver: the webhook URL of the companies. */
async function receiverOf({ fetch, tokens }: ScenarioWorld): Promise<string> {
  const authorization = `Bearer ${Object.values(tokens)[0]}`;
  const configuration = await fetch("/order/v1/webhook", { headers: { authorization } });
  return ((await configuration.json()) as { url: string }).url;
}

const held = parseScenario(holding, "held.yaml", { bodies: {} }).scenarios;

test.for([...held, ...stories])("through a listener the journal is the same: $file: $name", async (story) => {
  const direct = await played(story, { isListened: false });
  expect(direct).toMatchObject({ status: "passed" });
  expect(await played(story, { isListened: true })).toEqual(direct);
});
