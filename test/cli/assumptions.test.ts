import { expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { folderWith } from "./scenario-files.ts";
import { createSandbox } from "../../src/index.ts";
import type { AssumptionList } from "../../src/simulator/api/generated/shapes.ts";
import { sandbank } from "./command.ts";

test("assumptions and a sandbox show what the report of calibrate says about each, and a summary", async () => {
  using folder = folderWith({});
  const [har, report] = [folder.at("a.har"), folder.at("report.json")];
  await sandbank("run", "scenarios/payouts/comes-back.yaml", "--har", har);
  await sandbank("calibrate", har, "--reporter", `json=${report}`);
  const { out, code } = await sandbank("assumptions", "--report", report);
  expect(code).toBe(0);
  const confirmed = out.match(/^\S+ = .* {2}\(confirmed by traffic\)$/gm) ?? [];
  const [, all, counted] =
    /Of (\d+) settable assumptions (\d+) are confirmed, \d+ contradicted, /.exec(out) ?? [];
  expect(confirmed.length).toBeGreaterThan(0);
  expect(Number(counted)).toBe(confirmed.length);
  expect(Number(all)).toBeGreaterThan(100);
  expect(out).toContain("(never seen in traffic)");
  const json = await sandbank("assumptions", "--json", "--report", report);
  const listed = JSON.parse(json.out) as { verdict: string; settable: boolean }[];
  const same = listed.filter(({ verdict, settable }) => settable && verdict === "confirmed");
  expect(same).toHaveLength(confirmed.length);
  const listedBy = async (calibrationReport: string) => {
    await using sandbox = await createSandbox({ calibrationReport });
    return (await (await sandbox.fetch("/sandbox/assumptions")).json()) as AssumptionList;
  };
  const { data, calibration } = await listedBy(report);
  expect(data.filter(({ verdict, settable }) => settable && verdict === "confirmed")).toHaveLength(
    confirmed.length,
  );
  expect(out.endsWith(`${calibration}\n`)).toBe(true);
  const unread = await listedBy(folder.at("missing.json"));
  expect(unread.calibration).toContain("Failed to read ");
  expect(unread.data[0]).not.toHaveProperty("verdict");
});

test("assumptions without a report has no verdicts, and refuses another file with exit code 2", async () => {
  using folder = folderWith({});
  expect((await sandbank("assumptions")).out).not.toContain("settable assumptions");
  writeFileSync(folder.at("other.json"), "{}");
  const other = await sandbank("assumptions", "--report", folder.at("other.json"));
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("it is no report of the assumptions")]);
  expect((await sandbank("assumptions", "--report", folder.at("missing.json"))).code).toBe(2);
});
