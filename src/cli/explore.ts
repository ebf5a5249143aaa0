import { note } from "./standard-streams.ts";
import type { Explored } from "../checks/explore/result.ts";
import { type ValuesOf, command } from "./command.ts";
import { defined } from "../simulator/engine/json.ts";
import {
  type Flag,
  announcedSeed,
  limit,
  number,
  PORTS,
  readAs,
  secretFlag,
  seed,
  text,
  texts,
  toggle,
  typedAgain,
  typedFlags,
  url,
  wallTime,
} from "./flags.ts";
import {
  type DeviationKind,
  type Schedule,
  deviationKinds,
  groups,
  kindsNamed,
  nameOf,
} from "../checks/explore/deviations.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { UsageError } from "../base/failures.ts";
import { partnerFlags, partnerOf, typedPartnerFlags } from "./partner-flags.ts";
import { resetOf } from "../partner/partner-command.ts";
import type { Exploration, ExploreResult, Progress } from "../checks/explore/exploration.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { exploreFormats, exploreReport, exploreReports } from "../checks/explore/report.ts";
import { exploreScenario } from "../checks/explore/explore.ts";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { acceptedIn } from "../checks/explore/accepted.ts";
import { interruption } from "./interruption.ts";
import { ofPlatform } from "../checks/explore/platform-state.ts";
import { readIgnoredPath } from "../partner/states/ignored-paths.ts";
import { readScenarios } from "../scenarios/scenario-files.ts";
import { replayScenario } from "../checks/explore/replay.ts";
import { commandLine } from "../server/control/shell.js";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { requireWritable, statusLine, writeOutput } from "./output.ts";
import { openSandbox } from "../library/sandbox.ts";
import { LIMITS } from "../checks/explore/search-limits.ts";
import type { Wall } from "../base/wall.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

/** The flags that decide the schedules. A replay repeats all of them. */
const searchFlags = {
  probe: text("URL that returns your system's state as JSON [default: probe of the scenario]"),
  ignore: texts(
    "Leave this JSONPath out of the comparison, such as '$.log'; '$platform.…' is a path of the platform's state (repeatable)",
    { nargs: 1 },
  ),
  baseline: text("Accept the divergences of this earlier report (made with --reporter json)"),
  depth: limit(LIMITS.depth),
  budget: limit(LIMITS.budget),
  time: readAs(wallTime, `${LIMITS.timeMs.says}: a duration such as PT5M, or seconds [default: PT5M]`),
  only: deviations(
    `Try only these deviations, or groups of them: ${[...groups, ...deviationKinds].join(",")}`,
  ),
  without: deviations("Leave out these deviations, or groups of them"),
  with: deviations("Add these deviations, such as call-slow, which is not tried by default"),
  repeat: limit(LIMITS.repeat),
  slow: limit(LIMITS.slowMs),
  "beyond-retries": toggle("Also hold events back until after the platform's last retry"),
  reset: url("POST to this URL before each run, to empty your system", { excludes: ["reset-command"] }),
  "reset-command": text("Run this command before each run, to empty your system"),
  port: number(PORTS, "Port of the sandbox, for the calls of your system"),
  "kill-delay": limit(LIMITS.killDelayMs),
  settle: limit(LIMITS.settleMs),
  seed: seed(`${LIMITS.seed.says}; random draws and prints one [default: ${LIMITS.seed.preset}]`),
};

/** The file of `--dashboard` without a value. */
const PAGE_FILE = "explore.html";

const flags = {
  reporter: reporterFlag(exploreFormats),
  ...partnerFlags,
  files: texts("Scenario files or folders", { isArgument: true }),
  receiver: url("URL of your webhook receiver"),
  secret: secretFlag,
  ...searchFlags,
  out: text("Write the report to this file"),
  dashboard: readAs(pageFile, `Also write the HTML report to this file; without a name to ${PAGE_FILE}`),
  save: text("Write each divergence as a scenario to this folder"),
};

type ExploreFlags = ValuesOf<typeof flags>;

/** `sandbank explore`: tries the possible orders and failures of webhooks and calls. */
export const exploreCommand = command(flags, exploreFiles);

/** Reads the file of `--dashboard`. A URL, which earlier versions took, means the default file. */
function pageFile(written: string, flag: string): string {
  if (written === "" || /^https?:/.test(written)) return PAGE_FILE;
  if (/\.html?$/.test(written)) return written;
  throw new UsageError(`${flag} must be an HTML file such as ${PAGE_FILE}; found "${written}".`);
}

