import type { Argv } from "yargs";
import { type FlagsOf, command } from "./command.ts";
import {
  type DeviationKind,
  type Schedule,
  deviationKinds,
  groups,
  kindsNamed,
  nameOf,
} from "../tools/explore/deviations.ts";
import { announcedSeed, httpUrl, seedOrRandom, wallTime, wholeNumber } from "./flags.ts";
import { suggestion } from "../engine/suggestion.ts";
import { UsageError } from "../process/failures.ts";
import { partnerFlags, partnerOf, typedPartnerFlags } from "./partner-flags.ts";
import { resetOf } from "../tools/explore/partner-command.ts";
import type { Divergence, Explored, ExploreResult, Progress } from "../tools/explore/exploration.ts";
import type { Scenario } from "../tools/scenarios/scenario.ts";
import { exploreFormats, exploreReports } from "../tools/explore/reporters.ts";
import { exploreScenario } from "../tools/explore/explore.ts";
import { join } from "node:path";
import { operations } from "../api/operations.ts";
import { readIgnoredPath } from "../tools/oracle/ignored-paths.ts";
import { readScenarios } from "../tools/scenarios/scenario-files.ts";
import { replayScenario } from "../tools/explore/replay.ts";
import { controlClient } from "../control/client.js";
import { commandLine } from "../control/shell.js";
import { variableOf } from "../library/settings.ts";
import { reporterFlag, requireReports, writeReports } from "./reports.ts";
import { statusLine, writeOutput } from "./output.ts";

/** A flag of several values, each given with the flag. */
const listFlag = { type: "string", array: true, nargs: 1 } as const;

const flags = (yargs: Argv) =>
  partnerFlags(reporterFlag(exploreFormats)(yargs))
    .positional("files", { type: "string", array: true, describe: "Scenario files or folders" })
    .option("receiver", {
      type: "string",
      describe: "Your endpoint for the webhooks",
      coerce: httpUrl("--receiver"),
    })
    .option("secret", {
      type: "string",
      describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
    })
    .option("probe", {
      type: "string",
      describe: "Where your system shows its state as JSON (default: probe of the scenario)",
    })
    .option("ignore", {
      ...listFlag,
      describe: "JSON path of what is not compared; repeatable",
    })
    .option("depth", {
      type: "string",
      describe: "How many things go differently at most in one run (default: 2)",
      coerce: wholeNumber("--depth", { min: 1, max: 5 }),
    })
    .option("budget", {
      type: "string",
      describe: "How many schedules are tried at most (default: 500)",
      coerce: wholeNumber("--budget", { min: 1, max: 1_000_000 }),
    })
    .option("time", {
      type: "string",
      describe: "For how long, as an ISO 8601 duration (default: PT5M)",
      coerce: wallTime("--time"),
    })
    .option("only", {
      ...listFlag,
      describe: `Only these deviations, or groups of them: ${[...groups, ...deviationKinds].join(",")}`,
      coerce: kindsOf("--only"),
    })
    .option("without", { ...listFlag, describe: "All but these", coerce: kindsOf("--without") })
    .option("with", {
      ...listFlag,
      describe: "These in addition, such as call-slow, which is tried only where it is named",
      coerce: kindsOf("--with"),
    })
    .option("repeat", {
      type: "string",
      describe: "How often a race is tried (default: 5)",
      coerce: wholeNumber("--repeat", { min: 1, max: 1_000 }),
    })
    .option("slow", {
      type: "string",
      describe: "How late the answer of call-slow is, in milliseconds (default: 10000)",
      coerce: wholeNumber("--slow", { min: 1, max: 600_000 }),
    })
    .option("beyond-retries", {
      type: "boolean",
      describe: "Also hold events back for longer than the platform goes on trying",
    })
    .option("reset", {
      type: "string",
      describe: "POST to this URL before each run, to empty your system",
      coerce: httpUrl("--reset"),
    })
    .option("reset-command", { type: "string", describe: "Or run this command" })
    .option("port", {
      type: "string",
      describe: "Where your system finds the sandbox, if it calls it",
      coerce: wholeNumber("--port", { min: 1, max: 65_535 }),
    })
    .option("kill-delay", {
      type: "string",
      describe: "Milliseconds after a webhook at which your system is killed (default: 5, 20, 100 by turns)",
      coerce: wholeNumber("--kill-delay", { min: 0, max: 600_000 }),
    })
    .option("settle", {
      type: "string",
      describe: "Milliseconds for work after the answers (default: 200)",
      coerce: wholeNumber("--settle", { min: 0, max: 600_000 }),
    })
    .option("seed", {
      type: "string",
      describe: "Repeats everything; random draws one and prints it (default: 1)",
      coerce: seedOrRandom,
    })
    .option("out", { type: "string", describe: "Write the report to this file" })
    .option("dashboard", {
      type: "string",
      describe:
        "URL of a running sandbox whose dashboard shows the report (admin token in SANDBANK_ADMIN_TOKEN)",
      coerce: httpUrl("--dashboard"),
    })
    .option("save", { type: "string", describe: "Write each divergence to this folder, as a scenario" })
    .conflicts("reset", "reset-command");

