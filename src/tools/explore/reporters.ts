import type { ExploreResult } from "./exploration.ts";
import { explorePage } from "./report-html.ts";
import { junitReport, prettyReport } from "./report.ts";

export type ExploreReporter = keyof typeof exploreReports;

/** The formats of the report of explorations. */
export const exploreReports = {
  pretty: (results: readonly ExploreResult[], isColoured = false) =>
    results.map((result) => prettyReport(result, isColoured)).join("\n"),
  json: (results: readonly ExploreResult[]) =>
    `${JSON.stringify(results.length === 1 ? results[0] : { results }, null, 2)}\n`,
  junit: junitReport,
  html: explorePage,
} as const;