/** Makes a flag of deviations and groups of them, with commas or repeated. */
function deviations(describe: string): Flag<DeviationKind[] | undefined> {
  const kindsIn = (name: string, flag: string): readonly DeviationKind[] => {
    const kinds = kindsNamed(name);
    if (kinds !== undefined) return kinds;
    throw new UsageError(
      `${flag}: there is no deviation "${name}". ${suggestion(name, [...groups, ...deviationKinds], { all: "sandbank explore --help" })}`,
    );
  };
  const read = (written: readonly string[], flag: string): DeviationKind[] =>
    written.flatMap((list) => list.split(",").flatMap((word) => kindsIn(word.trim(), flag)));
  return { type: "string", array: true, nargs: 1, describe, read };
}

/** Explores scenario files, and ends by their report. */
async function exploreFiles(flags: ExploreFlags, wall: Wall): Promise<void> {
  const { files = [] } = flags;
  if (files.length === 0)
    throw new UsageError("explore requires scenario files or folders. Name one: sandbank explore gym.yaml");
  validateProbe(flags);
  await requireReports(flags);
  await requireWritable(flags.dashboard);
  const seed = announcedSeed(flags.seed ?? LIMITS.seed.preset);
  using interrupted = interruption("explore");
  const results = await explorations({ ...flags, files, seed }, { wall, signal: interrupted.signal });
  await writeReports(flags, ({ format, isColoured }) => exploreReports[format](results, isColoured));
  if (flags.dashboard !== undefined) {
    await writeOutput(exploreReports.html(results), flags.dashboard);
    note(`Wrote the HTML report to ${flags.dashboard}.\n`);
  }
  endBy(exploreReport(results));
}

/** The files to explore, with their receiver. */
interface Exploring extends Omit<Partial<ExploreFlags>, "files" | "seed"> {
  readonly files: readonly string[];
  readonly seed: number;
}

/** Explores scenario files one after another, and saves what diverges. */
export async function explorations(
  flags: Exploring,
  { wall, signal }: Pick<Exploration, "wall" | "signal">,
): Promise<ExploreResult[]> {
  const { files, save } = flags;
  validateProbe(flags);
  const accepted = flags.baseline === undefined ? undefined : acceptedOf(flags.baseline);
  const results: ExploreResult[] = [];
  const names = new Set<string>();
  for (const scenario of readScenarios(files, { isProbed: flags.probe !== undefined })) {
    if (signal?.aborted === true) break;
    const saved = new Map<Schedule, string>();
    const nameFor = (schedule: Schedule): string => {
      const name = saved.get(schedule) ?? unusedName(fileNameOf(scenario, schedule), names);
      saved.set(schedule, name);
      return name;
    };
    const explored = await exploreOne(scenario, flags, { nameFor, wall, ...defined({ accepted, signal }) });
    if (save !== undefined) await saveDivergences(explored, { nameFor, folder: save, resetUrl: flags.reset });
    results.push(explored.result);
  }
  return results;
}

/** Reads the divergences that an earlier report accepts. */
function acceptedOf(file: string): Set<string> {
  let report: unknown;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`Failed to read --baseline ${file}: ${(error as Error).message}. Name a report.`);
  }
  const accepted = acceptedIn(report);
  if (accepted !== undefined) return accepted;
  throw new UsageError(
    `Failed to read --baseline ${file}: it is not a report of sandbank explore. Make one with sandbank explore --reporter json --out ${file}`,
  );
}

/** Returns the name of a saved divergence: its scenario, and its deviations. */
function fileNameOf({ file, name }: Scenario, schedule: Schedule): string {
  const own = basename(file).replace(/\.[^.]*$/, "") || name;
  const words = own.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  return `${words.slice(0, NAME_MAX)}-${nameOf(schedule)}`;
}

/** The maximum length of a scenario's name in a file name. */
const NAME_MAX = 60;

