import { writeFileSync } from "node:fs";
import { DIGESTS, digestName, run, shippedScenarios } from "../test/scenario-runs.ts";

// Writes down the digest of the journal that each shipped scenario leaves. Run it after a change of behaviour that
// is meant, and look at which scenarios it touches.
const digests: Record<string, string> = {};
for (const scenario of shippedScenarios().flatMap(({ scenarios }) => scenarios)) {
  const { digest, failure } = await run(scenario);
  if (failure !== undefined || digest === undefined) {
    process.stderr.write(`Failed to run ${digestName(scenario)}: ${failure?.message}. Mend it first.\n`);
    process.exitCode = 1;
  } else digests[digestName(scenario)] = digest;
}
if (process.exitCode === undefined) writeFileSync(DIGESTS, `${JSON.stringify(digests, null, 2)}\n`);
