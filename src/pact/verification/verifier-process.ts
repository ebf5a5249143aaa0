import type { VerifierOptions } from "@pact-foundation/pact-core";
import pactCore from "@pact-foundation/pact-core";

/**
 * The verifier in its own process: it is native code that prints its report to standard output, and its
 * crash must not end our process. It receives one list of jobs over IPC and answers them one by one.
 */
export interface VerifierAnswer {
  /** The verifier's JSON result, whether interactions failed or not. */
  readonly text: string;
}

process.once("message", (jobs: readonly VerifierOptions[]) => {
  void verifyAll(jobs);
});

async function verifyAll(jobs: readonly VerifierOptions[]): Promise<void> {
  for (const job of jobs) {
    const text = await pactCore.default.verifyPacts(job).catch((error: unknown) => (error as Error).message);
    const answer: VerifierAnswer = { text };
    await new Promise((resolve) => {
      process.send?.(answer, resolve);
    });
  }
  process.disconnect();
}
