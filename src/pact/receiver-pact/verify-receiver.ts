import type { InteractionResult } from "../verification/run-verifier.ts";
import type { PactFile } from "../verification/pact-file.ts";
import type { VerifiedPact } from "../verification/verification.ts";
import { verdictOf } from "../verification/verification.ts";
import { openSigningProxy } from "./signing-proxy.ts";
import { runVerifier, VerifierFailure } from "../verification/run-verifier.ts";

export interface ReceiverVerification {
  readonly url: string;
  readonly secret: string;
  readonly pacts: readonly PactFile[];
  readonly timeoutMs: number;
}

/** Verifies that a receiver keeps the pacts of the platform's webhooks; each delivery is signed on its way. */
export async function verifyReceiver(options: ReceiverVerification): Promise<VerifiedPact[]> {
  const { url, secret, pacts, timeoutMs } = options;
  await using proxy = await openSigningProxy({ url, secret });
  const jobs = pacts.map(({ file, provider }) => ({
    provider,
    providerBaseUrl: proxy.url,
    pactUrls: [file],
    timeout: timeoutMs,
    logLevel: "error" as const,
    failIfNoPactsFound: true,
  }));
  const verified: VerifiedPact[] = [];
  await runVerifier(jobs, (results: readonly InteractionResult[], index) => {
    const pact = pacts[index]!;
    const { consumer, provider, file: source } = pact;
    const interactions = results.map((result) => verdictOf(result, undefined, pact));
    verified.push({ consumer, provider, source, interactions });
  });
  const count = verified.reduce((sum, { interactions }) => sum + interactions.length, 0);
  if (proxy.failures.length >= count) {
    throw new VerifierFailure(
      `Failed to reach ${url}: ${proxy.failures[0]}. Start the receiver, or check the address.`,
    );
  }
  return verified;
}
