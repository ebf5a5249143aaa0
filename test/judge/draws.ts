import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import {
  type ChoiceName,
  choices,
  firstValues,
  type ToolName,
  type Value,
  type Values,
} from "../partners/choices.ts";
import { seededChance } from "../../src/simulator/engine/random.ts";

/** A design with a value for each choice, on a machine. */
export interface Draw {
  readonly seed: number;
  readonly values: Values;
  /** The wrong values. Empty for a right partner. */
  readonly wrong: readonly { readonly choice: ChoiceName; readonly value: Value }[];
  /** How many times slower than usual the machine is. */
  readonly factor: number;
}

export const FACTORS = [1, 10, 100] as const;

/** The choices that are drawn apart, so that the other choices of a seed stay the same. */
const LATER: ReadonlySet<ChoiceName> = new Set([
  "names",
  "answers",
  "marks",
  "backOff",
  "night",
  "poll",
  "view",
  "processes",
  "start",
]);

/** The choices whose values are drawn by a chance of their own. */
const OWN: ReadonlySet<ChoiceName> = new Set([
  "copies",
  "subjects",
  "records",
  "shown",
  "batches",
  "refunds",
]);

/** One wrong value in so many is of a later choice. */
const LATER_IN = 5;

function isLater(name: ChoiceName): boolean {
  return LATER.has(name);
}

function drawnOf(name: ChoiceName): readonly Value[] {
  return choices[name].filter((value: Value) => value.isDrawn !== false);
}

/** The partners repeat: no wrong value, one, and two. */
const WRONG_COUNTS = 3;

/** Returns the numbers of the first partners of a draw with so many wrong values: none, one or two. */
export function partnersWith(wrong: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => index * WRONG_COUNTS + wrong);
}

/** Draws partner number `index`: a third each with no wrong value, one and two. */
export function drawOf(seed: number, index: number): Draw {
  const own = seed * 100_000 + index;
  const chance = seededChance(own, "design");
  const laterChance = seededChance(own, "later choices");
  const names = Object.keys(choices) as ChoiceName[];
  const values = Object.fromEntries(
    names.map((name) => {
      const rights = drawnOf(name).filter(({ wrong }) => wrong === undefined);
      // The other choices of a seed stay the same.
      const source = OWN.has(name) ? seededChance(own, name) : isLater(name) ? laterChance : chance;
      return [name, rights[source.below(rights.length)]?.name ?? ""];
    }),
  ) as Record<ChoiceName, string>;
  const withWrong = names.filter((name) => drawnOf(name).some(({ wrong }) => wrong !== undefined));
  const wrong: Draw["wrong"][number][] = [];
  for (let count = index % WRONG_COUNTS; count > 0; count--) {
    const isOfLater = laterChance.below(LATER_IN) === 0;
    const open = withWrong.filter((name) => isLater(name) === isOfLater);
    const choice = open[(isOfLater ? laterChance : chance).below(open.length)] ?? "storage";
    withWrong.splice(withWrong.indexOf(choice), 1);
    const wrongs = drawnOf(choice).filter(({ wrong }) => wrong !== undefined);
    const value = assertDefined(wrongs[chance.below(wrongs.length)], "a wrong value");
    values[choice] = value.name;
    wrong.push({ choice, value });
  }
  // A webhook heals what a night sent under a new key, before the next night comes.
  if (wrong.some(({ choice }) => choice === "calls") && !wrong.some(({ choice }) => choice === "night"))
    values.night = firstValues.night;
  prepareForWorkers(values, wrong);
  // A worker handles one event at a time, so nothing can be handled at the same moment.
  if (values.concurrency === "none") {
    if (!wrong.some(({ choice }) => choice === "storage")) values.storage = "before the answer";
    if (values.speed.startsWith("queue")) values.speed = "prompt";
    // Two processes get copies at different moments.
    if (!wrong.some(({ choice }) => choice === "processes")) values.processes = firstValues.processes;
  }
  return { seed: own, values, wrong, factor: FACTORS[chance.below(FACTORS.length)] ?? 1 };
}

/** Chooses right values with which a wrong back-off or a wrong poll has an effect. */
function prepareForWorkers(values: Record<ChoiceName, string>, wrong: Draw["wrong"]): void {
  const choose = (of: ChoiceName, own: Partial<Record<ChoiceName, string>>): void => {
    if (!wrong.some(({ choice }) => choice === of)) return;
    for (const [name, value] of Object.entries(own) as [ChoiceName, string][])
      if (!wrong.some(({ choice }) => choice === name)) values[name] = value;
  };
  const { night, calls, poll } = firstValues;
  choose("backOff", { answers: "202 and a worker", night, calls, poll });
  choose("poll", { storage: "inbox with a worker", order: firstValues.order });
}

/** Each wrong value with a tool that can show it. */
export const wrongValues: readonly (Draw["wrong"][number] & { readonly tool: ToolName })[] = (
  Object.keys(choices) as ChoiceName[]
).flatMap((choice) =>
  choices[choice].flatMap((value: Value) =>
    (value.wrong?.shownBy ?? []).map((tool) => ({ choice, value, tool })),
  ),
);

/** Returns the design of first values, but for one wrong value, on an idle machine. */
export function drawWith({ choice, value }: Draw["wrong"][number]): Draw {
  const values = { ...firstValues, [choice]: value.name };
  const wrong = [{ choice, value }];
  prepareForWorkers(values, wrong);
  return { seed: 1, values, wrong, factor: 1 };
}
