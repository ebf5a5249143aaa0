import { createRequire } from "node:module";
import type { VerifierOptions } from "@pact-foundation/pact-core";

/**
 * The native verifier below the `Verifier` of `@pact-foundation/pact`, whose proxy would change the bodies on their way
 * (docs/decisions/0004-pact-files-are-data.md).
 */
const pactCore = createRequire(import.meta.url)("@pact-foundation/pact-core") as {
  default: { verifyPacts(options: VerifierOptions): Promise<string> };
};

/**
 * The verifier in its own process: it is native code that prints its report to standard output, and its
 * crash must not end our process. It receives one list of jobs over IPC and answers each with the verifier's JSON
 * result, whether interactions failed or not.
 */
process.once("message", (jobs: readonly VerifierOptions[]) => void verifyAll(jobs));

async function verifyAll(jobs: readonly VerifierOptions[]): Promise<void> {
  for (const job of jobs) {
    const answer = await pactCore.default.verifyPacts(job).catch((error: Error) => error.message);
    await new Promise((resolve) => {
      process.send?.(answer, resolve);
    });
  }
  process.disconnect();
}
