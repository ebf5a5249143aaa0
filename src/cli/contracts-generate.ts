import { createSandbox } from "../library/sandbox.ts";
import { fileURLToPath } from "node:url";
import { FileMistakes } from "./usage-error.ts";
import { type Generated, generatePacts } from "../tools/pact/generation/generate.ts";
import { join } from "node:path";
import { readScenarios } from "./scenario-files.ts";
import { withScenarioFolders } from "../tools/pact/generation/pact-json.ts";
import { ScriptedReceiver } from "../tools/scenarios/receiver.ts";
import { transportTo } from "../webhooks/in-process.ts";
import { statusLine, writeOutput } from "./output.ts";

export interface GenerateFlags {
  readonly scenarios?: string[] | undefined;
  readonly out: string;
  readonly consumer: string;
  readonly start: string;
}

const SHIPPED = fileURLToPath(new URL("../../scenarios/", import.meta.url));

/** Runs scenarios and writes them as pacts, a file for each pair of consumer and provider; exit code 1 where one fails. */
export async function generateContracts({ out, ...flags }: GenerateFlags): Promise<void> {
  const { pacts, skipped } = await generated(flags);
  const own = readScenarios(flags.scenarios ?? []).map(({ file }) => file);
  for (const { scenario, reason } of skipped)
    process.stderr.write(`Skipped: ${scenario.name} (${scenario.file}). ${reason}\n`);
  if (pacts.every(({ interactions }) => interactions === 0)) {
    throw new FileMistakes(
      "Failed to generate pacts: the scenarios contain no call of the interface and cause no webhook. Name other scenarios.",
    );
  }
  if (skipped.length > 0) process.exitCode = 1;
  for (const { name, text, interactions } of pacts) {
    const file = join(out, name);
    await writeOutput(withScenarioFolders(text, own, out), file);
    process.stdout.write(`${file}: ${interactions} interactions\n`);
  }
}

/** The pacts of the named scenarios, or of those of the package. */
export async function generated({
  scenarios: named = [],
  consumer,
  start,
}: Omit<GenerateFlags, "out">): Promise<Generated> {
  const scenarios = readScenarios(named.length === 0 ? [SHIPPED] : named);
  await using sandbox = await createSandbox({
    start,
    states: named,
    transport: transportTo(new ScriptedReceiver()),
  });
  const show = statusLine();
  try {
    return await generatePacts(scenarios, {
      fetch: (path, init) => sandbox.fetch(path, init),
      consumer,
      progress: (part) => show(`Recording scenarios: ${Math.floor(part * 100)} %`),
    });
  } finally {
    show("");
  }
}
