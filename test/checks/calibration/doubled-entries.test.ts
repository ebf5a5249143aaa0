import type { HarEntry } from "../../../src/traffic/har.ts";
import { writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { folderWith } from "../../cli/scenario-files.ts";
import { sandbank } from "../../cli/command.ts";
import { storyOf, trafficOf } from "./traffic.ts";

const STORY = `\
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-1 }
  save: sub
- act: subscription.accept
  on: \${sub.id}
- receiver: { answers: [500, 500, 500, 500, 200] }
- call: createPayout
  body: { $use: payout.pix }
  key: k-1
- advance: PT10H
- call: createPayout
  body: { $use: payout.pix, externalId: payout-2 }
  key: k-2
- call: createPayout
  body: { $use: payout.pix, externalId: payout-2 }
  key: k-2
- receiver: { answers: [500, 200] }
- advance: PT10H
- call: getSubscription
  path: { id: "\${sub.id}" }`;

let entries: readonly HarEntry[] = [];

beforeAll(async () => {
  const traffic = await trafficOf(storyOf(STORY), { "payout.pix-delay": "PT7S" });
  ({ entries } = traffic);
});

interface Calibrated {
  readonly notes: readonly string[];
  readonly contradicted: readonly string[];
}

/** Calibrates a file with these entries. */
async function calibrated(written: readonly unknown[]): Promise<Calibrated> {
  using folder = folderWith({});
  writeFileSync(folder.at("a.har"), JSON.stringify({ log: { entries: written } }));
  const { out, err } = await sandbank("calibrate", folder.at("a.har"), "--reporter", "json");
  // Without a call of the platform API there is no report.
  if (out === "") return { notes: [err], contradicted: [] };
  const { assumptions, notes } = JSON.parse(out) as {
    notes: string[];
    assumptions: { id: string; verdict: string }[];
  };
  const contradicted = assumptions.filter(({ verdict }) => verdict === "contradicted").map(({ id }) => id);
  return { notes, contradicted };
}

test("entries that are there twice count once, with a note", async () => {
  const once = await calibrated(entries);
  const twice = await calibrated(entries.flatMap((entry) => [entry, { ...entry, time: 1 }]));
  expect(once.contradicted).toContain("payout.pix-delay");
  expect(twice).toEqual({
    ...once,
    notes: [
      `${entries.length} entries are there twice, with the same time, request and answer. They count once.`,
      ...once.notes,
    ],
  });
});

test("doubled, reordered and missing entries add no contradiction", async () => {
  const { contradicted } = await calibrated(entries);
  const all = Array.from(entries.keys());
  const reordered = fc.shuffledSubarray(all, { minLength: all.length });
  const missing = fc.subarray(all);
  const doubled = fc.array(fc.nat(all.length - 1), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(reordered, missing), doubled, async (some, again) => {
      const twice = again.filter((place) => some.includes(place));
      const found = await calibrated([...some, ...twice].map((place) => entries[place]));
      const added = found.contradicted.filter((id) => !contradicted.includes(id));
      expect(added).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
