import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { type OpenWorld, localWorlds } from "../../../src/tools/scenarios/world.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { operations } from "../../../src/api/operations.ts";
import { parseScenario } from "../../../src/tools/scenarios/parse.ts";
import { runScenario } from "../../../src/tools/scenarios/run.ts";
import { scenarioContext } from "../../../src/tools/scenarios/context.ts";

const openDirectly = localWorlds(openSandbox);

const openOverHttp: OpenWorld = async (options) => {
  const { answer: _answer, ...world } = await openDirectly(options);
  return world;
};

/** The traffic without what differs in every run: the ids of requests, and how long they took. */
function comparable(har: unknown): string {
  return JSON.stringify(har, (key, value: unknown) =>
    ["time", "timings", "_requestId"].includes(key) ||
    (value as { name?: string } | null)?.name === "x-request-id"
      ? undefined
      : value,
  );
}

const files = globSync("scenarios/{contracts,faults,idempotency,orders,refunds}/*.yaml").sort();

test.each(files)("%s leaves the same journal and traffic with streams and without", async (file) => {
  const { scenarios } = parseScenario(readFileSync(file, "utf8"), file, scenarioContext());
  for (const scenario of scenarios) {
    const runs = [openDirectly, openOverHttp].map(async (openWorld) => {
      let traffic = "";
      const onTraffic = (_: unknown, har: unknown): void => void (traffic = comparable(har));
      const { status, digest, returns } = await runScenario(scenario, { openWorld, operations, onTraffic });
      return { status, digest, returns, traffic };
    });
    const [direct, overHttp] = await Promise.all(runs);
    expect(direct).toEqual(overHttp);
    expect(direct).toMatchObject({
      status: "passed",
      traffic: expect.stringContaining('"entries"') as string,
    });
  }
});