type ExploreFlags = FlagsOf<typeof flags>;

/** `sandbank explore`: tries every way in which webhooks can come. */
export const exploreCommand = command(flags, exploreFiles);

function kindsOf(flag: string) {
  return function readKinds(written: string[] | undefined): DeviationKind[] | undefined {
    return written?.flatMap((list) =>
      list.split(",").flatMap((word) => {
        const name = word.trim();
        const kinds = kindsNamed(name);
        if (kinds !== undefined) return kinds;
        throw new UsageError(
          `${flag}: there is no deviation "${name}". ${suggestion(name, [...groups, ...deviationKinds])}`,
        );
      }),
    );
  };
}

/** Explores scenario files and sets the exit code: 0 nothing diverges, 1 something does, 2 it could not be tried. */
async function exploreFiles(flags: ExploreFlags): Promise<void> {
  const { files = [], receiver } = flags;
  if (files.length === 0)
    throw new UsageError("explore requires scenario files or folders. Name one: sandbank explore gym.yaml");
  if (receiver === undefined)
    throw new UsageError(
      "explore requires your receiver. Name it: --receiver http://127.0.0.1:3000/webhooks",
    );
  validateProbe(flags);
  await requireReports(flags);
  const show = flags.dashboard === undefined ? undefined : await openDashboard(flags.dashboard);
  const seed = announcedSeed(flags.seed ?? 1);
  const results = await explorations({ ...flags, files, receiver, seed });
  await writeReports(flags, ({ format, isColoured }) => exploreReports[format](results, isColoured));
  await show?.(results);
  process.exitCode = exitCodeOf(results);
}

/** What is explored, with which receiver. */
interface Exploring extends Omit<Partial<ExploreFlags>, "files" | "receiver" | "seed"> {
  readonly files: readonly string[];
  readonly receiver: string;
  readonly seed: number;
}

/** Explores scenario files one after another, and saves what diverges. */
export async function explorations(flags: Exploring): Promise<ExploreResult[]> {
  const { files, save, seed } = flags;
  validateProbe(flags);
  const results: ExploreResult[] = [];
  const names = new Set<string>();
  for (const scenario of readScenarios(files)) {
    const fileOf = (schedule: Schedule): string => unusedName(nameOf(schedule), names);
    const saved = new Map<Schedule, string>();
    const explored = await exploreOne(scenario, flags, (schedule) => {
      const known = saved.get(schedule) ?? fileOf(schedule);
      saved.set(schedule, known);
      return known;
    });
    if (save !== undefined) await saveDivergences(explored, { scenario, flags, folder: save, seed, saved });
    results.push(explored.result);
  }
  return results;
}

/** How a report gets to the dashboard of a running sandbox. Throws where there is none, before anything is tried. */
async function openDashboard(url: string): Promise<(results: readonly ExploreResult[]) => Promise<void>> {
  const client = controlClient({ url, adminToken: process.env[variableOf("admin-token")] });
  await client.ask("GET /sandbox/explorations");
  return async (results) => {
    const { id } = await client.ask("POST /sandbox/explorations", { results });
    process.stderr.write(`The dashboard shows the report: ${client.url}/#/explore?report=${id}\n`);
  };
}

/** What could not be tried is worse than what failed: nobody knows anything about it. */
export function exitCodeOf(results: readonly ExploreResult[]): number {
  if (results.some(({ verdict }) => verdict === "not-tried")) return 2;
  return results.some(({ verdict }) => verdict === "diverges") ? 1 : 0;
}

