import { expect, test } from "vitest";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { payer } from "../../partners/payer.ts";
import { rightPayers } from "./planted-payers.ts";
import { runExploration } from "../../../src/checks/explore/run-exploration.ts";
import { explore } from "../../../src/library/explore.ts";
import type { Design } from "../../partners/choices.ts";
import { life, payerScenarios } from "../../partners/scenarios.ts";
import { receiver } from "../../partners/receiver.ts";

/** Each pair of deviations: the tests of `npm test` try single ones, and the pairs of one partner. */
const PAIRS = { depth: 2, budget: 2_000 };

/** The time of a machine passes while a module is loaded. */
const DAY_MS = 86_400_000;

const { orders } = payerScenarios("partner:");

test.each(rightPayers)("a right payer with %o is flagged by no pair", async (design) => {
  using machine = new Machine(1, 1);
  const { client, receive, process, probe, reset } = payer(design, machine);
  const [first, , ...rest] = orders.steps;
  const scenario = { ...orders, steps: [first, ...rest] };
  const options = { scenario, client, receiver: receive, partner: process, probe, reset, timeMs: DAY_MS };
  const result = await runExploration({ ...options, ...PAIRS }, openSandbox, machine.wall);
  expect(result).toMatchObject({ verdict: "converges", divergences: [] });
  expect(result.schedules.tried).toBe(result.schedules.total);
});

test.each<[Design, string[]]>([
  [{}, []],
  [{ subjects: "charges alone" }, []],
  [{ records: "times of arrivals" }, ["$.log"]],
  [{ records: "a number by arrival" }, ["$.rows[*].number"]],
])("a good receiver with %o converges after each pair", async (design, ignore) => {
  const { receive, probe, reset } = receiver(design);
  const result = await explore({
    scenario: { ...life, steps: life.steps.slice(0, 4) },
    receiver: receive,
    probe,
    reset,
    ignore,
    beyondRetries: true,
    ...PAIRS,
  });
  expect(result).toMatchObject({ verdict: "converges", divergences: [] });
  expect(result.schedules).toMatchObject({ tried: result.schedules.total, skipped: 0 });
});
