import type { Fetch } from "../../base/proxy.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import type { PactFile, PactInteraction } from "./pact-file.ts";
import type { VerifierOptions } from "@pact-foundation/pact-core";
import { NO_MESSAGES, type Passage, type TokenRule, openProviderProxy } from "./provider-proxy.ts";
import { type InteractionResult, type Mismatch, runVerifier } from "./run-verifier.ts";

export interface VerifiedInteraction {
  readonly description: string;
  readonly type: PactInteraction["type"];
  readonly states: readonly string[];
  /** passed and failed as usual; pending: failed, but the broker marks it as not counting yet. */
  readonly verdict: "passed" | "failed" | "pending" | "skipped";
  readonly request?: { readonly method: string; readonly path: string };
  readonly mismatches: readonly Mismatch[];
  /** Reasons other than mismatches: a state that was refused, an unknown token. */
  readonly reasons: readonly string[];
}

/** The result of one pact. */
export interface VerifiedPact {
  readonly consumer: string;
  readonly provider: string;
  /** The file, or the broker it came from. */
  readonly source: string;
  readonly interactions: readonly VerifiedInteraction[];
}

export interface VerificationOptions {
  readonly pacts: readonly PactFile[];
  /** Addresses of single pacts. */
  readonly urls: readonly string[];
  /** The options of the official verifier for a broker as source of pacts. */
  readonly broker?: Partial<VerifierOptions>;
  /** The provider's name at the broker. */
  readonly provider: string;
  /** The address of the provider, or its function in this process. */
  readonly target: string | Fetch;
  readonly hasStates: boolean;
  /** The certificate of the client, for a provider that asks for one. */
  readonly certificate?: ClientCertificate | undefined;
  readonly tokenRule: TokenRule;
  /** A token that the sandbox accepts, for the advice on a 401. */
  readonly knownToken: string;
  /** Time limit of one request. */
  readonly timeoutMs: number;
  /** Called when an interaction begins, with how many have begun. */
  readonly progress?: (begun: number) => void;
}

/** Verifies pacts against a provider. Every interaction starts from a fresh state if the provider has states. */
export async function verifyPacts(options: VerificationOptions): Promise<VerifiedPact[]> {
  const { pacts, urls, broker, target, tokenRule, hasStates, progress } = options;
  let begun = 0;
  await using proxy = await openProviderProxy({
    target: typeof target === "string" ? target.replace(/\/+$/, "") : target,
    tokenRule,
    hasStates,
    certificate: options.certificate,
    onInteraction: () => progress?.(++begun),
  });
  const common: VerifierOptions = {
    provider: options.provider,
    providerBaseUrl: proxy.url,
    providerStatesSetupUrl: `${proxy.url}/sandbox/pact/states`,
    transports: [{ protocol: "message", port: proxy.port, path: "/sandbox/pact/messages" }],
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
    const passages = proxy.takePassages();
    const pact = pacts[index];
    const source = pact?.file ?? urls[index - pacts.length] ?? broker?.pactBrokerUrl ?? "";
    const checked = results.map((result, at) => {
      const passage = passages.length === results.length ? passages[at] : undefined;
      return { result, interaction: verdictOf(result, passage, { pact, knownToken: options.knownToken }) };
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

/** Returns the verdict on an interaction, from the verifier's result and its recorded requests. */
export function verdictOf(
  result: InteractionResult,
  passage: Passage | undefined,
  {
    pact,
    knownToken = "",
  }: {
    /** The file of the interaction; undefined for a pact from an address or a broker. */
    readonly pact: PactFile | undefined;
    readonly knownToken?: string;
  },
): VerifiedInteraction {
  const { description, providerStates: states, pending, mismatch } = result;
  const written = pact?.interactions.find(
    (one) => one.description === description && one.states.join("\n") === states.join("\n"),
  );
  const refusals = passage?.refusals ?? [];
  const isSkipped = refusals.includes(NO_MESSAGES);
  // If a pact expects little, the refusal of a message may match its expectations.
  const hasPassed = result.result === "OK" && refusals.length === 0;
  const request = passage?.request ?? written?.request;
  const message = mismatch?.message !== undefined && refusals.length === 0 ? [mismatch.message] : [];
  const mismatches = mismatch?.mismatches ?? [];
  const missing = missingValues(passage, written);
  return {
    description,
    type: written?.type ?? (passage?.request === undefined ? "message" : "http"),
    states,
    verdict: hasPassed ? "passed" : isSkipped ? "skipped" : pending ? "pending" : "failed",
    ...(request && { request: { method: request.method, path: request.path } }),
    mismatches: hasPassed || isSkipped ? [] : mismatches,
    reasons: hasPassed
      ? []
      : [...refusals, ...message, ...missing, ...statusReasons(passage, mismatches, knownToken)],
  };
}

/** Values that the pact's generators need and no state returned: the verifier silently sends the example. */
function missingValues(passage: Passage | undefined, written: PactInteraction | undefined): string[] {
  if (passage === undefined || passage.refusals.length > 0) return [];
  const names = [...passage.returned];
  const missing = new Set((written?.requiredValues ?? []).filter((name) => !passage.returned.has(name)));
  return Array.from(missing, (name) => {
    const returned = names.length === 0 ? "nothing" : names.join(", ");
    return `The pact requires \${${name}} of its states, which return ${returned}.`;
  });
}

/** The beginning of a reason in the provider's own words, which are not part of any contract. */
export const PROVIDER_SAYS = "The provider says:";

/** Returns the reasons for another status, in the provider's own words. */
function statusReasons(
  passage: Passage | undefined,
  mismatches: readonly Mismatch[],
  knownToken: string,
): string[] {
  const isOtherStatus = mismatches.some(({ type }) => type === "StatusMismatch");
  if (passage?.request === undefined || !isOtherStatus) return [];
  const { hasToken, status, refusal } = passage.request;
  if (status !== 401) return refusal === undefined ? [] : [`${PROVIDER_SAYS} ${refusal}`];
  const found = hasToken
    ? "The provider does not know the token that the pact sends"
    : "The pact sends no token";
  return [`${found}. Send Authorization: Bearer ${knownToken}, or name a good token with --token.`];
}
