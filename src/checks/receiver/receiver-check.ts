import { RECEIVER_URL } from "../../server/access/played-world.ts";
import { Bench, type BenchOptions } from "./bench.ts";
import { catalogue, type CheckProgress, runChecks } from "./run-checks.ts";
import { transportTo } from "../../server/access/webhook-sending.ts";
import type { OpenSandbox } from "../../server/access/open-sandbox.ts";
import type { Sandbox } from "../../server/access/sandbox-interface.ts";
import { drawnSeed, mustBeHttpUrl } from "../../server/settings/setting-types.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import { type ObservedCalls, observeCalls } from "./observed-calls.ts";
import { type EndpointHere, endpointHere, networkEndpoint } from "./endpoint.ts";
import { CHECK_LIMITS } from "./check-limits.ts";
import { EventSource } from "./event-source.ts";
import type { Sent } from "./finding.ts";
import { CommandFailure, FileMistakes, UsageError } from "../../base/failures.ts";
import type { ReceiverReport } from "./report.ts";
import type { PartnerProcess } from "../../partner/partner-process.ts";
import { Probe } from "./probe.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { defined } from "../../simulator/engine/json.ts";
import { localClient } from "../../server/control/local-client.ts";
import { type IgnoredPath, readIgnoredPath } from "../../partner/states/ignored-paths.ts";
import { ScriptedReceiver } from "../../scenarios/receiver.ts";
import { SpentTime } from "../../base/spent-time.ts";
import { Stop, Stopped } from "../../base/stop.ts";
import { systemWall, type Wall } from "../../base/wall.ts";
import { secretVariable } from "../../server/settings/secret-variable.ts";

/** The subject and the settings of a check: the flags of `sandbank receiver check`. */
interface Checking {
  readonly url: string;
  readonly secret?: string | undefined;
  readonly level?: "must" | "should";
  readonly only?: readonly string[] | undefined;
  readonly seed?: number | "random" | undefined;
  readonly budget?: number | undefined;
  readonly rate?: number | undefined;
  readonly timeout?: number | undefined;
  /** In milliseconds. */
  readonly time?: number | undefined;
  readonly "next-secret"?: string | undefined;
  readonly "retired-secret"?: string | undefined;
  readonly "sandbox-port"?: number | undefined;
  readonly probe?: string | undefined;
  readonly ignore?: readonly string[] | undefined;
  /** The subject of the integration. By default everything. */
  readonly capabilities?: readonly string[] | undefined;
  readonly "allow-inconclusive"?: boolean;
  readonly settle?: number | undefined;
  /** The running process of the receiver, if it can be killed. */
  readonly process?: PartnerProcess | undefined;
  readonly wall?: Wall;
  readonly onProgress?: (progress: CheckProgress) => void;
  /** Ends the checks with their results so far. */
  readonly signal?: AbortSignal | undefined;
  /** The receiver and its probe, if they are in this process. */
  readonly endpoint?: EndpointHere;
  readonly openSandbox: OpenSandbox;
}

/** Runs the checks. Rejects with a usage error, or with `FileMistakes` if the receiver cannot be checked. */
export async function receiverReport(flags: Checking): Promise<ReceiverReport> {
  const only = idsOf(flags.only ?? []);
  mustBeHttpUrl("URL", flags.url);
  if (flags.probe !== undefined) mustBeHttpUrl("--probe", flags.probe);
  const seed = drawnSeed(flags.seed ?? "random");
  const ignored = (flags.ignore ?? []).map(ignoredPath);
  const { sandbox: opened } = await flags.openSandbox({
    seed,
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: RECEIVER_URL,
    transport: transportTo(new ScriptedReceiver()),
  });
  await using sandbox = opened;
  using stop = new Stop(flags.wall ?? systemWall, flags.signal);
  const port = flags["sandbox-port"];
  const calls = port === undefined ? undefined : await openCalls(sandbox, port);
  try {
    const bench = new Bench(await benchOptions({ ...flags, seed, ignored, wall: stop.wall }, sandbox, calls));
    await stop.until(reach(bench)).catch((error: unknown) => {
      // After a stop each check says that it was interrupted.
      if (!(error instanceof Stopped)) throw error;
    });
    const checks = await runChecks(bench, only, { stop, ...defined({ onProgress: flags.onProgress }) });
    const { url, level = "must", "allow-inconclusive": allowsInconclusive = false } = flags;
    const report = { url, seed, level, requests: bench.requests, checks, allowsInconclusive };
    return flags.endpoint === undefined ? { ...report, time: bench.options.spent.report() } : report;
  } finally {
    await calls?.[Symbol.asyncDispose]();
  }
}

