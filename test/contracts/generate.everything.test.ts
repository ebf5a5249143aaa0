import { expect, test } from "vitest";
import { join } from "node:path";
import { mkdtempSync, readFileSync } from "node:fs";
import { sandbank } from "../cli/command.ts";
import { tmpdir } from "node:os";
import type { VerificationReport } from "../../src/contracts/verification/report.ts";

test("every pact that is generated from the scenarios of the package passes, on another seed too: it depends on no ids", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pacts-"));
  const generated = await sandbank("contracts", "generate", "--out", folder);
  expect([generated.code, generated.err]).toEqual([0, expect.any(String)]);
  const file = join(folder, "partner-banking-service.json");
  const { interactions } = JSON.parse(readFileSync(file, "utf8")) as { interactions: unknown[] };
  const { code, out } = await sandbank("contracts", "verify", file, "--seed", "4242", "--reporter", "json");
  const { pacts } = JSON.parse(out) as VerificationReport;
  const verdicts = pacts.flatMap((pact) => pact.interactions);
  expect(verdicts.filter(({ verdict }) => verdict !== "passed")).toEqual([]);
  expect(verdicts).toHaveLength(interactions.length);
  expect(code).toBe(0);
});
