import { expect, test } from "vitest";
import { accused, tableOf } from "./table.ts";
import { drawOf, partnersWith } from "./draws.ts";
import { type Judged, judge } from "./judging.ts";
import type { ToolName } from "../partners/choices.ts";

/** Tools with their seed and their number of right partners. `npm run judge` draws others. */
const DRAWS: readonly (readonly [tools: readonly ToolName[], seed: number, partners: number])[] = [
  [["explore calls", "lints"], 22, 15],
  [["books"], 22, 15],
  [["explore webhooks"], 12, 5],
  [["certify"], 32, 1],
];

test.each(DRAWS)("no right partner is accused by %o", { timeout: 900_000 }, async (tools, seed, partners) => {
  const all: Judged[] = [];
  for (const index of partnersWith(0, partners)) all.push(...(await judge(drawOf(seed, index), tools)));
  process.stdout.write(tableOf(all));
  expect([all.length, accused(all)]).toEqual([partners * tools.length, []]);
});
