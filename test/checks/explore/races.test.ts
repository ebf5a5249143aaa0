import { expect, test } from "vitest";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";

const payout = (externalId: string) => ({ call: "createPayout", body: { $use: "payout.pix", externalId } });
const SCENARIO = {
  name: "n",
  steps: [payout("first-${run}"), payout("second-${run}"), { advance: "PT1H" }],
};

/** Explores two events over sockets, with a race and with a copy of each of them. */
async function explored(
  options: { readonly depth?: number; readonly repeat?: number },
  deviations?: readonly object[],
): Promise<ExploreResult> {
  using machine = new Machine(1, 1);
  const context = { ...scenarioContext(), isProbed: true };
  const text = stringify({ ...SCENARIO, deviations });
  const [scenario] = parseScenario(text, "n.yaml", context).scenarios;
  const paid = new Set<string>();
  const { result } = await exploreScenario({
    scenario: assertDefined(scenario, "a scenario"),
    wall: machine.wall,
    openSandbox,
    receiver: async (request) => {
      paid.add(((await request.json()) as { readonly id: string }).id);
      return Response.json({});
    },
    probe: () => Array.from(paid),
    reset: async () => paid.clear(),
    settleMs: 50,
    only: ["twice-at-once", "twice"],
    timeMs: 10 * 3_600_000,
    ...options,
  });
  return result;
}

async function runs(...given: Parameters<typeof explored>): Promise<number> {
  const { verdict, time } = await explored(...given);
  expect(verdict).toBe("converges");
  return assertDefined(time?.runs, "the number of runs");
}

test("a race is tried five times alone, and twice beside another deviation", async () => {
  // Of the six pairs, only the pair of copies without a race is tried once.
  expect((await runs({ depth: 2 })) - (await runs({ depth: 1 }))).toBe(5 * 2 + 1);
  const { notTried } = await explored({ depth: 2 });
  expect(notTried).toContain(
    "races: sampled 5 times, and 2 times beside another deviation, so a race is still possible",
  );
  expect((await explored({ depth: 1 })).notTried).toContain(
    "races: sampled 5 times, so a race is still possible",
  );
});

test("--repeat counts for a race in each schedule", async () => {
  expect((await runs({ depth: 1, repeat: 3 })) - (await runs({ depth: 1, repeat: 1 }))).toBe(2 * 2);
  expect((await runs({ depth: 2, repeat: 3 })) - (await runs({ depth: 1, repeat: 3 }))).toBe(5 * 3 + 1);
});

test("a saved schedule with a race beside another deviation is tried five times", async () => {
  const saved = (kind: string) =>
    runs({}, [
      { event: 1, kind },
      { event: 2, kind: "twice" },
    ]);
  expect((await saved("twice-at-once")) - (await saved("twice"))).toBe(4);
});
