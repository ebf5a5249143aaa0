import { command } from "./command.ts";
import { text, texts } from "./flags.ts";
import { checkReport, checkTraffic, trafficFormats, trafficReports } from "../checks/traffic/report.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { hostsOf } from "./calibrate.ts";
import { readRecordedFiles } from "./recorded-files.ts";
import { TrafficCollector } from "../checks/traffic/seen-traffic.ts";

const flags = {
  files: texts("HAR files", { isArgument: true }),
  reporter: reporterFlag(trafficFormats),
  out: text("Write the report to this file"),
  host: text("Host of the platform [default: the host with the most calls of the platform API]"),
};

/**
 * `sandbank check-traffic`: looks for mistakes of the user's system in recorded traffic with the platform or a sandbox,
 * and sets the exit code.
 */
export const checkTrafficCommand = command(flags, async (flags, wall) => {
  const { files = [], host } = flags;
  if (files.length === 0)
    throw new UsageError("check-traffic requires HAR files. Name one: sandbank check-traffic session.har");
  await requireReports(flags);
  const collector = new TrafficCollector();
  const add = collector.add.bind(collector);
  const read = await readRecordedFiles(files, add, { command: "check-traffic", wall });
  if (read.stopped === undefined && host !== undefined && !collector.hosts.includes(host))
    throw new UsageError(
      `--host: the platform API is not called on ${host} in these files. ${hostsOf(collector)}`,
    );
  const traffic = collector.finish(host);
  if (traffic.calls.length + traffic.webhooks.length === 0)
    throw new FileMistakes(
      read.stopped ??
        `Failed to check the traffic: the files contain no call of the platform API (entries: ${traffic.others}). Record the traffic with the platform: sandbank record.`,
    );
  const left =
    collector.left === 0 ? [] : [`${collector.left} exchanges are left out, because the memory is bounded.`];
  const check = checkTraffic(traffic, { files: read.names, notes: [...read.notes, ...left] });
  await writeReports(flags, ({ format, isColoured }) => trafficReports[format](check, isColoured));
  const { suites } = checkReport(check);
  const stopped =
    read.stopped === undefined
      ? []
      : [{ name: "files", cases: [{ name: "files", verdict: "undecided", summary: read.stopped } as const] }];
  endBy({ suites: [...suites, ...stopped] });
});
