import type { Endpoint } from "../../server/control/endpoint.ts";
import type { AssumptionList } from "../../simulator/api/generated/shapes.ts";
import type { AssumptionVerdict } from "./verdict.ts";
import { type AssumptionValues, assumedValues } from "../../simulator/platform/assumptions/assumptions.ts";
import { FileMistakes } from "../../base/failures.ts";
import { observedAssumptions } from "./observed-assumptions.ts";
import { readResults } from "./earlier-results.ts";

/** The name of the report that the commands read if no flag names one. */
export const CALIBRATION_REPORT = "calibration.json";

/**
 * Returns every assumption with its verdict in a report of `sandbank calibrate`, and the summary of the report. Without
 * a report, the assumptions have no verdicts. Throws a FileMistakes if the file is no such report.
 */
export async function calibratedAssumptions(
  report: string | undefined,
  values?: AssumptionValues,
): Promise<AssumptionList> {
  const listed = await observedAssumptions(values);
  if (report === undefined) return { data: [...listed] };
  const results = readResults(report);
  const data = listed.map((one) => ({ ...one, verdict: results.get(one.id) ?? ("not-seen" as const) }));
  const settable = data.filter((one) => one.settable).map(({ verdict }) => verdict);
  return { data, calibration: `${summaryOf(settable)} (${report}).` };
}

function summaryOf(settable: readonly AssumptionVerdict["verdict"][]): string {
  const count = (...verdicts: readonly AssumptionVerdict["verdict"][]): number =>
    settable.filter((one) => verdicts.includes(one)).length;
  return `Of ${settable.length} settable assumptions ${count("confirmed")} are confirmed, ${count("contradicted", "inconsistent")} contradicted, ${count("not-seen")} never seen`;
}

/** The sandbox's assumptions, for clients. The report is read at each request, because it may change. */
export function assumptionEndpoints({
  calibrationReport,
}: {
  readonly calibrationReport?: string | undefined;
}) {
  return {
    listAssumptions: {
      method: "GET",
      path: "/sandbox/assumptions",
      tag: "State",
      summary: "List the assumptions with their values in this world",
      response: "AssumptionList",
      answer: async ({ world }) => {
        const values = assumedValues(world.records);
        try {
          return await calibratedAssumptions(calibrationReport, values);
        } catch (error) {
          if (!(error instanceof FileMistakes)) throw error;
          return { data: [...(await observedAssumptions(values))], calibration: error.message };
        }
      },
    } satisfies Endpoint,
  };
}
