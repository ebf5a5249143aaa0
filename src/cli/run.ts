import { note } from "./standard-streams.ts";
import type { Wall } from "../base/wall.ts";
import { type ValuesOf, command } from "./command.ts";
import { defined } from "../simulator/engine/json.ts";
import {
  announcedSeed,
  choice,
  limit,
  number,
  PORTS,
  readAs,
  secretFlag,
  seed,
  text,
  texts,
  toggle,
  url,
} from "./flags.ts";
import { type Scenario, asksPartner } from "../scenarios/scenario.ts";
import { connectionFailure } from "../server/access/webhook-sending.ts";
import { isContained } from "../base/container.ts";
import { openSandbox } from "../library/sandbox.ts";
import { type HarEntry, harEnvelope } from "../traffic/har.ts";
import { nameOf } from "../checks/explore/deviations.ts";
import { type CoverageReport, mergeCoverage } from "../scenarios/result.ts";
import { localWorlds, reachTarget, targetWorlds } from "../scenarios/world.ts";
import { readScenarios } from "../scenarios/scenario-files.ts";
import { packageVersion } from "../base/package.ts";
import { isLoopback } from "../base/proxies.ts";
import { type ReporterName, reporters, runFormats, scenariosReport } from "../scenarios/report.ts";
import { partnerFlags, partnerOf } from "./partner-flags.ts";
import { resetOf } from "../partner/partner-command.ts";
import type { Report, Suite } from "../reports/report.ts";
import { type OpenReport, endBy, reporterFlag, requireReports, withReports } from "./reports.ts";
import { type RunOptions, runScenarios } from "../scenarios/run.ts";
import { updateFiles } from "./update-files.ts";
import { CommandFailure, FileMistakes, UsageError, NotTried } from "../base/failures.ts";
import { LIMITS } from "../checks/explore/search-limits.ts";
import { watchFiles } from "./watch-files.ts";
import { statusLine, writeOutput } from "./output.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  reporter: reporterFlag(runFormats),
  ...partnerFlags,
  files: texts("Scenario files or folders", { isArgument: true }),
  out: text("Write the report to this file"),
  grep: text("Run only scenarios whose name contains this text", { isAnyText: true }),
  seed: seed("Seed in place of the seed of every file; random draws and prints one"),
  receiver: url("URL of your webhook receiver [default: a receiver in this process]"),
  secret: secretFlag,
  reset: url("POST to this URL before each scenario, to empty your system"),
  "reset-command": text("Run this command before each scenario, to empty your system"),
  target: url("Run against a running sandbank (admin token in SANDBANK_ADMIN_TOKEN)"),
  port: number(PORTS, "Port of the sandbox, for the calls of your system; scenarios run one after another"),
  settle: limit(LIMITS.settleMs),
  keep: choice(
    ["failed", "all", "none"],
    "Keep the worlds of failed, all or no scenarios at --target after the run [default: failed]",
  ),
  watch: toggle("Run again after every change of a file", { default: false }),
  update: toggle("Update expectations with the actual values", { default: false }),
  coverage: toggle("Report the covered transitions, events, errors, assumptions and faults", {
    default: false,
  }),
  har: text("Write all calls and webhooks to this HAR file; its times are from the sandbox's clock"),
  lint: choice(
    ["fail", "warn", "off"],
    "How to treat suspicious calls of your system, such as one payout sent under two keys",
    { default: "warn" },
  ),
  threshold: readAs(percentage, "Fail if the coverage is below this percentage (requires --coverage)"),
};

function percentage(written: string, flag: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(written) ?? [];
  if (digits !== undefined && Number(digits) <= 100) return Number(digits);
  throw new UsageError(`${flag} must be a percentage from 0 to 100; found "${written}".`);
}

type RunFlags = ValuesOf<typeof flags>;

/** `sandbank run`: runs scenario files, once or after every change. */
export const runCommand = command(flags, async (flags, wall) => {
  if ((flags.files ?? []).length === 0)
    throw new UsageError("run requires scenario files or folders. Name one: sandbank run scenarios/");
  if (flags.port !== undefined && flags.target !== undefined)
    throw new UsageError("--port opens a sandbox, and --target names another one. Give one of them.");
  if (flags["partner-ready"] !== undefined && flags.target !== undefined)
    throw new UsageError(
      "--partner starts your system with a sandbox in this process. Leave it or --target out.",
    );
  if (flags.keep !== undefined && flags.target === undefined)
    throw new UsageError("--keep requires --target: a world in this process ends with it. Give both.");
  if (flags.secret !== undefined && flags.target !== undefined)
    throw new UsageError("--secret signs webhooks of a sandbox in this process. Leave it or --target out.");
  if (flags.threshold !== undefined && !flags.coverage)
    throw new UsageError("--threshold requires --coverage. Give both.");
  if (flags.watch) return watchFiles(flags.files ?? [], { run: () => runOnce(flags, wall), wall });
  endBy(await runOnce(flags, wall));
});

