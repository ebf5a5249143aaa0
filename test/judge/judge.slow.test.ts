import { expect, test } from "vitest";
import { drawOf, type ToolName } from "./choices.ts";
import { type Judged, judge, tools } from "./judging.ts";
import { accused, tableOf } from "./table.ts";

/** The long draw runs only if its number of partners is named: `SANDBANK_JUDGED_PARTNERS=300`. */
const partners = Number(process.env["SANDBANK_JUDGED_PARTNERS"] ?? 0);

test.skipIf(partners === 0)(
  "no right partner of the long draw is accused",
  { timeout: 7_200_000 },
  async () => {
    const all: Judged[] = [];
    for (let index = 0; index < partners; index++)
      all.push(...(await judge(drawOf(1, index), Object.keys(tools) as ToolName[])));
    process.stdout.write(tableOf(all));
    expect(accused(all)).toEqual([]);
  },
);
