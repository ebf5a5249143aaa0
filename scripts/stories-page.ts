import { readFile, readdir } from "node:fs/promises";
import { parse } from "yaml";

/** The stories by the kind of mistake, in the order of the page. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Calls: [
    "payout-under-a-new-key",
    "refund-asked-twice",
    "three-equal-payouts",
    "half-paid-batch",
    "token-expires-mid-run",
    "canceled-while-ordering",
  ],
  Webhooks: [
    "two-events-of-one-name",
    "rotated-during-an-outage",
    "canceled-too-late-to-matter",
    "held-for-three-days",
    "held-at-night",
    "nobody-answers",
  ],
  Calendar: [
    "clock-of-the-partner",
    "due-on-a-bank-holiday",
    "due-date-moves-into-the-next-cycle",
    "end-of-month",
    "weekly-retries-end",
    "read-three-weeks-late",
    "first-month-twice",
    "last-cycle",
    "a-year-of-everything",
  ],
  Money: [
    "dunning-meets-the-customer",
    "price-rise",
    "payer-moves-bank",
    "somebody-else-pays",
    "dynamic-code-paid-twice",
    "paid-after-it-expired",
    "refund-nobody-asked-for",
    "refund-to-a-closed-account",
    "payout-comes-back",
  ],
};

const INTRODUCTION = `# Stories

<!-- Generated from scenarios/stories by \`npm run generate\`. -->

This page describes real situations that an integration must handle. Each story has the events, the expensive mistake, and the right reaction. Read them before you write an integration. Each story is a scenario. One command plays it: \`sandbank run scenarios/stories/half-paid-batch.yaml\`.

- \`sandbank run scenarios/stories\` plays all stories.
- \`--target URL --keep all\` keeps their worlds on a server, so that you can read them in its dashboard.
- To test your own system with a story, replace its calls by \`request\` steps to your system ([scenarios.md](scenarios.md#your-own-system)).
`;

/** `docs/stories.md`: a paragraph for each file of \`scenarios/stories\`. Throws if a file is missing in the groups. */
export async function storiesPage(): Promise<string> {
  const folder = new URL("../scenarios/stories/", import.meta.url);
  const files = (await readdir(folder)).map((file) => file.replace(/\.yaml$/, "")).toSorted();
  const grouped = Object.values(groups).flat().toSorted();
  if (files.join() !== grouped.join()) {
    throw new Error(
      `The stories are ${files.join(", ")}, but the groups of the page have ${grouped.join(", ")}.`,
    );
  }
  const story = async (file: string): Promise<string> => {
    const text = await readFile(new URL(`${file}.yaml`, folder), "utf8");
    const { name, description } = parse(text) as { name: string; description: string };
    return `### ${name}\n\n${description}\n\n[scenarios/stories/${file}.yaml](../scenarios/stories/${file}.yaml)\n`;
  };
  const sections = Object.entries(groups).map(
    async ([title, names]) => `## ${title}\n\n${(await Promise.all(names.map(story))).join("\n")}`,
  );
  return [INTRODUCTION, ...(await Promise.all(sections))].join("\n");
}
