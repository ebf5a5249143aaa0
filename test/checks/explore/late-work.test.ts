import { expect, test } from "vitest";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";
import type { DeviationKind } from "../../../src/checks/explore/deviations.ts";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { LateLooks } from "../../../src/checks/explore/late-looks.ts";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";

const SCENARIO = {
  name: "n",
  steps: [
    { call: "createPayout", body: { $use: "payout.pix", externalId: "p-${run}" } },
    { advance: "PT1H" },
  ],
};

/** Explores copies of an event with a system over sockets. The system works on a copy some time after its answer. */
async function exploredWith(lateMs: number, isRight: boolean, factor: number): Promise<ExploreResult> {
  using machine = new Machine(factor, 1);
  const context = { ...scenarioContext(), isProbed: true };
  const { scenarios } = parseScenario(stringify(SCENARIO), "n.yaml", context);
  let paid: string[] = [];
  const payAgain = async (id: string): Promise<void> => {
    await machine.sleep(lateMs);
    if (!isRight && paid.includes(id)) paid.push(id);
  };
  const { result } = await exploreScenario({
    scenario: assertDefined(scenarios[0], "a scenario"),
    wall: machine.wall,
    openSandbox,
    receiver: async (request) => {
      const { id } = (await request.json()) as { id: string };
      if (!paid.includes(id)) paid.push(id);
      else void payAgain(id);
      return Response.json({});
    },
    probe: () => paid,
    reset: async () => void (paid = []),
    partner: { start: async () => {}, kill: async () => {}, pids: () => [] },
    only: ["twice", "answer-lost"],
    depth: 1,
    timeMs: 10 * 3_600_000,
  });
  return result;
}

test.each([
  [3, 1],
  [10, 1],
  [100, 1],
  [190, 1],
  [300, 1],
  [950, 1],
  [150, 10],
])(
  "a system that becomes wrong %i ms after its state was right is found, on a machine %i times slower",
  async (lateMs, factor) => {
    const wrong = await exploredWith(lateMs, false, factor);
    expect(wrong.cells.map(({ kind, result }) => `${kind} ${result}`)).toEqual([
      "twice diverged",
      "answer-lost diverged",
    ]);
    expect(await exploredWith(lateMs, true, factor)).toMatchObject({ verdict: "converges", notes: [] });
  },
);

test("the report says how long a system was watched after its work", async () => {
  const { verdict, notTried } = await exploredWith(3_000, false, 1);
  expect(verdict).toBe("converges");
  expect(notTried).toContain(
    "late work: changes more than 0.2 s after the last one, or 1 s in the first run with a copy, with another order, and of each other kind (--settle)",
  );
});

test("only the first run with a copy, with another order, and of each other kind is watched longer", () => {
  const looks = new LateLooks();
  const watched = (kind: DeviationKind, event: string): number | undefined =>
    looks.watchedMs(
      {
        schedule: [{ event: 1, kind }],
        faults: [{ on: "webhook", event, nth: 1, effect: "delay" }],
        killsAtEvents: new Map(),
      },
      { usualMs: 200, longMs: 1_000 },
    );
  expect(watched("late", "A")).toBe(1_000);
  expect(watched("twice", "A")).toBe(1_000);
  expect(watched("answer-lost", "A")).toBeUndefined();
  expect(watched("answer-lost", "B")).toBe(200);
  expect(watched("together", "A")).toBeUndefined();
  expect(watched("early", "A")).toBe(1_000);
});
