import type { BrokerSource, VerificationOptions, VerifiedPact } from "../pact/verification/verification.ts";
import type { PactFile } from "../pact/verification/pact-file.ts";
import type { TokenRule } from "../pact/verification/token-rule.ts";
import type { VerificationReport } from "../pact/verification/report.ts";
import { asSent, replacingToken } from "../pact/verification/token-rule.ts";
import { WEBHOOKS } from "../pact/generation/generate.ts";
import { createSandbox } from "../sandbox.ts";
import { OptionMistake } from "../sandbox-options.ts";
import { driftBetween } from "../pact/verification/drift.ts";
import { FileMistakes, UsageError } from "./usage-error.ts";
import { isKept, verificationReports } from "../pact/verification/report.ts";
import { PactFileMistakes, readPacts } from "../pact/verification/pact-file.ts";
import { ownScenarios } from "./own-scenarios.ts";
import { packageVersion } from "./package-version.ts";
import { pairs } from "./pairs.ts";
import { readingStates } from "./contracts-states.ts";
import { ScriptedReceiver } from "../scenarios/receiver.ts";
import { stateLibrary } from "../pact/states/shipped-states.ts";
import { transportTo } from "../webhooks/in-process.ts";
import { VerifierFailure } from "../pact/verification/run-verifier.ts";
import { verifyPacts } from "../pact/verification/verification.ts";
import { writeOutput } from "./output.ts";
import { mustBeHttpUrl } from "./http-url.ts";

export interface VerifyFlags {
  readonly pacts?: string[] | undefined;
  readonly broker?: string | undefined;
  readonly "broker-token"?: string | undefined;
  readonly consumer?: string[] | undefined;
  readonly "consumer-branch"?: string | undefined;
  readonly provider: string;
  readonly "provider-base-url"?: string | undefined;
  readonly token?: string | undefined;
  readonly states?: string[] | undefined;
  readonly start: string;
  readonly seed?: number | undefined;
  readonly assume?: string[] | undefined;
  readonly reporter: keyof typeof verificationReports;
  readonly out?: string | undefined;
  readonly "publish-results": boolean;
  readonly "provider-version"?: string | undefined;
}

const REQUEST_TIMEOUT_MS = 30_000;

type Sources = Pick<VerificationOptions, "pacts" | "urls" | "provider" | "tokenRule" | "timeoutMs"> & {
  readonly broker?: BrokerSource;
};

/** Verifies pacts and sets the exit code: 0 kept, 1 not kept, 2 could not be tried. */
export async function verifyContracts(flags: VerifyFlags): Promise<void> {
  const sources = sourcesOf(flags);
  const baseUrl = flags["provider-base-url"];
  if (baseUrl !== undefined) mustBeHttpUrl("--provider-base-url", baseUrl);
  try {
    const pacts = await verifySandbox(sources, flags);
    const platform = baseUrl === undefined ? undefined : await verifyPlatform(sources, baseUrl);
    const report: VerificationReport = {
      pacts,
      ...(platform !== undefined && { drift: driftBetween(pacts, platform) }),
    };
    await writeOutput(verificationReports[flags.reporter](report), flags.out);
    if (!isKept(report)) process.exitCode = 1;
  } catch (error) {
    if (error instanceof VerifierFailure) throw new FileMistakes(error.message);
    throw error;
  }
}

