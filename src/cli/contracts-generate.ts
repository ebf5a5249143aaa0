import { endBy } from "./reports.ts";
import { note, print } from "./standard-streams.ts";
import { localClient } from "../server/control/local-client.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { type ValuesOf, command } from "./command.ts";
import { readAs, text, texts } from "./flags.ts";
import { openSandbox } from "../library/sandbox.ts";
import { type Generated, generatePacts } from "../contracts/generation/generate.ts";
import { join } from "node:path";
import { PlayedWorld } from "../server/access/played-world.ts";
import { readScenarios, SHIPPED_SCENARIOS } from "../scenarios/scenario-files.ts";
import { DEFAULT_START } from "../scenarios/scenario.ts";
import { mergedPact, withScenarioFolders } from "../contracts/generation/pact-json.ts";
import { statusLine, writeMerged } from "./output.ts";
import type { Wall } from "../base/wall.ts";

const flags = {
  scenarios: texts("Scenario files, or folders of them", { isArgument: true }),
  out: readAs(folderOf, "Write the pacts to this folder", { default: "pacts" }),
  consumer: text("Name of the consumer in the pacts", { default: "partner" }),
  start: text("Start time of the clock", { default: DEFAULT_START }),
};

function folderOf(written: string, flag: string): string {
  if (written === "") throw new UsageError(`${flag} must name a folder; found "".`);
  return written;
}

type GenerateFlags = ValuesOf<typeof flags>;

/**
 * Runs scenarios and writes them as pacts, a file for each pair of consumer and provider. The command fails if a
 * scenario fails.
 */
export const generateCommand = command(flags, async ({ out, ...flags }, wall) => {
  const { pacts, skipped } = await generated({ ...flags, wall });
  const own = readScenarios(flags.scenarios ?? []).map(({ file }) => file);
  for (const { scenario, reason } of skipped)
    note(`Skipped: ${scenario.name} (${scenario.file}). ${reason}\n`);
  if (pacts.every(({ interactions }) => interactions === 0)) {
    throw new FileMistakes(
      "Failed to generate pacts: the scenarios contain no call of the platform API and cause no webhook. Name other scenarios.",
    );
  }
  endBy({ suites: [{ name: "scenarios", verdict: skipped.length > 0 ? "failed" : "passed", cases: [] }] });
  for (const { name, text, interactions } of pacts) {
    const file = join(out, name);
    await writeMerged(withScenarioFolders(text, own, out), file, mergedPact);
    print(`${file}: ${interactions} interactions\n`);
  }
});

/** Generates the pacts of the named scenarios, or of the package's scenarios. */
export async function generated({
  scenarios: named = [],
  consumer,
  start,
  wall,
}: Partial<GenerateFlags> &
  Pick<GenerateFlags, "consumer" | "start"> & { readonly wall: Wall }): Promise<Generated> {
  const scenarios = readScenarios(named.length === 0 ? [SHIPPED_SCENARIOS] : named);
  const { sandbox, worlds } = await openSandbox({ start, states: named });
  await using _ = sandbox;
  const show = statusLine(wall);
  try {
    return await generatePacts(scenarios, {
      world: new PlayedWorld(worlds.default),
      fetch: localClient(sandbox).send,
      consumer,
      progress: (part) => show(`Recording scenarios: ${Math.floor(part * 100)} %`),
    });
  } finally {
    show("");
  }
}
