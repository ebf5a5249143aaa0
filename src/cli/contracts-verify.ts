import { note } from "./standard-streams.ts";
import { SEED_BOUNDS, mustBeHttpUrl } from "../server/settings/setting-types.ts";
import { type ValuesOf, command } from "./command.ts";
import { defined } from "../simulator/engine/json.ts";
import { number, pairs, text, texts, toggle } from "./flags.ts";
import { forward } from "../base/proxy.ts";
import { type ClientCertificate, readCertificate } from "../contracts/verification/client-certificate.ts";
import { type TokenRule, asSent, replacingToken } from "../contracts/verification/provider-proxy.ts";
import { WEBHOOKS } from "../contracts/generation/generate.ts";
import { controlClient, ControlFailure } from "../server/control/client.js";
import { createSandbox } from "../library/sandbox.ts";
import { driftBetween } from "../contracts/verification/drift.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import {
  type VerificationReport,
  contractsReport,
  verificationFormats,
  verificationReports,
} from "../contracts/verification/report.ts";
import { BROKER_SECONDS, requireAnswer } from "./broker-client.ts";
import { brokerAddress } from "./broker-address.ts";
import { type PactFile, readPacts } from "../contracts/verification/pact-file.ts";
import { ownScenarios } from "./own-scenarios.ts";
import { packageVersion } from "../base/package.ts";
import { loadFixtures } from "../server/access/fixture-files.ts";
import { ScriptedReceiver } from "../scenarios/receiver.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { statusLine } from "./output.ts";
import { abortedAfter, type Wall } from "../base/wall.ts";
import { stateLibrary } from "../contracts/states/state-library.ts";
import { transportTo } from "../simulator/webhooks/in-process.ts";
import {
  type VerificationOptions,
  type VerifiedPact,
  verifyPacts,
} from "../contracts/verification/verification.ts";
import { DEFAULT_START } from "../scenarios/scenario.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const PROVIDER = "banking-service";

const flags = {
  reporter: reporterFlag(verificationFormats),
  pacts: texts("Pact files, folders of them, or URLs", { isArgument: true }),
  broker: text("Read the pacts from this Pact Broker"),
  "broker-token": text("Token of the broker [default: PACT_BROKER_TOKEN]"),
  consumer: texts("Read only pacts of this consumer from the broker (repeatable)"),
  branch: texts("Read the pacts of this branch of the consumers (repeatable)"),
  "consumer-branch": text("Same as --branch", { hidden: true }),
  deployed: toggle("Read the pacts that are deployed to an environment", { default: false }),
  released: toggle("Read the pacts that are released", { default: false }),
  tag: texts("Read the latest pacts with this tag (repeatable)"),
  pending: toggle("Report failures of pending pacts, and do not fail because of them", { default: false }),
  wip: text("Also read pacts in progress since this date, as pending pacts: 2026-01-31"),
  provider: text("Provider that every pact must name", { default: PROVIDER }),
  "provider-base-url": text("Also verify the platform at this URL, and compare the results"),
  "client-cert": text("Certificate (PEM) for a platform that asks for one", { implies: ["client-key"] }),
  "client-key": text("Key (PEM) of the certificate", { implies: ["client-cert"] }),
  ca: text("Certificate authority (PEM) of the platform"),
  token: text("Send this token in place of the tokens in the pacts"),
  states: texts("Files or folders of your own provider states"),
  start: text("Start time of the clock", { default: DEFAULT_START }),
  seed: number([SEED_BOUNDS.min, SEED_BOUNDS.max], "Seed of ids and random choices"),
  assume: texts("Set an assumption: id=value (repeatable)"),
  out: text("Write the report to this file"),
  "publish-results": toggle("Publish the results to the broker, as results of the sandbox", {
    default: false,
  }),
  "provider-version": text(
    "Version of the published results, after the prefix sandbox- [default: the version of this package]",
  ),
};

type VerifyFlags = ValuesOf<typeof flags>;

/** The subject of the verification. The other settings have their defaults. */
type Verifying = Omit<Partial<VerifyFlags>, "pacts"> &
  Pick<VerifyFlags, "provider" | "start"> & {
    readonly pacts?: readonly string[] | undefined;
    readonly wall: Wall;
  };

const REQUEST_TIMEOUT_MS = 30_000;

type Sources = Pick<
  VerificationOptions,
  "pacts" | "urls" | "broker" | "provider" | "tokenRule" | "timeoutMs" | "progress"
>;

/** Verifies pacts, and ends by the report. */
export const verifyCommand = command(flags, async (given, wall) => {
  const flags = { ...given, wall };
  const sources = await sourcesOf(flags);
  const baseUrl = flags["provider-base-url"];
  if (baseUrl !== undefined) mustBeHttpUrl("--provider-base-url", baseUrl);
  await requireReports(flags);
  const report = await verificationReport(sources, flags);
  await writeReports(flags, ({ format, isColoured }) => verificationReports[format](report, isColoured));
  endBy(contractsReport(report));
});

