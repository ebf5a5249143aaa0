import { print } from "./standard-streams.ts";
import { command } from "./command.ts";
import { text, toggle } from "./flags.ts";
import { type EarlierResults, readResults } from "../checks/calibration/earlier-results.ts";
import { existsSync } from "node:fs";
import { observedAssumptions } from "../checks/calibration/observed-assumptions.ts";

/** The report of `sandbank calibrate` that this command reads without a flag. */
const REPORT = "calibration.json";

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
  const path = report ?? (existsSync(REPORT) ? REPORT : undefined);
  const results: EarlierResults | undefined = path === undefined ? undefined : readResults(path);
  const verdictOf = (id: string) => results?.get(id) ?? "not-seen";
  const listed = await observedAssumptions();
  if (json) {
    const shown =
      results === undefined ? listed : listed.map((one) => ({ ...one, verdict: verdictOf(one.id) }));
    print(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  for (const { id, says, settable, value, observed, notObserved } of listed) {
    const seen = observed === null ? `Not observed: ${notObserved}` : `Observed: ${observed}`;
    const verdict = results === undefined ? "" : `  (${WORDS[verdictOf(id)]})`;
    print(`${id}${settable ? ` = ${String(value)}` : ""}${verdict}\n    ${says}\n    ${seen}\n`);
  }
  if (results === undefined || path === undefined) return;
  const settable = listed.filter((one) => one.settable).map(({ id }) => verdictOf(id));
  const count = (verdict: keyof typeof WORDS): number => settable.filter((one) => one === verdict).length;
  const contradicted = count("contradicted") + count("inconsistent");
  print(
    `Of ${settable.length} settable assumptions ${count("confirmed")} are confirmed, ${contradicted} contradicted, ${count("not-seen")} never seen (${path}).\n`,
  );
});
