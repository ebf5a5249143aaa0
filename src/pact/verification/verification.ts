import type { InteractionResult, Mismatch } from "./run-verifier.ts";
import type { InteractionType, PactFile, PactInteraction } from "./pact-file.ts";
import type { Passage } from "./provider-front.ts";
import type { TokenRule } from "./token-rule.ts";
import type { VerifierOptions } from "@pact-foundation/pact-core";
import { NO_MESSAGES, openFront } from "./provider-front.ts";
import { runVerifier } from "./run-verifier.ts";

/** passed and failed as usual; pending: failed, and the broker says that it does not count yet. */
export type InteractionVerdict = "passed" | "failed" | "pending" | "skipped";

export interface VerifiedInteraction {
  readonly description: string;
  readonly type: InteractionType;
  readonly states: readonly string[];
  readonly verdict: InteractionVerdict;
  readonly request?: { readonly method: string; readonly path: string };
  readonly mismatches: readonly Mismatch[];
  /** Why, where no mismatch says it: a state that was refused, a token that is not known. */
  readonly reasons: readonly string[];
}

/** One pact and how it was kept. */
export interface VerifiedPact {
  readonly consumer: string;
  readonly provider: string;
  /** The file, or the broker it came from. */
  readonly source: string;
  readonly interactions: readonly VerifiedInteraction[];
}

/** Where pacts come from beside files: a broker, with the options that the official verifier takes. */
export type BrokerSource = Pick<
  VerifierOptions,
  | "pactBrokerUrl"
  | "pactBrokerToken"
  | "pactBrokerUsername"
  | "pactBrokerPassword"
  | "consumerVersionSelectors"
  | "consumerFilters"
  | "enablePending"
  | "publishVerificationResult"
  | "providerVersion"
  | "providerVersionBranch"
  | "buildUrl"
>;

export interface VerificationOptions {
  readonly pacts: readonly PactFile[];
  /** Addresses of single pacts. */
  readonly urls: readonly string[];
  readonly broker?: BrokerSource;
  /** The provider's name at the broker. */
  readonly provider: string;
  /** Where the provider answers. */
  readonly target: string;
  readonly hasStates: boolean;
  readonly tokenRule: TokenRule;
  /** How long one request may take. */
  readonly timeoutMs: number;
}

/** Verifies pacts against a provider, every interaction from a fresh state where the provider can be put into one. */
export async function verifyPacts(options: VerificationOptions): Promise<VerifiedPact[]> {
  const { pacts, urls, broker, target, tokenRule, hasStates } = options;
  await using front = await openFront({ target: target.replace(/\/+$/, ""), tokenRule, hasStates });
  const common: VerifierOptions = {
    provider: options.provider,
    providerBaseUrl: front.url,
    providerStatesSetupUrl: `${front.url}/sandbox/pact/states`,
    transports: [{ protocol: "message", port: front.port, path: "/sandbox/pact/messages" }],
    timeout: options.timeoutMs,
    logLevel: "error",
    failIfNoPactsFound: true,
  };
  const jobs: VerifierOptions[] = [
    ...pacts.map(({ file, provider }) => ({ ...common, provider, pactUrls: [file] })),
    ...urls.map((url) => ({ ...common, pactUrls: [url] })),
    ...(broker === undefined ? [] : [{ ...common, ...broker }]),
  ];
  const verified: VerifiedPact[] = [];
  await runVerifier(jobs, (results, index) => {
    const passages = front.takePassages();
    const pact = pacts[index];
    const source = pact?.file ?? urls[index - pacts.length] ?? broker?.pactBrokerUrl ?? "";
    const checked = results.map((result, at) => {
      const passage = passages.length === results.length ? passages[at] : undefined;
      return { result, interaction: verdictOf(result, passage, pact) };
    });
    for (const [name, own] of Map.groupBy(checked, ({ result }) => result.consumer)) {
      const provider = own[0]?.result.provider ?? options.provider;
      verified.push({
        consumer: name,
        provider,
        source,
        interactions: own.map(({ interaction }) => interaction),
      });
    }
  });
  return verified;
}

/** What the verifier says of an interaction, with what went through for it. */
export function verdictOf(
  result: InteractionResult,
  passage: Passage | undefined,
  pact: PactFile | undefined,
): VerifiedInteraction {
  const { description, providerStates: states, pending, mismatch } = result;
  const written = pact?.interactions.find(
    (one) => one.description === description && one.states.join("\n") === states.join("\n"),
  );
  const refusals = passage?.refusals ?? [];
  const isSkipped = refusals.includes(NO_MESSAGES);
  // A message that was refused may look like the one expected, where little is expected.
  const isKept = result.result === "OK" && refusals.length === 0;
  const request = passage?.exchange ?? written?.request;
  const told = mismatch?.message !== undefined && refusals.length === 0 ? [mismatch.message] : [];
  const mismatches = mismatch?.mismatches ?? [];
  const missing = missingValues(passage, written);
  return {
    description,
    type: written?.type ?? (passage?.exchange === undefined ? "message" : "http"),
    states,
    verdict: isKept ? "passed" : isSkipped ? "skipped" : pending ? "pending" : "failed",
    ...(request && { request: { method: request.method, path: request.path } }),
    mismatches: isKept || isSkipped ? [] : mismatches,
    reasons: isKept ? [] : [...refusals, ...told, ...missing, ...statusReasons(passage, mismatches)],
  };
}

/** What the pact's generators want and no state gave: the verifier then sends the example without a word. */
function missingValues(passage: Passage | undefined, written: PactInteraction | undefined): string[] {
  if (passage === undefined || passage.refusals.length > 0) return [];
  const given = [...passage.returned];
  const missing = new Set((written?.wanted ?? []).filter((name) => !passage.returned.has(name)));
  return Array.from(missing, (name) => {
    const returned = given.length === 0 ? "nothing" : given.join(", ");
    return `The pact wants \${${name}} of its states, which return ${returned}.`;
  });
}

/** What begins a reason in the provider's own words, which nobody promised. */
export const PROVIDER_SAYS = "The provider says:";

/** Why the provider answered with another status, in its own words. */
function statusReasons(passage: Passage | undefined, mismatches: readonly Mismatch[]): string[] {
  const isSurprised = mismatches.some(({ type }) => type === "StatusMismatch");
  if (passage?.exchange === undefined || !isSurprised) return [];
  const { hasToken, status, refusal } = passage.exchange;
  if (status !== 401) return refusal === undefined ? [] : [`${PROVIDER_SAYS} ${refusal}`];
  const found = hasToken
    ? "The provider does not know the token that the pact sends"
    : "The pact sends no token";
  return [`${found}. Send Authorization: Bearer acme-token, or name a good token with --token.`];
}