function validateProbe({ probe, ignore = [] }: Pick<Exploring, "probe" | "ignore">): void {
  if (probe !== undefined && !/^https?:\/\//.test(probe))
    throw new UsageError(`--probe must be a URL such as http://127.0.0.1:3000/members; found "${probe}".`);
  for (const path of ignore) {
    const read = readIgnoredPath(ofPlatform(path) ?? path);
    if ("mistake" in read) throw new UsageError(`--ignore: ${read.mistake}`);
  }
}

async function exploreOne(
  scenario: Scenario,
  flags: Exploring,
  { nameFor, ...more }: Pick<Exploration, "accepted" | "signal" | "wall"> & Naming,
): Promise<Explored> {
  const { receiver, seed, probe, ignore, depth, budget, only, without, with: added, repeat, port } = flags;
  const show = statusLine(more.wall);
  show(
    `${flags.partner === undefined ? "Playing" : "Starting your system, then playing"} the baseline · ${scenario.name}`,
  );
  try {
    return await exploreScenario({
      ...more,
      scenario,
      seed,
      openSandbox,
      ...defined({ receiver, probe, ignore, depth, budget, only, without, with: added, repeat, port }),
      ...defined({
        webhookSecret: flags.secret ?? secretVariable("SANDBANK_WEBHOOK_SECRET"),
        timeMs: flags.time,
        slowMs: flags.slow,
        beyondRetries: flags["beyond-retries"],
        settleMs: flags.settle,
        reset: resetOf({ url: flags.reset, command: flags["reset-command"] }),
        killDelayMs: flags["kill-delay"],
        partner: partnerOf(flags, { wall: more.wall }),
      }),
      onProgress: explorationProgress(scenario.name, { show, wall: more.wall }),
      replayOf: (schedule) => replayCommand(scenario, flags, { schedule, nameFor }),
    });
  } finally {
    show("");
  }
}

/** Returns the command that plays a saved divergence. The command that saves it comes first if it was not saved. */
function replayCommand(
  { file }: Scenario,
  exploring: Exploring,
  { schedule, nameFor }: Naming & { readonly schedule: Schedule },
) {
  const { receiver, save, port, probe, reset } = exploring;
  const folder = save ?? "explore";
  const where = [...typedFlags({ receiver }), ...typedPartnerFlags(exploring)];
  const runOf = (played: string) =>
    commandLine([
      "sandbank",
      "run",
      played,
      ...where,
      ...typedFlags({ port, "reset-command": exploring["reset-command"] }),
    ]);
  // Without deviations, the scenario itself is the replay, unless a flag adds a setting to it.
  if (schedule.length === 0 && (reset ?? exploring["reset-command"] ?? probe) === undefined)
    return runOf(file);
  const run = runOf(`${folder}/${nameFor(schedule)}.yaml`);
  if (save !== undefined) return run;
  const again = [...where, ...typedSearch(exploring), ...typedFlags({ save: folder })];
  return `${run} (saved by: ${commandLine(["sandbank", "explore", file, ...again])})`;
}

/** Returns the flags that decide the schedules, as they are typed. */
function typedSearch(exploring: Exploring): string[] {
  const { time, only, without, with: added } = exploring;
  return typedAgain(searchFlags, {
    ...exploring,
    time: time && `PT${time / 1000}S`,
    only: only?.join(","),
    without: without?.join(","),
    with: added?.join(","),
  });
}

function unusedName(name: string, names: Set<string>): string {
  let unused = name;
  for (let count = 2; names.has(unused); count++) unused = `${name}-${count}`;
  names.add(unused);
  return unused;
}

/** Gives each saved divergence its name. */
interface Naming {
  readonly nameFor: (schedule: Schedule) => string;
}

/** Writes each divergence as a scenario to a folder. */
async function saveDivergences(
  { result, baseline }: Explored,
  { nameFor, folder, resetUrl }: Naming & { readonly folder: string; readonly resetUrl: string | undefined },
): Promise<void> {
  if (baseline === undefined) return;
  for (const divergence of result.divergences) {
    const text = replayScenario(divergence, baseline, { folder, resetUrl });
    const file = join(folder, `${nameFor(divergence.deviations)}.yaml`);
    const kept = unusedFile(file, text);
    if (kept.isNew) await writeOutput(text, kept.file);
    else note(`${kept.file} has this divergence already.\n`);
  }
}

/**
 * Returns a free file name. A file of an earlier exploration is kept, because it is the test of an earlier bug.
 */
function unusedFile(wanted: string, text: string): { readonly file: string; readonly isNew: boolean } {
  for (let count = 1; ; count++) {
    const file = count === 1 ? wanted : wanted.replace(/\.yaml$/, `-${count}.yaml`);
    if (!existsSync(file)) return { file, isNew: true };
    if (readFileSync(file, "utf8") === text) return { file, isNew: false };
  }
}

/** Shows how far the search is. The baselines before it take longer, and do not count for its rate. */
export function explorationProgress(
  name: string,
  { show, wall }: { readonly show: (line: string) => void; readonly wall: Wall },
): (progress: Progress) => void {
  let startedMs: number | undefined;
  return ({ tried, total, diverged }) => {
    startedMs ??= wall.now();
    if (tried === 0) return show(`0 of ${total} · ${name}`);
    const spentMs = Math.max(1, wall.now() - startedMs);
    const leftMs = (spentMs / tried) * (total - tried);
    const perSecond = (tried * 1000) / spentMs;
    const rate = perSecond.toFixed(perSecond < 10 ? 1 : 0);
    const left = leftMs < 90_000 ? `${Math.ceil(leftMs / 1000)} s` : `${Math.ceil(leftMs / 60_000)} min`;
    show(`${tried} of ${total} · ${rate} a second · about ${left} left · ${diverged} diverged · ${name}`);
  };
}