function sourcesOf(flags: VerifyFlags): Sources {
  const named = flags.pacts ?? [];
  if (flags["publish-results"] && flags.broker === undefined)
    throw new UsageError("--publish-results tells a broker: name it with --broker URL.");
  if (named.length === 0 && flags.broker === undefined) {
    throw new UsageError("Name what to verify: pact files, folders of them, or --broker URL.");
  }
  const urls = named.filter((one) => /^https?:\/\//.test(one));
  const pacts = consumerPacts(named.filter((one) => !urls.includes(one)));
  const tokenRule: TokenRule = flags.token === undefined ? asSent : replacingToken(flags.token, pacts);
  const common = { pacts, urls, provider: flags.provider, tokenRule, timeoutMs: REQUEST_TIMEOUT_MS };
  return flags.broker === undefined ? common : { ...common, broker: brokerOf(flags.broker, flags) };
}

/** The pacts in which a partner calls; those in which its receiver is called need the receiver. */
function consumerPacts(paths: readonly string[]): PactFile[] {
  const [receivers, pacts] = parted(readPactFiles(paths));
  const told = receivers.map(
    ({ file }) => `${file} is about a webhook receiver: verify it with contracts verify-receiver URL.`,
  );
  if (pacts.length === 0 && told.length > 0) throw new FileMistakes(told.join("\n"));
  for (const line of told) process.stderr.write(`Passed over: ${line}\n`);
  return pacts;
}

/** Pacts of deliveries, and all others. */
export function parted(pacts: readonly PactFile[]): [receivers: PactFile[], others: PactFile[]] {
  const isReceivers = ({ consumer }: PactFile): boolean => consumer === WEBHOOKS;
  return [pacts.filter(isReceivers), pacts.filter((pact) => !isReceivers(pact))];
}

/** Reads pact files and folders; what is no pact is a mistake of its file, exit code 2. */
export function readPactFiles(paths: readonly string[]): PactFile[] {
  try {
    return readPacts(paths);
  } catch (error) {
    if (error instanceof PactFileMistakes) throw new FileMistakes(error.message);
    throw error;
  }
}

/** What the official verifier has to know of the broker; secrets may come from its own usual variables. */
function brokerOf(url: string, flags: VerifyFlags): BrokerSource {
  mustBeHttpUrl("--broker", url);
  const { PACT_BROKER_TOKEN, PACT_BROKER_USERNAME, PACT_BROKER_PASSWORD } = process.env;
  const token = flags["broker-token"] ?? PACT_BROKER_TOKEN;
  const consumers = flags.consumer ?? [];
  const branch = flags["consumer-branch"];
  const wanted = branch === undefined ? [{ mainBranch: true }, { deployedOrReleased: true }] : [{ branch }];
  const version = flags["provider-version"] ?? packageVersion();
  return {
    pactBrokerUrl: url,
    ...(token !== undefined && { pactBrokerToken: token }),
    ...(token === undefined &&
      PACT_BROKER_USERNAME !== undefined && {
        pactBrokerUsername: PACT_BROKER_USERNAME,
        pactBrokerPassword: PACT_BROKER_PASSWORD ?? "",
      }),
    consumerVersionSelectors:
      consumers.length === 0
        ? wanted
        : consumers.flatMap((consumer) => wanted.map((selector) => ({ ...selector, consumer }))),
    ...(consumers.length > 0 && { consumerFilters: consumers }),
    // Results of the sandbox bear its name, so that nobody takes them for the platform's.
    ...(flags["publish-results"] && {
      publishVerificationResult: true,
      providerVersion: version.startsWith("sandbox-") ? version : `sandbox-${version}`,
      providerVersionBranch: "sandbox",
    }),
  };
}

/** A sandbox of its own for the run: nothing of it leaves this machine, and every interaction begins it anew. */
async function verifySandbox(sources: Sources, flags: VerifyFlags): Promise<VerifiedPact[]> {
  const named = flags.states ?? [];
  readingStates(() => stateLibrary(named));
  const states = [...named, ...ownScenarios(sources.pacts, named)];
  const sandbox = await openSandbox(flags, states);
  await using _ = sandbox;
  const { url } = await sandbox.listen();
  return await verifyPacts({ ...sources, target: url, hasStates: true });
}

async function openSandbox({ start, seed, assume = [] }: VerifyFlags, states: readonly string[]) {
  try {
    return await createSandbox({
      start,
      ...(seed !== undefined && { seed }),
      states,
      mode: "frozen",
      assumptions: pairs("--assume", assume),
      transport: transportTo(new ScriptedReceiver()),
    });
  } catch (error) {
    if (error instanceof OptionMistake) throw new UsageError(error.message);
    throw error;
  }
}

/** The platform takes what the pacts send; where it is a sandbox too, it can be put into states. */
async function verifyPlatform(sources: Sources, target: string): Promise<VerifiedPact[]> {
  const { broker, ...rest } = sources;
  const unpublished = broker && { ...broker, publishVerificationResult: false };
  const hasStates = await isSandbox(target);
  if (hasStates) await leaveStates(target);
  return verifyPacts({ ...rest, ...(unpublished && { broker: unpublished }), target, hasStates });
}

/** What somebody entered there by hand must not be part of the first interaction. */
async function leaveStates(target: string): Promise<void> {
  const body = JSON.stringify({ action: "teardown", state: "" });
  await fetch(statesOf(target), { method: "POST", body, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}

function statesOf(target: string): string {
  return `${target.replace(/\/+$/, "")}/sandbox/pact/states`;
}

async function isSandbox(target: string): Promise<boolean> {
  const response = await fetch(statesOf(target), {
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    throw new VerifierFailure(
      `Failed to reach ${target}: ${cause instanceof Error ? cause.message : message}. Check the address.`,
    );
  });
  if (!response.ok) return false;
  const { data } = (await response.json().catch(() => ({}))) as { readonly data?: unknown };
  return Array.isArray(data);
}
