import { expect, test } from "vitest";
import { designs, payerOf, rightDesigns, scenariosAt } from "../../partners/payers.ts";
import { explore } from "../../../src/library/explore.ts";
import { type ZooName, handlerOf, life } from "../../partners/zoo.ts";

/** Each pair of deviations: the tests of `npm test` try single ones, and the pairs of one partner. */
const PAIRS = { depth: 2, budget: 2_000 };

const { orders } = scenariosAt("partner:");

test.each(rightDesigns)("a right client that %s is flagged by no pair", async (name) => {
  const { client, receiver, partner, probe, reset } = payerOf(designs[name]);
  const [first, , ...rest] = orders.steps;
  const scenario = { ...orders, steps: [first, ...rest] };
  const result = await explore({ scenario, client, receiver, partner, probe, reset, ...PAIRS });
  expect(result).toMatchObject({ verdict: "converges", divergences: [] });
  expect(result.schedules.tried).toBe(result.schedules.total);
});

test.each<[ZooName, string[]]>([
  ["is good", []],
  ["ignores unknown events", []],
  ["keeps its answers and a log", ["$.log"]],
  ["numbers its rows by arrival", ["$.rows[*].number"]],
])("a good receiver that %s converges after each pair", async (name, ignore) => {
  const { fetch, state, reset } = handlerOf(name);
  const result = await explore({
    scenario: { ...life, steps: life.steps.slice(0, 4) },
    receiver: fetch,
    probe: state,
    reset,
    ignore,
    beyondRetries: true,
    ...PAIRS,
  });
  expect(result).toMatchObject({ verdict: "converges", divergences: [] });
  expect(result.schedules).toMatchObject({ tried: result.schedules.total, skipped: 0 });
});
