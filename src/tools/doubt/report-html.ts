import type { DoubtReport } from "./report-data.ts";
import { DoubtSummary } from "./report-view.js";
import { html } from "../../html/preact.js";
import { htmlReport } from "../reports/html-report.ts";

/** The report as one page without outside references. */
export function doubtPage(report: DoubtReport): string {
  const content = html`<h1>Which unproven assumption do your tests live on?</h1>
    <${DoubtSummary} report=${report} />`;
  return htmlReport({ title: "sandbank doubt", content });
}
