import type { PactFile } from "./pact-file.ts";
import { forward, openProxy } from "../../base/proxy.ts";
import { signatureForms } from "../../simulator/platform/faults/signature-forms.ts";
import { runVerifier } from "./run-verifier.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../simulator/api/signature.ts";
import { type VerifiedInteraction, type VerifiedPact, verdictOf } from "./verification.ts";
import { FileMistakes } from "../../base/failures.ts";

/** The header of a pact with the way of signing for the signing proxy. The proxy removes it. */
export const SIGN_HEADER = "X-Sandbox-Sign";

/** The signature of a delivery: correct, or in one of the forms that a receiver has to reject. */
export type Signing = keyof typeof signers;

const signers = {
  valid: signatureOf,
  "wrong-secret": (secret, body) => signatureOf(`not ${secret}`, body),
  "empty-secret": (_secret, body) => signatureOf("", body),
  "other-bytes": (secret, body) => signatureOf(secret, Buffer.concat([body, Buffer.from("\n")])),
  short: signatureForms.short.write,
  none: () => undefined,
} as const satisfies Record<string, (secret: string, body: Buffer) => string | undefined>;

export interface ReceiverVerification {
  readonly url: string;
  readonly secret: string;
  readonly pacts: readonly PactFile[];
  readonly timeoutMs: number;
}

/** Verifies a receiver against pacts of the platform's webhooks; each delivery is signed on the way. */
export async function verifyReceiver(options: ReceiverVerification): Promise<VerifiedPact[]> {
  const { url, pacts, timeoutMs } = options;
  await using proxy = await openSigningProxy(options);
  const jobs = pacts.map(({ file, provider }) => ({
    provider,
    providerBaseUrl: proxy.url,
    pactUrls: [file],
    timeout: timeoutMs,
    logLevel: "error" as const,
    failIfNoPactsFound: true,
  }));
  const verified: VerifiedPact[] = [];
  await runVerifier(jobs, (results, index) => {
    const pact = pacts[index]!;
    const { consumer, provider, file: source } = pact;
    const interactions = results.map((result) => verdictOf(result, undefined, { pact }));
    verified.push({ consumer, provider, source, interactions });
  });
  const count = verified.reduce((sum, { interactions }) => sum + interactions.length, 0);
  if (proxy.failures.length >= count) {
    throw new FileMistakes(
      `Failed to reach ${url}: ${proxy.failures[0]}. Start the receiver, or check the address.`,
    );
  }
  return verified.map((one) => ({ ...one, interactions: one.interactions.map(withSecret) }));

  /** Names the secret as the cause if each delivery with a right signature was refused with 401. */
  function withSecret(interaction: VerifiedInteraction): VerifiedInteraction {
    const isRefused = interaction.mismatches.some(
      ({ type, actual }) => type === "StatusMismatch" && isStatus401(actual),
    );
    return proxy.isEachSignatureRefused && isRefused
      ? { ...interaction, reasons: [...interaction.reasons, OTHER_SECRET] }
      : interaction;
  }
}

const OTHER_SECRET =
  "The receiver refuses each delivery with a right signature, so it has another secret. Name the secret with --secret.";

function isStatus401(actual: unknown): boolean {
  return String(actual) === "401";
}

/**
 * Opens a proxy between the verifier and a receiver. It signs the bytes of the pact in the way that the pact's private
 * header names. A pact cannot contain a signature, because it does not know the receiver's secret.
 */
async function openSigningProxy({ url, secret }: ReceiverVerification) {
  const receiver = new URL(url);
  const failures: string[] = [];
  const statuses: number[] = [];
  const proxy = await openProxy({
    answer: async (request, body, response) => {
      const { [SIGN_HEADER.toLowerCase()]: way = "valid", ...headers } = request.headers;
      const sign: (secret: string, body: Buffer) => string | undefined = Object.hasOwn(signers, String(way))
        ? signers[way as Signing]
        : signatureOf;
      const signature = sign(secret, body);
      const signed = {
        method: request.method ?? "POST",
        url: receiver.pathname + receiver.search,
        headers: { ...headers, ...(signature !== undefined && { [SIGNATURE_HEADER]: signature }) },
      };
      const answer = await forward(receiver.origin, signed, body);
      if (sign === signatureOf) statuses.push(answer.status);
      response.writeHead(answer.status, answer.headers).end(answer.bytes);
    },
    onError: (error, response) => {
      failures.push(error.message);
      response.writeHead(502).end();
    },
  });
  return {
    url: proxy.url,
    /** The reasons why the receiver could not be reached, one for each try. */
    failures,
    /** True if there were deliveries with a right signature, and each was answered with 401. */
    get isEachSignatureRefused() {
      return statuses.length > 0 && statuses.every((status) => status === 401);
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