function validateProbe({ probe, ignore = [] }: Pick<Exploring, "probe" | "ignore">): void {
  if (probe !== undefined && !/^https?:\/\//.test(probe))
    throw new UsageError(`--probe must be a URL such as http://127.0.0.1:3000/members; found "${probe}".`);
  for (const path of ignore) {
    const read = readIgnoredPath(path);
    if ("mistake" in read) throw new UsageError(`--ignore: ${read.mistake}`);
  }
}

async function exploreOne(
  scenario: Scenario,
  flags: Exploring,
  fileOf: (schedule: Schedule) => string,
): Promise<Explored> {
  const { receiver, probe, ignore, depth, budget, time, only, without, port, settle, seed } = flags;
  const { with: added, repeat, slow, "beyond-retries": beyondRetries } = flags;
  const webhookSecret = flags.secret ?? (process.env["SANDBANK_WEBHOOK_SECRET"] || undefined);
  const show = statusLine();
  const reset = resetOf({ url: flags.reset, command: flags["reset-command"] });
  const killDelayMs = flags["kill-delay"];
  const partner = partnerOf(flags);
  try {
    return await exploreScenario({
      scenario,
      operations,
      receiver,
      seed,
      ...(webhookSecret !== undefined && { webhookSecret }),
      ...(probe !== undefined && { probe }),
      ...(ignore !== undefined && { ignore }),
      ...(depth !== undefined && { depth }),
      ...(budget !== undefined && { budget }),
      ...(time !== undefined && { timeMs: time }),
      ...(only !== undefined && { only }),
      ...(without !== undefined && { without }),
      ...(added !== undefined && { with: added }),
      ...(repeat !== undefined && { repeat }),
      ...(slow !== undefined && { slowMs: slow }),
      ...(beyondRetries !== undefined && { beyondRetries }),
      ...(port !== undefined && { port }),
      ...(settle !== undefined && { settleMs: settle }),
      ...(reset && { reset }),
      ...(killDelayMs !== undefined && { killDelayMs }),
      ...(partner && { partner }),
      onProgress: progressOf(scenario.name, show),
      replayOf: (schedule) => replayCommand(scenario, flags, fileOf(schedule)),
    });
  } finally {
    show("");
  }
}

/** The command that plays a saved divergence; what saves it comes first where that was not done. */
function replayCommand(
  { file }: Scenario,
  { receiver, save, port, seed, ...flags }: Exploring,
  name: string,
): string {
  const folder = save ?? "explore";
  const option = (flag: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [flag, String(value)];
  const receiving = option("--receiver", receiver);
  const opened = option("--port", port);
  const started = typedPartnerFlags(flags);
  const run = commandLine(["sandbank", "run", `${folder}/${name}.yaml`, ...receiving, ...opened, ...started]);
  if (save !== undefined) return run;
  const again = commandLine([
    "sandbank",
    "explore",
    file,
    ...receiving,
    ...option("--probe", flags.probe),
    ...(flags.ignore ?? []).flatMap((path) => ["--ignore", path]),
    ...option("--reset", flags.reset),
    ...option("--reset-command", flags["reset-command"]),
    ...opened,
    ...started,
    ...(flags["beyond-retries"] === true ? ["--beyond-retries"] : []),
    ...option("--depth", flags.depth),
    ...option("--seed", seed),
    ...option("--save", folder),
  ]);
  return `${run} (saved by: ${again})`;
}

function unusedName(name: string, names: Set<string>): string {
  let unused = name;
  for (let count = 2; names.has(unused); count++) unused = `${name}-${count}`;
  names.add(unused);
  return unused;
}

interface SaveOptions {
  readonly scenario: Scenario;
  readonly flags: Exploring;
  readonly folder: string;
  readonly seed: number;
  /** The name of the file of each schedule. */
  readonly saved: ReadonlyMap<Schedule, string>;
}

async function saveDivergences(
  { result, baseline }: Explored,
  { scenario, flags, folder, seed, saved }: SaveOptions,
): Promise<void> {
  if (baseline === undefined) return;
  const write = async (divergence: Divergence): Promise<void> => {
    const text = replayScenario(divergence, {
      scenario,
      baseline,
      seed,
      probeUrl: flags.probe,
      settleMs: flags.settle,
      resetUrl: flags.reset,
      folder,
    });
    const name = saved.get(divergence.deviations) ?? nameOf(divergence.deviations);
    await writeOutput(text, join(folder, `${name}.yaml`));
  };
  for (const divergence of result.divergences) await write(divergence);
}

/** Shows how far the search is. */
function progressOf(name: string, show: (line: string) => void): (progress: Progress) => void {
  const startedMs = performance.now();
  return ({ tried, total, diverged }) => {
    const perSecond = (tried * 1000) / Math.max(1, performance.now() - startedMs);
    const rate = perSecond.toFixed(perSecond < 10 ? 1 : 0);
    show(`${tried} of ${total} · ${rate} a second · ${diverged} diverged · ${name}`);
  };
}
