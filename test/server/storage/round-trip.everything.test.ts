import { createSandbox } from "../../../src/library/sandbox.ts";
import { expect, onTestFinished, test } from "vitest";
import { coveringScenarios } from "../../scenario-runs.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RECEIVER_URL } from "../../partner.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { tmpdir } from "node:os";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";

/** Whatever can happen comes back from the disk as it was, every record and every entry. */
const scenarios = coveringScenarios();

test("the worlds of scenarios in which everything happens are the same after a restart, byte for byte", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lost: string[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const data = join(folder, `${index}.json`);
    const result = await runScenario(scenario, {
      openWorld: async ({ receiver, name: _name, ...options }) => {
        const made = { ...options, mode: "frozen" as const, webhookUrl: RECEIVER_URL, data };
        const sandbox = await createSandbox({ ...made, transport: transportTo(receiver) });
        return {
          fetch: (path, init) => sandbox.fetch(path, init),
          tokens: { acme: "acme-token", globex: "globex-token", initech: "initech-token" },
          receiver,
          digest: () => sandbox.digest(),
          [Symbol.asyncDispose]: () => sandbox.close(),
        };
      },
    });
    await using again = await createSandbox({ data });
    if (again.digest() !== result.digest) lost.push(scenario.name);
  }
  expect(scenarios.length).toBeGreaterThan(100);
  expect(lost).toEqual([]);
}, 400_000);
