import { openSandbox } from "../library/sandbox.ts";
import { command } from "./command.ts";
import {
  choice,
  limit,
  number,
  PORTS,
  secretFlag,
  seed,
  text,
  texts,
  toggle,
  readAs,
  wallTime,
} from "./flags.ts";
import { capabilitiesFlag } from "../checks/certification/capabilities.ts";
import { checksReport, receiverFormats, receiverReports } from "../checks/receiver/report.ts";
import { CHECK_LIMITS } from "../checks/receiver/check-limits.ts";
import { receiverReport } from "../checks/receiver/receiver-check.ts";
import { partnerFlags, withPartner } from "./partner-flags.ts";
import { interruption } from "./interruption.ts";
import { statusLine } from "./output.ts";
import type { CheckProgress } from "../checks/receiver/run-checks.ts";
import type { Wall } from "../base/wall.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";

const flags = {
  reporter: reporterFlag(receiverFormats),
  ...partnerFlags,
  url: text("URL of the receiver", { isArgument: true, demandOption: true }),
  secret: secretFlag,
  level: choice(["must", "should"], "Lowest level of a check whose failure counts", { default: "must" }),
  only: texts("Run only this check, such as I2 (repeatable)"),
  seed: seed("Seed of the ids of the events; random draws and prints one", { default: "random" }),
  out: text("Write the report to this file"),
  budget: limit(CHECK_LIMITS.budget),
  rate: limit(CHECK_LIMITS.rate),
  timeout: limit(CHECK_LIMITS.timeoutMs),
  time: readAs(wallTime, `${CHECK_LIMITS.timeMs.says}: a duration such as PT1M, or seconds [default: PT1M]`),
  "next-secret": text("The secret after a rotation, which the receiver already accepts"),
  "retired-secret": text("A secret from before a rotation, which the receiver must reject"),
  "sandbox-port": number(
    PORTS,
    "Open a sandbox on this port for the calls of the receiver, and observe them",
  ),
  probe: text("URL that returns the receiver's state as JSON, in any form"),
  ignore: texts("Leave this JSONPath of the probe out of the comparison, such as '$.log' (repeatable)"),
  capabilities: capabilitiesFlag,
  "allow-inconclusive": toggle("Accept required checks without a clear result", { default: false }),
  settle: number(
    CHECK_LIMITS.settleMs.range,
    `${CHECK_LIMITS.settleMs.says} [default: ${CHECK_LIMITS.settleMs.preset}, or less for a receiver that is done when it answers]`,
  ),
};

/** Checks a receiver, and ends by the report. */
export const checkCommand = command(flags, async (flags, wall) => {
  await requireReports(flags);
  using interrupted = interruption("check the receiver");
  const { signal } = interrupted;
  const show = statusLine(wall);
  show(flags["partner-ready"] === undefined ? "Sending the first event" : "Starting your system");
  const report = await withPartner(flags, { wall, signal }, (process) =>
    receiverReport({ ...flags, wall, openSandbox, process, signal, onProgress: checkProgress(show, wall) }),
  ).finally(() => show(""));
  await writeReports(flags, ({ format, isColoured }) => receiverReports[format](report, isColoured));
  endBy(checksReport(report));
});

/** Shows the progress of the checks. */
export function checkProgress(show: (line: string) => void, wall: Wall): (progress: CheckProgress) => void {
  const startedMs = wall.now();
  return ({ done, of, id }) => {
    const leftMs = done === 0 ? undefined : ((wall.now() - startedMs) / done) * (of - done);
    const left = leftMs === undefined ? "" : `, about ${Math.ceil(leftMs / 1000)} s left`;
    show(`${done} of ${of} checks${left} (${id})`);
  };
}