/** Verifies pacts with the sandbox alone. */
export async function sandboxVerification(
  pacts: readonly string[],
  { seed, wall }: { readonly seed: number; readonly wall: Wall },
): Promise<VerificationReport> {
  const flags = { pacts, seed, provider: PROVIDER, start: DEFAULT_START, wall };
  return verificationReport(await sourcesOf(flags), flags);
}

async function verificationReport(sources: Sources, flags: Verifying): Promise<VerificationReport> {
  const baseUrl = flags["provider-base-url"];
  const show = statusLine(flags.wall);
  const verify = async (): Promise<VerificationReport> => {
    const { pacts, knownToken } = await verifySandbox(
      { ...sources, progress: (begun) => show(progressLine("the sandbox", begun, sources.pacts)) },
      flags,
    );
    if (baseUrl === undefined) return { pacts };
    const platform = await verifyPlatform(
      { ...sources, knownToken, progress: (begun) => show(progressLine(baseUrl, begun, sources.pacts)) },
      { target: baseUrl, wall: flags.wall, certificate: certificateOf(flags) },
    );
    return { pacts, drift: driftBetween(pacts, platform) };
  };
  const report = await verify().finally(() => show(""));
  refuseOtherProviders(
    report.pacts.map(({ source, provider }) => ({ file: source, provider })),
    flags.provider,
  );
  return report;
}

/** Writes the progress. The number of interactions from a broker or an address is not known in advance. */
function progressLine(provider: string, begun: number, pacts: readonly PactFile[]): string {
  const known = pacts.reduce((sum, { interactions }) => sum + interactions.length, 0);
  const number = known >= begun ? `${begun} of ${known}` : String(begun);
  return `Verifying ${provider}: interaction ${number}`;
}

