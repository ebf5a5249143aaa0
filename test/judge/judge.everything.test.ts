import { expect, test } from "vitest";
import { drawOf, type ToolName } from "./choices.ts";
import { type Judged, judge, tools } from "./judging.ts";
import { accused, tableOf } from "./table.ts";

const PARTNERS = 300;

test("no right partner of the long draw is accused", { timeout: 7_200_000 }, async () => {
  const all: Judged[] = [];
  for (let index = 0; index < PARTNERS; index++)
    all.push(...(await judge(drawOf(1, index), Object.keys(tools) as ToolName[])));
  process.stdout.write(tableOf(all));
  expect(accused(all)).toEqual([]);
});