/** Runs the scenarios. Returns their report, with the coverage if it has a threshold. */
async function runOnce(flags: RunFlags, wall: Wall): Promise<Pick<Report, "suites">> {
  const { files = [], grep } = flags;
  let scenarios = readScenarios(files, { grep });
  // A system that is started for each scenario is not there yet.
  await reach(flags["partner-ready"] === undefined ? flags : { target: flags.target }, wall);
  await requireReports(flags);
  noteReceiver(scenarios, flags);
  const options = runOptions(flags, wall);
  if (flags.update) {
    await updateFiles(scenarios, options);
    scenarios = readScenarios(files, { grep });
  }
  return withReports(flags, (reports) => reportRun(scenarios, flags, wall, options, reports));
}

/** Says where the webhooks go if the user's system is part of a run that does not name its receiver. */
function noteReceiver(scenarios: readonly Scenario[], { receiver, target }: RunFlags): void {
  if (receiver !== undefined || target !== undefined) return;
  const usesPartner = ({ probe, steps }: Scenario): boolean =>
    probe?.url !== undefined || steps.some(asksPartner);
  if (!scenarios.some(usesPartner)) return;
  note(
    "The webhooks go to the built-in receiver. Name yours to test it: --receiver http://127.0.0.1:3000/webhooks\n",
  );
}

/** The time until progress is shown on a terminal. Most scenarios end earlier. */
const SHOWN_AFTER_MS = 2_000;

async function reportRun(
  scenarios: readonly Scenario[],
  flags: RunFlags,
  wall: Wall,
  options: RunOptions,
  reports: readonly OpenReport<ReporterName>[],
): Promise<Pick<Report, "suites">> {
  const opened = reports.map(({ format, ...report }) => reporters[format](report));
  const covered: CoverageReport[] = [];
  for (const reporter of opened) reporter.started(scenarios.length);
  const traffic: HarEntry[] = [];
  const show = statusLine(wall, { afterMs: SHOWN_AFTER_MS });
  const results = await runScenarios(scenarios, {
    ...options,
    onAdvance: ({ name }, now) => show(now === undefined ? "" : `The clock is at ${now} · ${name}`),
    onStep: ({ name, steps }, { number }) => show(`Step ${number} of ${steps.length} · ${name}`),
    ...(flags.har !== undefined && {
      onTraffic: ({ name, file }: Scenario, har: unknown) =>
        traffic.push(...entriesOf(har, `${file}: ${name}`)),
    }),
    ...(flags.coverage && { onCoverage: (coverage: CoverageReport) => covered.push(coverage) }),
    onStart: ({ name }) => opened.forEach((reporter) => reporter.began?.(name)),
    onResult: (result) => {
      show("");
      for (const reporter of opened) reporter.finished(result);
    },
  }).finally(() => show(""));
  if (flags.har !== undefined) await writeHar(flags.har, traffic);
  const coverage = mergeCoverage(covered);
  for (const reporter of opened) reporter.ended(results, coverage);
  const { suites } = scenariosReport({ results });
  return { suites: [...suites, ...coverageSuite(coverage, flags.threshold)] };
}

/**
 * The address of every sandbox in a file with the traffic of several scenarios. Different addresses would look like
 * different platforms.
 */
const HAR_ORIGIN = "http://localhost";

/** Returns the entries of one scenario. Its world is independent of the others. */
function entriesOf(har: unknown, world: string): HarEntry[] {
  const { entries = [] } = (har as { log?: { entries?: HarEntry[] } } | undefined)?.log ?? {};
  return entries.map((entry) => {
    const { request } = entry;
    if (entry._direction === "webhook") return { ...entry, _world: world };
    const { pathname, search } = new URL(request.url);
    return { ...entry, request: { ...request, url: HAR_ORIGIN + pathname + search }, _world: world };
  });
}

