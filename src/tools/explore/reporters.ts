import type { ExploreResult } from "./exploration.ts";
import { explorePage } from "./report-html.ts";
import { prettyReport, testReport } from "./report.ts";
import { sharedFormats } from "../reports/formats.ts";

/** The formats of the report of explorations. */
export const exploreReports = {
  pretty: (results: readonly ExploreResult[], isColoured = false) =>
    results.map((result) => prettyReport(result, isColoured)).join("\n"),
  json: (results: readonly ExploreResult[]) =>
    `${JSON.stringify(results.length === 1 ? results[0] : { results }, null, 2)}\n`,
  ...sharedFormats(testReport),
  html: (results: readonly ExploreResult[]) => explorePage(results),
} as const;

export const exploreFormats = Object.keys(exploreReports) as (keyof typeof exploreReports)[];