async function benchOptions(
  flags: Checking & {
    readonly wall: Wall;
    readonly seed: number;
    readonly ignored: readonly IgnoredPath[];
  },
  sandbox: Sandbox,
  calls: ObservedCalls | undefined,
): Promise<BenchOptions> {
  const { budget: ofRequests, timeMs: ofTime, timeoutMs: ofAnswers, settleMs: ofWork } = CHECK_LIMITS;
  const { timeout = ofAnswers.preset, time = ofTime.preset, settle = ofWork.preset } = flags;
  const { url, seed, budget = ofRequests.preset, rate, probe, ignored } = flags;
  const { wall } = flags;
  const spent = new SpentTime(wall);
  const client = localClient(sandbox);
  const company = assertDefined((await client.worlds())[0]?.companies[0], "a company");
  const source = new EventSource(client, company, seed);
  const [nextSecret, retiredSecret] = [flags["next-secret"], flags["retired-secret"]];
  const addresses = { url, probe, timeoutMs: timeout, wall };
  const endpoint =
    flags.endpoint === undefined ? networkEndpoint(addresses) : endpointHere(flags.endpoint, addresses);
  return {
    wall,
    spent,
    endpoint,
    url,
    secret: flags.secret ?? secretVariable("SANDBANK_WEBHOOK_SECRET") ?? company.webhookSecret,
    ...(nextSecret !== undefined && { nextSecret }),
    ...(retiredSecret !== undefined && { retiredSecret }),
    source,
    ...(calls !== undefined && { calls }),
    ...(endpoint.read && {
      probe: new Probe({
        wall,
        spent,
        read: endpoint.read,
        ignored,
        settleMs: settle,
        isDefault: flags.settle === undefined,
        identities: source.ids,
      }),
    }),
    settleMs: settle,
    timeoutMs: timeout,
    requestsMax: budget,
    timeMaxMs: time,
    capabilities: flags.capabilities ?? [],
    ...(flags.process && { partner: flags.process }),
    pauseMs: rate === undefined ? 0 : 1000 / rate,
  };
}

function idsOf(written: readonly string[]): string[] {
  const ids = catalogue.map(({ id }) => id);
  return written
    .flatMap((one) => one.split(","))
    .map((one) => {
      const id = one.trim().toUpperCase();
      if (ids.includes(id)) return id;
      throw new UsageError(
        `There is no check "${one}". ${suggestion(id, ids, { quote: '"', countMax: 3, all: "docs/receiver-checks.md" })}`,
      );
    });
}

function ignoredPath(written: string): IgnoredPath {
  const read = readIgnoredPath(written);
  if (!("mistake" in read)) return read;
  throw new UsageError(`--ignore cannot be read: ${read.mistake}`);
}

/** Refuses if no receiver listens, or if its probe gives no JSON. */
async function reach(bench: Bench): Promise<void> {
  const { error, message } = await firstAnswer(bench).catch((thrown: unknown) => {
    throw thrown instanceof CommandFailure ? new FileMistakes(thrown.message) : thrown;
  });
  if (error === "dns" || error === "refused" || error === "egress-blocked" || error === "tls")
    throw new FileMistakes(
      `Failed to check ${bench.options.url}: ${message.replace("Failed to deliver: ", "")}`,
    );
}

async function firstAnswer(bench: Bench): Promise<Sent> {
  await bench.probe?.now();
  return bench.send(await bench.event());
}

async function openCalls(sandbox: Sandbox, port: number): Promise<ObservedCalls> {
  const { url } = await sandbox.listen();
  try {
    return await observeCalls(url, port);
  } catch (error) {
    throw new FileMistakes(
      `Failed to open the sandbox on port ${port}: ${(error as Error).message}. Choose another port with --sandbox-port.`,
    );
  }
}
