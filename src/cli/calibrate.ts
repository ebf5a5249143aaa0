import { command } from "./command.ts";
import { choice, text, texts } from "./flags.ts";
import { defined } from "../simulator/engine/json.ts";
import {
  calibrationReport,
  calibratedConfig,
  calibrationFormats,
  calibrationReports,
  concludedReport,
} from "../checks/calibration/report.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { TrafficReader } from "../checks/calibration/traffic-reader.ts";
import { writeCalibration } from "./calibrated-config.ts";
import { readRecordedFiles } from "./recorded-files.ts";
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
  const { names, notes, stopped } = await readRecordedFiles(
    files,
    (place, value) => reader.add(place, value),
    { command: "calibrate", wall },
  );
  if (stopped === undefined && host !== undefined && !reader.hosts.includes(host))
    throw new UsageError(
      `--host: the platform API is not called on ${host} in these files. ${hostsOf(reader)}`,
    );
  const recorded = reader.finish(host);
  if (recorded.host === null && recorded.counts.webhooks === 0)
    throw new FileMistakes(
      stopped ??
        `Failed to calibrate: the files contain no call of the platform API (entries: ${recorded.counts.otherHosts + recorded.counts.otherPaths}). Record the traffic with the platform: sandbank record.`,
    );
  const report = {
    ...calibrationReport({ ...recorded, notes: [...notes, ...recorded.notes] }, names),
    ...defined({ configFile: stopped === undefined ? config : undefined }),
  };
  if (config !== undefined && stopped === undefined) await writeCalibration(config, calibratedConfig(report));
  await writeReports(flags, ({ format, isColoured }) => calibrationReports[format](report, isColoured));
  endBy(concludedReport(report, { failsOn: flags["fail-on"], stopped }));
});

export function hostsOf({ hosts }: { readonly hosts: readonly string[] }): string {
  return hosts.length === 0 ? "It is called on no host." : `It is called on ${hosts.join(", ")}.`;
}