async function sourcesOf(flags: Verifying): Promise<Sources> {
  const named = flags.pacts ?? [];
  if (flags["publish-results"] && flags.broker === undefined)
    throw new UsageError("--publish-results requires a broker. Name it with --broker URL.");
  if (named.length === 0 && flags.broker === undefined) {
    throw new UsageError(
      "contracts verify requires pacts. Name pact files, folders of them, or --broker URL.",
    );
  }
  const urls = named.filter((one) => /^https?:\/\//.test(one));
  const pacts = await consumerPacts(named.filter((one) => !urls.includes(one)));
  refuseOtherProviders(pacts, flags.provider);
  const tokenRule: TokenRule = flags.token === undefined ? asSent : replacingToken(flags.token, pacts);
  const common = { pacts, urls, provider: flags.provider, tokenRule, timeoutMs: REQUEST_TIMEOUT_MS };
  if (flags.broker === undefined) return common;
  const broker = brokerOf(flags.broker, flags);
  await requireAnswer(brokerAddress(flags.broker).url, { wall: flags.wall, ms: BROKER_SECONDS * 1000 });
  return { ...common, broker };
}

/**
 * Refuses a pact with another provider, with exit code 2. The pact does not describe this provider.
 */
function refuseOtherProviders(pacts: readonly Pick<PactFile, "file" | "provider">[], expected: string): void {
  const sentences = pacts
    .filter(({ provider }) => provider !== expected)
    .map(
      ({ file, provider }) =>
        `Failed to verify ${file}: it is a pact with the provider "${provider}", not "${expected}". Leave it out, or name its provider with --provider ${JSON.stringify(provider)}.`,
    );
  if (sentences.length > 0) throw new FileMistakes([...new Set(sentences)].join("\n"));
}

/** Returns the pacts with calls of a partner. Pacts with calls of its receiver need the receiver. */
async function consumerPacts(paths: readonly string[]): Promise<PactFile[]> {
  const { receivers, others } = separateReceivers(readPacts(paths, note));
  const sentences = receivers.map(
    ({ file }) => `${file} is about a webhook receiver: verify it with contracts verify-receiver URL.`,
  );
  if (others.length === 0 && sentences.length > 0) throw new FileMistakes(sentences.join("\n"));
  for (const sentence of sentences) note(`Skipped: ${sentence}\n`);
  return others;
}

/** Pacts of deliveries, and all others. */
export function separateReceivers(pacts: readonly PactFile[]): Record<"receivers" | "others", PactFile[]> {
  const { receivers = [], others = [] } = Object.groupBy(pacts, ({ consumer }) =>
    consumer === WEBHOOKS ? "receivers" : "others",
  );
  return { receivers, others };
}

/** Returns the options of the official verifier for a broker. Secrets may come from its usual variables. */
function brokerOf(written: string, flags: Verifying): NonNullable<Sources["broker"]> {
  const {
    url,
    username = secretVariable("PACT_BROKER_USERNAME"),
    password = secretVariable("PACT_BROKER_PASSWORD"),
  } = brokerAddress(written);
  const token = flags["broker-token"] ?? secretVariable("PACT_BROKER_TOKEN");
  const consumers = flags.consumer ?? [];
  const selectors = selectorsOf(flags);
  const version = flags["provider-version"] ?? packageVersion();
  return {
    pactBrokerUrl: url,
    ...defined({ pactBrokerToken: token }),
    ...(token === undefined &&
      username !== undefined && { pactBrokerUsername: username, pactBrokerPassword: password ?? "" }),
    consumerVersionSelectors:
      consumers.length === 0
        ? selectors
        : consumers.flatMap((consumer) => selectors.map((selector) => ({ ...selector, consumer }))),
    ...(consumers.length > 0 && { consumerFilters: consumers }),
    // The broker knows what is pending for a branch of the provider.
    ...((flags.pending === true || flags.wip !== undefined) && {
      enablePending: true,
      providerVersionBranch: "sandbox",
    }),
    ...defined({ includeWipPactsSince: flags.wip }),
    // Results of the sandbox have its name, so that they cannot be mistaken for the platform's.
    ...(flags["publish-results"] && {
      publishVerificationResult: true,
      providerVersion: version.startsWith("sandbox-") ? version : `sandbox-${version}`,
      providerVersionBranch: "sandbox",
    }),
  };
}

/** Returns the selectors of the pacts. By default they are those of the main branch, and those in use. */
function selectorsOf(flags: Verifying): NonNullable<Sources["broker"]>["consumerVersionSelectors"] & {} {
  const branches = [...(flags.branch ?? []), ...[flags["consumer-branch"] ?? []].flat()];
  const chosen = [
    ...branches.map((branch) => ({ branch })),
    ...(flags.tag ?? []).map((tag) => ({ tag, latest: true })),
    ...(flags.deployed === true ? [{ deployed: true }] : []),
    ...(flags.released === true ? [{ released: true }] : []),
  ];
  return chosen.length > 0 ? chosen : [{ mainBranch: true }, { deployedOrReleased: true }];
}

/** Verifies on a new sandbox: nothing leaves this machine, and every interaction resets it. */
async function verifySandbox(sources: Sources, flags: Verifying) {
  const named = flags.states ?? [];
  if (named.length > 0) await stateLibrary(named);
  const states = [...named, ...(await ownScenarios(sources.pacts, named))];
  const { start, seed, assume = [] } = flags;
  await using sandbox = await createSandbox({
    start,
    ...defined({ seed }),
    states,
    mode: "frozen",
    assumptions: pairs("--assume", assume),
    transport: transportTo(new ScriptedReceiver()),
  });
  const knownToken = loadFixtures().companies[0]?.token ?? "";
  const pacts = await verifyPacts({
    ...sources,
    knownToken,
    target: (path, init) => sandbox.fetch(path, init),
    hasStates: true,
  });
  return { knownToken, pacts };
}

/** The platform that is verified too. */
interface Platform {
  readonly target: string;
  readonly wall: Wall;
  readonly certificate: ClientCertificate | undefined;
}

function certificateOf(flags: Verifying): ClientCertificate | undefined {
  return readCertificate({ cert: flags["client-cert"], key: flags["client-key"], ca: flags.ca });
}

/** Sends a request with a certificate, which `fetch` of Node cannot do. */
async function fetchWith(certificate: ClientCertificate, request: Request): Promise<Response> {
  const { origin, pathname, search } = new URL(request.url);
  const sent = {
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
  };
  const body = Buffer.from(await request.arrayBuffer());
  const { status, bytes } = await forward(origin, sent, body, certificate);
  return new Response(new Uint8Array(bytes), { status });
}

/** Verifies on the platform. If the platform is a sandbox too, states and messages are verified as well. */
async function verifyPlatform(
  sources: Sources & { readonly knownToken: string },
  { target, wall, certificate }: Platform,
): Promise<VerifiedPact[]> {
  const { broker, ...rest } = sources;
  const unpublished = broker && { ...broker, publishVerificationResult: false };
  const hasStates = await leaveStates({ target, wall, certificate });
  return verifyPacts({
    ...rest,
    ...(unpublished && { broker: unpublished }),
    target,
    hasStates,
    certificate,
  });
}

/**
 * Leaves the provider state that was entered last, so that it is not part of the first interaction. Returns true if
 * the target has provider states. Only a sandbox has them.
 */
async function leaveStates({ target, wall, certificate }: Platform): Promise<boolean> {
  const client = controlClient({
    url: target,
    fetch: (request) =>
      certificate === undefined
        ? abortedAfter((signal) => fetch(request, { signal }), { ms: REQUEST_TIMEOUT_MS, wall })
        : fetchWith(certificate, request),
  });
  try {
    const { data } = await client.ask("GET /sandbox/pact/states");
    if (!Array.isArray(data)) return false;
  } catch (error) {
    if (error instanceof ControlFailure && error.status !== undefined) return false;
    throw error;
  }
  await client.open("POST /sandbox/pact/states", { action: "teardown", state: "" });
  return true;
}