async function writeHar(path: string, entries: readonly HarEntry[]): Promise<void> {
  const { head, tail } = harEnvelope({
    version: packageVersion(),
    comment: "With the times of each sandbox's clock.",
  });
  const lines = entries.map((entry) => JSON.stringify(entry)).join(",\n");
  await writeOutput(head + lines + tail, path);
}

/** Returns the suite of the coverage, which fails below the threshold. Empty without a threshold. */
function coverageSuite(coverage: CoverageReport | undefined, threshold: number | undefined): Suite[] {
  const percent = coverage?.percent ?? 0;
  if (threshold === undefined || percent >= threshold) return [];
  note(
    `Failed to cover enough: ${percent} % is below the threshold of ${threshold} %. Add scenarios, or lower --threshold.\n`,
  );
  return [{ name: "coverage", verdict: "failed", cases: [] }];
}

/**
 * Refuses if `--target` or `--receiver` does not answer. A receiver may be reachable only for a target on another
 * machine. Then its deliveries show if it answers.
 */
export async function reach({ target, receiver }: Partial<RunFlags>, wall: Wall): Promise<void> {
  if (target !== undefined) await reachTarget(target, { ...adminToken(), wall });
  try {
    if (receiver !== undefined && (target === undefined || [target, receiver].every(isLoopback)))
      await reachReceiver(receiver, wall);
  } catch (error) {
    throw new FileMistakes((error as Error).message);
  }
}

/** The time that a receiver may take to accept the first connection. */
const CONNECT_TIMEOUT_MS = 10_000;

async function reachReceiver(url: string, wall: Wall): Promise<void> {
  const failure = await connectionFailure(url, { ms: CONNECT_TIMEOUT_MS, wall });
  if (failure === undefined) return;
  const advice = `Start it, or correct --receiver.${isContained() ? ` ${failure.advice}` : ""}`;
  throw new Error(`Failed to reach the receiver ${url}: ${failure.found}. ${advice}`, { cause: failure });
}

function adminToken(): { readonly adminToken?: string } {
  return defined({ adminToken: secretVariable("SANDBANK_ADMIN_TOKEN") });
}

export function runOptions(
  {
    reporter = [],
    seed: given,
    receiver,
    secret = secretVariable("SANDBANK_WEBHOOK_SECRET"),
    target,
    port,
    keep = "failed",
    lint = "warn",
    reset: resetUrl,
    "reset-command": resetCommand,
    settle: settleMs,
    ...flags
  }: Partial<RunFlags>,
  wall: Wall,
  signal?: AbortSignal,
): RunOptions {
  const reset = resetOf({ url: resetUrl, command: resetCommand });
  // An exploration knows that it was not tried. A scenario fails.
  const resetOrFail =
    reset &&
    ((given: Wall) =>
      reset(given).catch((error: unknown) => {
        throw error instanceof NotTried ? new CommandFailure(error.message) : error;
      }));
  const drawn = announcedSeed(given);
  const webhookUrl = defined({ webhookUrl: receiver });
  const partner = partnerOf(flags, { wall, signal });
  const own = defined({ port, partner, webhookSecret: secret });
  const openWorld =
    target === undefined
      ? // The other reports do not show the digest.
        localWorlds(openSandbox, {
          ...webhookUrl,
          ...own,
          wall,
          isDigested: reporter.some(({ format }) => format === "json"),
        })
      : targetWorlds(target, { ...webhookUrl, ...adminToken(), keep, wall });
  const options = {
    wall,
    openWorld,
    lint,
    ...defined({ seed: drawn, reset: resetOrFail, settleMs, signal }),
  };
  // A port, or a system that is started, is for one world at a time.
  const several = port === undefined && partner === undefined ? options : { ...options, concurrency: 1 };
  if (target !== undefined) return several;
  return {
    ...several,
    playDeviations: async (scenario, played) => {
      const { playDeviations } = await import("../checks/explore/saved-regression.ts");
      let count = 0;
      return playDeviations({
        wall,
        openSandbox,
        scenario,
        onRun: (schedule, client) =>
          played(
            `run ${++count}, ${schedule.length === 0 ? "without deviations" : nameOf(schedule)}`,
            client,
          ),
        ...defined({ receiver }),
        ...defined({ seed: drawn ?? scenario.seed }),
        ...own,
        ...defined({ reset, settleMs, signal }),
      });
    },
  };
}
