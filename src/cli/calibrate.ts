import { command } from "./command.ts";
import { choice, text, texts } from "./flags.ts";
import { defined } from "../simulator/engine/json.ts";
import { basename } from "node:path";
import { statSync } from "node:fs";
import {
  calibrationReport,
  calibratedConfig,
  calibrationFormats,
  calibrationReports,
  concludedReport,
} from "../checks/calibration/report.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { interruption } from "./interruption.ts";
import { type HarsEnd, type RawEntry, readHars } from "../traffic/read-har.ts";
import { TrafficReader } from "../checks/calibration/traffic-reader.ts";
import { writeCalibration } from "./calibrated-config.ts";
import { statusLine } from "./output.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  files: texts("HAR files", { isArgument: true }),
  secret: texts("Webhook secret, to verify signatures, in addition to SANDBANK_WEBHOOK_SECRET (repeatable)"),
  config: text("Write the observed values to this configuration file"),
  reporter: reporterFlag(calibrationFormats),
  out: text("Write the report to this file"),
  host: text("Host of the platform [default: the host with the most calls of the platform API]"),
  "fail-on": choice(["contradicted"], "Exit with 1 if an assumption is contradicted"),
};

/**
 * `sandbank calibrate`: compares recorded traffic of the platform with the assumptions, reports the results and sets
 * the exit code.
 */
export const calibrateCommand = command(flags, async (flags, wall) => {
  const { files = [], secret = [], config, host } = flags;
  if (files.length === 0)
    throw new UsageError("calibrate requires HAR files. Name one: sandbank calibrate session.har");
  await requireReports(flags);
  const known = secretVariable("SANDBANK_WEBHOOK_SECRET");
  const reader = new TrafficReader({ secrets: known === undefined ? secret : [...secret, known] });
  const names = shownNames(files);
  using interrupted = interruption("calibrate");
  const { signal } = interrupted;
  const show = statusLine(wall, { isLogged: true });
  const showPart = readingProgress(files, show);
  const take = ({ index, value, bytesRead }: RawEntry, file: number): void => {
    reader.add({ file: names[file] ?? "", index }, value);
    showPart(bytesRead, file);
  };
  const ends = await readHars(files, take, signal).finally(() => show(""));
  const stopped = signal.aborted ? (signal.reason as Error).message : undefined;
  const cut = ends.flatMap(({ entries, isCut }, file) =>
    isCut ? `${names[file]} ends in the middle of an entry; its ${entries} complete entries are used.` : [],
  );
  cut.push(...doubledNote(ends));
  if (stopped !== undefined)
    cut.push(
      `The command was interrupted. ${ends.reduce((sum, { entries }) => sum + entries, 0)} entries were read before, and only these are used.`,
    );
  if (stopped === undefined && host !== undefined && !reader.hosts.includes(host))
    throw new UsageError(`--host: the interface is not called on ${host} in these files. ${hostsOf(reader)}`);
  const recorded = reader.finish(host);
  if (recorded.host === null && recorded.counts.webhooks === 0)
    throw new FileMistakes(
      stopped ??
        `Failed to calibrate: the files contain no call of the platform API (entries: ${recorded.counts.otherHosts + recorded.counts.otherPaths}). Record the traffic with the platform: sandbank record.`,
    );
  const report = {
    ...calibrationReport({ ...recorded, notes: [...cut, ...recorded.notes] }, names),
    ...defined({ configFile: stopped === undefined ? config : undefined }),
  };
  if (config !== undefined && stopped === undefined) await writeCalibration(config, calibratedConfig(report));
  await writeReports(flags, ({ format, isColoured }) => calibrationReports[format](report, isColoured));
  endBy(concludedReport(report, { failsOn: flags["fail-on"], stopped }));
});

/** Says how many entries are left out because an earlier entry is equal. Empty if there are none. */
export function doubledNote(ends: readonly HarsEnd[]): string[] {
  const count = ends.reduce((sum, { doubled }) => sum + doubled, 0);
  if (count === 0) return [];
  return [
    `${count} ${count === 1 ? "entry is" : "entries are"} there twice, with the same time, request and answer. They count once.`,
  ];
}

/** Shows how much of the files is read. The size of a pipe is unknown, so it shows only the name then. */
export function readingProgress(
  files: readonly string[],
  show: (line: string) => void,
): (bytesRead: number, file: number) => void {
  const names = shownNames(files);
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return (bytesRead, file) => {
    const before = sizes.slice(0, file).reduce((sum, size) => sum + size, 0);
    const percent = Math.floor((100 * (before + bytesRead)) / all);
    show(`Reading ${names[file]}${sizes.includes(0) ? "" : `: ${percent} % of all`}`);
  };
}

/** Returns the names of the files without their folders, if these names are different. */
function shownNames(files: readonly string[]): readonly string[] {
  const names = files.map((file) => basename(file));
  return new Set(names).size === files.length ? names : files;
}

function hostsOf({ hosts }: TrafficReader): string {
  return hosts.length === 0 ? "It is called on no host." : `It is called on ${hosts.join(", ")}.`;
}
