import type { Explored } from "../../../src/checks/explore/result.ts";
import { expect, test } from "vitest";
import fc from "fast-check";
import { stringify } from "yaml";
import { arrivalsOf } from "../../../src/checks/explore/arrivals.ts";
import {
  type Deviation,
  type Schedule,
  type Timeline,
  areCompatible,
  candidates,
  deviationKinds,
  isWebhookKind,
  lateMax,
  movesTime,
} from "../../../src/checks/explore/deviations.ts";
import type { Arrival } from "../../../src/checks/explore/exploration.ts";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { Machine } from "../../partners/machine.ts";
import type { OpenSandbox } from "../../../src/server/access/open-sandbox.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";

/** Requests that arrive at one moment, after this many steps began. */
interface Exchange {
  readonly step: number;
  readonly events: readonly number[];
  readonly isLost: boolean;
  readonly isEarly: boolean;
  /** The instant. `end` if it is after the last event and retry of the prediction. */
  readonly at: number | "end";
}

/** A webhook at the receiver: the steps that had begun, and the instant. */
interface Received {
  readonly step: number;
  readonly at: number;
}

/** The first runs of an exploration: the state before, and the two baselines. */
const BASELINES = 3;

/** Plays one schedule of a scenario. Its state differs from the baseline, so that the report has the arrivals. */
async function played(
  steps: readonly object[],
  deviations: readonly object[],
): Promise<{ readonly explored: Explored; readonly received: readonly Received[] }> {
  let begun = 0;
  let isOver = true;
  const runs: Received[][] = [];
  let now = (): number => 0;
  const open: OpenSandbox = async (options, onCallFault) => {
    const { sandbox, worlds } = await openSandbox(options, onCallFault);
    now = () => worlds.default.now;
    // A step begins with its first request. It ends when its webhooks are settled, or when time has moved.
    const fetch: typeof sandbox.fetch = async (input, init) => {
      if (isOver) begun += 1;
      isOver = false;
      const answer = await sandbox.fetch(input, init);
      isOver = input === "/sandbox/clock/advance";
      return answer;
    };
    const settled = async (): Promise<void> => {
      await sandbox.settled();
      isOver = true;
    };
    const counting = { fetch: { value: fetch }, settled: { value: settled } };
    return { sandbox: Object.create(sandbox, counting) as typeof sandbox, worlds };
  };
  const file = stringify({ name: "Arrivals", start: "2026-11-20T09:00:00-03:00", deviations, steps });
  const { scenarios, mistakes } = parseScenario(file, "arrivals.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  using machine = new Machine(1, 1);
  const explored = await exploreScenario({
    scenario: scenarios[0] as (typeof scenarios)[number],
    openSandbox: open,
    wall: machine.wall,
    timeMs: 10 * 3_600_000,
    receiver: () => {
      runs.at(-1)?.push({ step: begun, at: now() });
      return Response.json({});
    },
    probe: () => ({ isBaseline: runs.length <= BASELINES }),
    reset: async () => {
      begun = 0;
      isOver = true;
      runs.push([]);
    },
  });
  return { explored, received: runs[BASELINES] ?? [] };
}

function ordered(numbers: readonly number[]): number[] {
  return numbers.toSorted((one, other) => one - other);
}

function playedExchanges(arrivals: readonly Arrival[], received: readonly Received[]): Exchange[] {
  expect(received).toHaveLength(arrivals.length);
  const exchanges: Exchange[] = [];
  for (const [index, { event, together, early, error }] of arrivals.entries()) {
    const { step = 0, at = 0 } = received[index] ?? {};
    const own = { step, at, events: [event ?? 0] };
    const first = exchanges.at(-1);
    if (together === true && first !== undefined)
      exchanges.splice(-1, 1, { ...first, events: ordered([...first.events, ...own.events]) });
    else exchanges.push({ ...own, isLost: error !== undefined, isEarly: early === true });
  }
  return exchanges;
}

/** Reads the text of a prediction. Its last arrivals are the late copies, which come after all steps. */
function predictedExchanges(text: string, schedule: Schedule, { stepEnds }: Timeline): Exchange[] {
  let step = 0;
  const exchanges: Exchange[] = [];
  for (const token of text.split(" ")) {
    if (token === "|") step += 1;
    else
      exchanges.push({
        step,
        events: ordered((token.replace(/@.*/, "").match(/\d+/g) ?? []).map(Number)),
        at: token.endsWith("@end") ? "end" : Number(token.replace(/.*@/, "")),
        isLost: token.includes("!"),
        isEarly: token.includes("<"),
      });
  }
  const copies = schedule.filter(({ kind }) => kind === "twice-late").length;
  const first = exchanges.length - copies;
  return exchanges.map((one, index) => (index < first ? one : { ...one, step: stepEnds.length }));
}

/** Takes the possible deviations that the numbers draw, as long as they are possible together. */
function drawn(numbers: readonly number[], timeline: Timeline): Schedule {
  const possible = candidates(timeline, new Set(deviationKinds.filter(isWebhookKind)));
  const schedule: Deviation[] = [];
  for (const number of numbers) {
    const next = possible[number % possible.length] as Deviation;
    const event = timeline.events[(next.event ?? 0) - 1];
    const lates = schedule.filter(({ kind, event }) => kind === "late" && event === next.event).length;
    const isLeft = next.kind !== "late" || (event !== undefined && lates < lateMax(event, timeline));
    if (isLeft && schedule.every((one) => areCompatible(one, next, timeline))) schedule.push(next);
  }
  return schedule.toSorted((one, other) => possible.indexOf(one) - possible.indexOf(other));
}

const USED = { $use: "subscription.monthly" };

/** The steps about one subscription, in order. The draw mixes them with the steps about another. */
function stepsAbout(name: string): object[] {
  return [
    { call: "createSubscription", body: { ...USED, externalId: `${name}-\${run}` }, save: name },
    { act: "subscription.accept", on: `\${${name}.id}` },
    { call: "createScheduledPayment", path: { id: `\${${name}.id}` }, body: { $use: "charge.first" } },
    {
      act: "subscription.request-cancellation",
      on: `\${${name}.id}`,
      with: { reason: "REQUESTED_BY_PAYER" },
    },
  ];
}

const scenarios = fc
  .array(fc.constantFrom("one", "one", "other", "other", "PT10S", "PT2M", "PT30M", "P1D"), {
    minLength: 4,
    maxLength: 12,
  })
  .map((turns) => {
    const [created, accepted, ...others] = stepsAbout("one");
    const left = new Map([
      ["one", others],
      ["other", stepsAbout("other")],
    ]);
    const steps = turns.map((turn) => (left.has(turn) ? left.get(turn)?.shift() : { advance: turn }));
    return [created, accepted, ...steps].filter((step) => step !== undefined);
  });

/** A mark of the prediction: the order of these arrivals is not known in advance. */
const UNKNOWN_ORDER = /\?/;

test("the arrivals of each schedule come as predicted", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      scenarios,
      fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 4 }),
      async (steps, numbers) => {
        const { explored: baseline } = await played(steps, []);
        const timeline = baseline.baseline?.timeline;
        if (timeline === undefined || timeline.events.length === 0) return;
        const schedule = drawn(numbers, timeline);
        const predicted = arrivalsOf(schedule, timeline);
        // If a call waits for its next timer, later events come in other steps.
        if (schedule.length === 0 || movesTime(schedule, timeline) || UNKNOWN_ORDER.test(predicted)) return;
        const { explored, received } = await played(steps, schedule);
        const [divergence] = explored.result.divergences;
        expect(explored.result.reason).toBeUndefined();
        compared += 1;
        const expected = predictedExchanges(predicted, schedule, timeline);
        const arrivals = playedExchanges(divergence?.arrivals ?? [], received).map((one, index) =>
          expected[index]?.at === "end" ? { ...one, at: "end" } : one,
        );
        expect({ schedule, arrivals }).toEqual({ schedule, arrivals: expected });
      },
    ),
    { seed: 1, numRuns: 20 },
  );
  expect(compared).toBeGreaterThan(5);
});
