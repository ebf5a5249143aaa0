import { expect, test } from "vitest";
import { designs, payerOf, rightDesigns, scenariosAt } from "../../partners/payers.ts";
import { explore } from "../../../src/library/explore.ts";
import type { Design } from "../../partners/choices.ts";
import { life } from "../../partners/scenarios.ts";
import { receiver } from "../../partners/receiver.ts";

/** Each pair of deviations: the tests of `npm test` try single ones, and the pairs of one partner. */
const PAIRS = { depth: 2, budget: 2_000 };

const { orders } = scenariosAt("partner:");

test.each(rightDesigns)("a right client that %s is flagged by no pair", async (name) => {
  const { client, receiver: receive, partner, probe, reset } = payerOf(designs[name]);
  const [first, , ...rest] = orders.steps;
  const scenario = { ...orders, steps: [first, ...rest] };
  const result = await explore({ scenario, client, receiver: receive, partner, probe, reset, ...PAIRS });
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
