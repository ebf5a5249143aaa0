import { expect, test } from "vitest";
import { accused, tableOf } from "./table.ts";
import { drawOf, partnersWith } from "./draws.ts";
import { type Judged, judge, kindOfCause, tools } from "./judging.ts";
import type { ToolName } from "../partners/choices.ts";

/** Tools with their seed and their number of partners. `npm run judge` draws others. */
type Draws = readonly (readonly [tools: readonly ToolName[], seed: number, partners: number])[];

const timeout = 900_000;

const RIGHT: Draws = [
  [["explore calls", "lints"], 22, 15],
  [["books"], 22, 15],
  [["explore webhooks"], 12, 5],
  // A certificate has the results of the others.
  [(Object.keys(tools) as ToolName[]).filter((tool) => tool !== "certify"), 7, 1],
  [["certify"], 32, 1],
];

const WRONG: Draws = [
  [["explore calls", "lints"], 7, 8],
  [["books"], 7, 8],
  [["explore webhooks"], 7, 2],
];

/** Judges partners with this number of wrong values, and prints the table. */
async function judged(wrong: 0 | 1, [only, seed, partners]: Draws[number]): Promise<Judged[]> {
  const all: Judged[] = [];
  for (const index of partnersWith(wrong, partners)) all.push(...(await judge(drawOf(seed, index), only)));
  process.stdout.write(tableOf(all));
  return all;
}

test.each(RIGHT)("no right partner is accused by %o", { timeout }, async (...draws) => {
  const [only, , partners] = draws;
  const all = await judged(0, draws);
  expect([all.length, accused(all)]).toEqual([partners * only.length, []]);
});

test.each(WRONG)(
  "%o find what is wrong, or say that they do not know, and never name another cause",
  { timeout },
  async (...draws) => {
    const all = await judged(1, draws);
    // A tool judges only the partners whose wrong value it can show.
    expect(all).not.toEqual([]);
    const missed = all.filter(({ verdict }) => verdict === "right");
    const misnamed = all.filter(
      ({ found: [first], truth }) => first !== undefined && kindOfCause(first, truth) !== "right",
    );
    expect([missed, misnamed]).toEqual([[], []]);
  },
);
