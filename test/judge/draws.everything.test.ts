import { expect, test } from "vitest";
import { accused, tableOf } from "./table.ts";
import { drawOf } from "./draws.ts";
import { type Judged, judge } from "./judging.ts";
import type { ToolName } from "../partners/choices.ts";

/** Each tool with its seed and its number of partners. `npm run judge` draws others. */
const DRAWS: readonly (readonly [tool: ToolName, seed: number, partners: number])[] = [
  ["explore calls", 22, 45],
  ["lints", 22, 45],
  ["books", 22, 45],
  ["explore webhooks", 12, 15],
  ["certify", 32, 3],
];

test.each(DRAWS)("no right partner is accused by %s", { timeout: 900_000 }, async (tool, seed, partners) => {
  const all: Judged[] = [];
  for (let index = 0; index < partners; index++) all.push(...(await judge(drawOf(seed, index), [tool])));
  process.stdout.write(tableOf(all));
  expect(accused(all)).toEqual([]);
});
