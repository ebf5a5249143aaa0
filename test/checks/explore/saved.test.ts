import { expect, test } from "vitest";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import type { Exploration } from "../../../src/checks/explore/exploration.ts";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { playDeviations } from "../../../src/checks/explore/saved-regression.ts";
import { replayScenario } from "../../../src/checks/explore/replay.ts";
import type { Scenario } from "../../../src/scenarios/scenario.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";
import { systemWall } from "../../../src/base/wall.ts";
import type { Design } from "../../partners/choices.ts";
import { life } from "../../partners/scenarios.ts";
import { receiver } from "../../partners/receiver.ts";

function read(text: string): Scenario {
  const context = { ...scenarioContext(), isProbed: true };
  const { scenarios, mistakes } = parseScenario(text, "n.yaml", context);
  expect(mistakes).toEqual([]);
  return assertDefined(scenarios[0], "a scenario");
}

function explorationOf(design: Design, options: Partial<Exploration> = {}): Exploration {
  const { receive, probe, reset } = receiver(design);
  return {
    scenario: read(stringify(life)),
    receiver: receive,
    probe,
    reset: async () => reset(),
    openSandbox,
    wall: systemWall,
    only: ["late"],
    depth: 1,
    ...options,
  };
}

/** Explores a receiver that an older event sets back, and returns the first divergence as a file. */
async function savedWith(options: Partial<Exploration>): Promise<Scenario> {
  const { result, baseline } = await exploreScenario(explorationOf({ order: "last arrival" }, options));
  const divergence = assertDefined(result.divergences[0], "a divergence");
  const written = assertDefined(baseline, "a baseline");
  return read(replayScenario(divergence, written, { folder: ".", resetUrl: undefined }));
}

test("a saved divergence says if its search held events beyond the retries of the platform", async () => {
  const within = await savedWith({});
  expect(within.deviations).toEqual([{ event: 5, kind: "late" }]);
  const beyond = await savedWith({ beyondRetries: true });
  expect(beyond.deviations).toEqual([{ event: 2, kind: "late", beyondRetries: true }]);
  for (const scenario of [within, beyond]) {
    const played = await playDeviations(explorationOf({ order: "last arrival" }, { scenario }));
    expect(played.status).toBe("failed");
    expect(await playDeviations(explorationOf({}, { scenario }))).toEqual({ status: "passed" });
  }
});

test("an event that would wait beyond the retries is not played if its file does not say so", async () => {
  const scenario = { ...read(stringify(life)), deviations: [{ event: 2, kind: "late" }] };
  const { failure } = await playDeviations(explorationOf({}, { scenario }));
  expect(failure?.message).toBe(
    "Event 2 waits for an event that comes after the last attempt of the platform. Write `beyondRetries: true` at its deviation to hold it that long.",
  );
});
