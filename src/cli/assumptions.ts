import { print } from "./standard-streams.ts";
import { command } from "./command.ts";
import { text, toggle } from "./flags.ts";
import { CALIBRATION_REPORT, calibratedAssumptions } from "../checks/calibration/calibrated-assumptions.ts";
import { existsSync } from "node:fs";

const flags = {
  json: toggle("Print JSON with the reasons and possible values", { default: false }),
  report: text(
    "JSON report of sandbank calibrate, to show what your traffic says [default: calibration.json]",
  ),
};

/** The words for the verdicts of a report. */
const WORDS = {
  confirmed: "confirmed by traffic",
  contradicted: "contradicted by traffic",
  inconsistent: "contradicted by a part of the traffic",
  "not-seen": "never seen in traffic",
} as const;

/** `sandbank assumptions`: the open questions of the platform API, the sandbox's assumptions, and how sure they are. */
export const assumptionsCommand = command(flags, async ({ json, report }) => {
  const path = report ?? presentReport();
  const { data, calibration } = await calibratedAssumptions(path);
  if (json) {
    print(`${JSON.stringify(data, null, 2)}\n`);
    return;
  }
  for (const { id, says, settable, value, observed, notObserved, verdict } of data) {
    const seen = observed === null ? `Not observed: ${notObserved}` : `Observed: ${observed}`;
    const shown = verdict === undefined ? "" : `  (${WORDS[verdict]})`;
    print(`${id}${settable ? ` = ${String(value)}` : ""}${shown}\n    ${says}\n    ${seen}\n`);
  }
  if (calibration !== undefined) print(`${calibration}\n`);
});

/** Returns the report in the current folder that the commands read without a flag. Undefined if it is missing. */
export function presentReport(): string | undefined {
  return existsSync(CALIBRATION_REPORT) ? CALIBRATION_REPORT : undefined;
}
