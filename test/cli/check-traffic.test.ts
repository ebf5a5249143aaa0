import { expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { folderWith } from "./scenario-files.ts";
import { sandbank } from "./command.ts";

test("check-traffic ends with 1 for a finding, 0 without one, and 2 if it cannot decide", async () => {
  using folder = folderWith({});
  const file = folder.at("a.har");
  const checked = async (scenario: string) => {
    await sandbank("run", scenario, "--har", file);
    return sandbank("check-traffic", file);
  };
  const wrong = await checked("scenarios/stories/payout-under-a-new-key.yaml");
  expect(wrong.code).toBe(1);
  expect(wrong.out).toContain("createPayout was carried out twice for invoice-1 (100.00)");
  expect(wrong.out).toContain("entries 0, 1");
  const right = await checked("scenarios/payouts/comes-back.yaml");
  expect([right.code, right.out]).toEqual([0, expect.stringContaining("✓")]);
  writeFileSync(file, JSON.stringify({ log: { entries: [] } }));
  const empty = await sandbank("check-traffic", file);
  expect([empty.code, empty.err]).toEqual([2, expect.stringContaining("no call of the platform API")]);
  expect((await sandbank("check-traffic")).code).toBe(2);
});
