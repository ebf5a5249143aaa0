import { createRequire } from "node:module";
import type { VerifierOptions } from "@pact-foundation/pact";

/**
 * The verifier in its own process: it is native code that prints its report to standard output, and its
 * crash must not end our process. It receives one list of jobs over IPC and answers them one by one.
 */
export interface VerifierAnswer {
  /** The verifier's JSON result of each part of the job, whether interactions failed or not. */
  readonly texts: readonly string[];
}

/**
 * The native verifier below the `Verifier` of `@pact-foundation/pact`, whose proxy would change the bodies on their way
 * (docs/decisions/0004-pact-files-are-data.md).
 */
const pactCore = createRequire(createRequire(import.meta.url).resolve("@pact-foundation/pact"))(
  "@pact-foundation/pact-core",
) as { default: { verifyPacts(options: VerifierOptions): Promise<string> } };

process.once("message", (jobs: readonly (readonly VerifierOptions[])[]) => {
  void verifyAll(jobs);
});

async function verifyAll(jobs: readonly (readonly VerifierOptions[])[]): Promise<void> {
  for (const parts of jobs) {
    const texts: string[] = [];
    for (const part of parts)
      texts.push(
        await pactCore.default.verifyPacts(part).catch((error: unknown) => (error as Error).message),
      );
    const answer: VerifierAnswer = { texts };
    await new Promise((resolve) => {
      process.send?.(answer, resolve);
    });
  }
  process.disconnect();
}
