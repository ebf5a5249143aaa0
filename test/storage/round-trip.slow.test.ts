import { createSandbox } from "../../src/library/sandbox.ts";
import { expect, onTestFinished, test } from "vitest";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseScenario } from "../../src/tools/scenarios/parse.ts";
import { RECEIVER_URL } from "../partner.ts";
import { runScenario } from "../../src/tools/scenarios/run.ts";
import { scenarioContext } from "../../src/tools/scenarios/context.ts";
import { tmpdir } from "node:os";
import { transportTo } from "../../src/webhooks/in-process.ts";

/** Whatever any scenario leaves behind comes back from the disk as it was, every record and every entry. */
const context = scenarioContext();
const scenarios = globSync("scenarios/**/*.yaml")
  .sort()
  .flatMap((file) => parseScenario(readFileSync(file, "utf8"), file, context).scenarios);

test("the worlds of every shipped scenario are the same after a restart, byte for byte", async () => {
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
  expect(scenarios.length).toBeGreaterThan(7);
  expect(lost).toEqual([]);
}, 400_000);
