import { expect, test } from "vitest";
import { choices, firstValues, type ToolName, type Values } from "../partners/choices.ts";
import { drawWith, wrongValues } from "./draws.ts";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { exploreKills, judge, kindOfCause } from "./judging.ts";
import { accused } from "./table.ts";

/** Each wrong value with all tools that can show it. */
const WRONG = [...Map.groupBy(wrongValues, ({ value }) => value)].map(([value, all]) => ({
  value,
  choice: assertDefined(all[0], "a tool").choice,
  tools: all.map(({ tool }) => tool),
}));

test.each(WRONG)(
  "$tools find and name $choice: $value.name",
  { timeout: 300_000 },
  async ({ tools, ...wrong }) => {
    const judged = await judge(drawWith(wrong), tools);
    const right = wrong.value.wrong?.causes.length === 0 ? "undecided" : "wrong";
    const kinds = judged.map(({ tool, verdict, found, truth }) => {
      // The checks of a receiver describe what they saw, each for itself.
      const held = tool === "receiver check" ? found.slice(0, 1) : found;
      const misnamed = held.filter((one) => kindOfCause(one, truth) !== "right");
      return [tool, verdict, misnamed];
    });
    expect(kinds).toEqual(tools.map((tool) => [tool, right, []]));
  },
);

/** The right values of the names of payouts, each with the right values of the answers to requests. */
const NAMED = choices.names
  .flatMap(({ name: names }) =>
    choices.answers.flatMap((value) => ("wrong" in value ? [] : [{ names, answers: value.name }])),
  )
  // The first values are judged above.
  .filter(({ names, answers }) => names !== firstValues.names || answers !== firstValues.answers);

test.each(
  wrongValues
    .filter(({ tool, choice }) => tool === "explore calls" && choice !== "backOff")
    .flatMap(({ choice, value }) => NAMED.map((own) => ({ choice, value, ...own }))),
)(
  "explore names $value.name if payouts are named $names and requests are answered $answers",
  { timeout: 300_000 },
  async ({ names, answers, ...wrong }) => {
    const draw = drawWith(wrong);
    const [judged] = await judge({ ...draw, values: { ...draw.values, names, answers } }, ["explore calls"]);
    const others = judged?.found.filter((one) => kindOfCause(one, draw.wrong) !== "right");
    expect([judged?.verdict, others]).toEqual(["wrong", []]);
  },
);

/** The other right values of usual systems, each with a tool that sees them. */
const USUAL: readonly { readonly tool: ToolName; readonly own: Partial<Values> }[] = (
  [
    ["explore calls", "backOff"],
    ["explore calls", "night"],
    ["explore webhooks", "poll"],
    ["receiver check", "poll"],
    ["explore webhooks", "view"],
    ["receiver check", "view"],
    ["explore webhooks", "processes"],
    ["explore webhooks", "start"],
  ] as const
).flatMap(([tool, choice]) =>
  choices[choice].flatMap((value) =>
    "wrong" in value || value.name === firstValues[choice] ? [] : [{ tool, own: { [choice]: value.name } }],
  ),
);
const FIRST = (["explore calls", "explore webhooks", "receiver check"] as const).map((tool) => ({
  tool,
  own: {},
}));

test.each([...FIRST, ...USUAL])(
  "$tool accuses no usual system with $own",
  { timeout: 300_000 },
  async ({ tool, own }) => {
    const worker = { storage: "inbox with a worker", answers: "202 and a worker" };
    const values = { ...firstValues, ...worker, ...own };
    expect(accused(await judge({ seed: 91_000_001, values, wrong: [], factor: 1 }, [tool]))).toEqual([]);
  },
);

test.each([1, 10, 100])(
  "receiver check accuses no system whose outbox waits for a poll and its probe for a cache: %i times slower",
  { timeout: 300_000 },
  async (factor) => {
    const late = { storage: "outbox", poll: "each second", view: "a cache of half a second" };
    const values = { ...firstValues, ...late, speed: "2 s" };
    const draw = { seed: 100_200_031, values, wrong: [], factor };
    expect(accused(await judge(draw, ["receiver check"]))).toEqual([]);
  },
);

test(
  "receiver check does not take lost events of a burst for lost updates",
  { timeout: 300_000 },
  async () => {
    const wrong = wrongValues.find(({ value }) => value.name === "never for each third");
    const draw = drawWith(assertDefined(wrong, "a value"));
    const values = {
      ...draw.values,
      recognition: "object and status",
      order: "updatedAt",
      unknown: "kept for later",
      concurrency: "lock by account",
      speed: "2 s",
    };
    const [judged] = await judge({ ...draw, seed: 41_000_001, values, factor: 10 }, ["receiver check"]);
    expect(judged?.found.map(({ by }) => by)).toEqual(["T6"]);
  },
);

test("explore does not judge a cache that the readings of its baselines do not fill", async () => {
  const wrong = wrongValues.filter(({ value }) => value.name === "a cache without an end").slice(0, 1);
  const values = {
    ...firstValues,
    view: "a cache without an end",
    order: "reading the object",
    recognition: "object and status",
    processes: "two that share a database",
    unknown: "kept for later",
  };
  const [judged] = await judge({ seed: 100_200_016, values, wrong, factor: 100 }, ["explore webhooks"]);
  expect(judged?.verdict).toBe("undecided");
});

/** Slow partners that remember the handled events in memory. Their work takes longer than every delay of a kill. */
const SLOW_MEMORIES = [
  [10, { speed: "2 s", unknown: "kept for later" }],
  [1, { speed: "2 s", storage: "inbox with a worker", concurrency: "lock by account" }],
  [10, { speed: "queue with 15 ms per event", storage: "inbox with a worker", order: "updatedAt" }],
  [100, { speed: "2 s", storage: "outbox", order: "reading the object" }],
] as const;

test.each(SLOW_MEMORIES)(
  "explore kills a slow partner also after its work: %i times slower, %o",
  { timeout: 300_000 },
  async (factor, own) => {
    const wrong = wrongValues.find(({ value }) => value.name === "in memory only");
    const draw = drawWith(assertDefined(wrong, "a value"));
    const values = { ...draw.values, ...own };
    const { verdict, found } = await exploreKills({ ...draw, values, factor });
    const kinds = found.map((one) => kindOfCause(one, draw.wrong));
    expect([verdict, kinds]).toEqual(["wrong", ["right"]]);
  },
);
