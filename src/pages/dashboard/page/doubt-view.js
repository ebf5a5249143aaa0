import { doubtReportOf, DoubtSummary } from "../../../tools/doubt/report-view.js";
import { html } from "../../../html/preact.js";
import { ListView } from "./components.js";
import { notThisReport, ReportFile } from "./report-file.js";

/** @import { DoubtReport } from "../../../tools/doubt/report-data.ts" */

const COMMAND = "sandbank doubt --test 'npm test' --reporter json --out doubt.json";

/** The report that was dropped on this tab. @type {DoubtReport | undefined} */
let dropped;

/** What the partner's tests do where the platform behaves otherwise. @type {import("./page-data.ts").View} */
export const doubtView = { title: "Doubt", load: async () => [], List };

function List() {
  const open = (/** @type {any} */ report, /** @type {string} */ name) => {
    const found = doubtReportOf(report);
    if (found === undefined) throw notThisReport(name, COMMAND);
    dropped = found;
  };
  return html`<${ListView}
    title="Doubt"
    intro="Which unproven assumption do your tests live on, and what would they not notice?"
    rows=${[
      dropped && html`<${DoubtSummary} report=${dropped} />`,
      html`<h3>${dropped === undefined ? "Show a report" : "Show another report"}</h3>
        <${ReportFile} command=${COMMAND} opened=${open} />`,
    ]}
  />`;
}
