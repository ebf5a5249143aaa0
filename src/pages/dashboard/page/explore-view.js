import { api, app, go } from "./app.js";
import { DivergenceReport, resultsOf, ResultSummary } from "../../../tools/explore/report-view.js";
import { Badge, Command, Heading, ListView, Row } from "./components.js";
import { formatAddress } from "./address.js";
import { html } from "../../../html/preact.js";
import { notThisReport, ReportFile } from "./report-file.js";

/** @import { Divergence, ExploreResult } from "../../../tools/explore/report-data.ts" */

/** The report that was dropped on this tab. @type {readonly ExploreResult[]} */
let dropped = [];

/** The report of that name, where it is not one that the server keeps. */
const DROPPED = "file";

/** Reports of the server that were read, by their ids: they never change. @type {Map<string, readonly ExploreResult[]>} */
const read = new Map();

/** @import { ExplorationSummary as Kept } from "../../../api/generated/shapes.ts" */

/** Every way the webhooks could have come, and what came of it. @type {import("./page-data.ts").View} */
export const exploreView = {
  title: "Explore",
  isPolled: true,
  load: async () => {
    /** @type {readonly Kept[]} */
    const kept = (await api.ask("GET /sandbox/explorations")).data;
    const newest = dropped.length > 0 ? DROPPED : kept.at(-1)?.id;
    const report = app.address.query["report"] ?? newest;
    return { kept, report, results: report === undefined ? [] : await reportOf(report) };
  },
  List,
  loadOne: async (id) => {
    const [report = "", result = "", divergence = ""] = id.split(".");
    const one = (await reportOf(report))[Number(result)];
    const found = one?.divergences[Number(divergence)];
    if (one === undefined || found === undefined)
      throw new Error("This tab has no report with that divergence. Drop the report here.");
    return { result: one, divergence: found };
  },
  One,
};

/** @param {string} report */
async function reportOf(report) {
  if (report === DROPPED) return dropped;
  const known = read.get(report);
  if (known !== undefined) return known;
  const results = resultsOf(await api.ask("GET /sandbox/explorations/{id}", { id: report })) ?? [];
  read.set(report, results);
  return results;
}

/** The address of a divergence. @param {string} place the report and the result in it @param {number} index */
function addressOf(place, index) {
  const [report = ""] = place.split(".");
  return formatAddress({ view: "explore", id: `${place}.${index}`, query: { report } });
}

const COMMAND = "sandbank explore FILE --reporter json --out report.json";

/** The command that leaves its report on this server. */
const SHOWN = `sandbank explore FILE --receiver URL --probe URL --dashboard ${location.origin}`;

/** @param {{ data: { kept: readonly Kept[], report: string | undefined, results: readonly ExploreResult[] } }} props */
function List({ data: { kept, report: shown, results } }) {
  const open = (/** @type {any} */ report, /** @type {string} */ name) => {
    const found = resultsOf(report);
    if (found === undefined) throw notThisReport(name, COMMAND);
    dropped = found;
    go({ view: "explore", query: { report: DROPPED } });
  };
  return html`<${ListView}
    title="Explore"
    intro="Does the state of the partner's system depend on how the webhooks came: twice, late, in another order?"
    above=${
      kept.length > 0 &&
      html`<h3>Reports <span class="soft">the newest first</span></h3>
        ${kept.map((one) => html`<${KeptRow} key=${one.id} kept=${one} isShown=${one.id === shown} />`).reverse()}`
    }
    rows=${[
      ...results.map(
        (one, index) => html`<${ResultSection} key=${index} result=${one} place=${`${shown}.${index}`} />`,
      ),
      html`<h3>${results.length === 0 ? "Show a report" : "Show another report"}</h3>
        <p>With this command it appears here by itself:</p>
        <${Command} text=${SHOWN} />
        <${ReportFile} command=${COMMAND} opened=${open} />`,
    ]}
  />`;
}

/** A report that the server keeps. @param {{ kept: Kept, isShown: boolean }} props */
function KeptRow({ kept: { id, results }, isShown }) {
  const verdicts = new Set(results.map(({ verdict }) => verdict));
  const worst = ["not-tried", "diverges", "undecided"].find((one) => verdicts.has(one)) ?? "converges";
  return html`<${Row}
    href=${formatAddress({ view: "explore", query: { report: id } })}
    isCurrent=${isShown}
    title=${`${id} ${results[0]?.scenario ?? ""}`}
    badge=${html`<${Badge} status=${worst} />`}
    left=${results.length > 1 && `and ${results.length - 1} more`}
  />`;
}

/** @param {{ result: ExploreResult, place: string }} props */
function ResultSection({ result, place }) {
  const { scenario, verdict, divergences } = result;
  return html`<section>
    <h3>${scenario}<${Badge} status=${verdict} /></h3>
    <${ResultSummary}
      result=${result}
      addressOf=${(/** @type {number} */ index) => addressOf(place, index)}
    />
    ${divergences.map(
      ({ title, cause }, index) =>
        html`<${Row}
          key=${index}
          href=${addressOf(place, index)}
          isCurrent=${app.address.id === `${place}.${index}`}
          title=${title}
          left=${cause}
        />`,
    )}
  </section>`;
}

/** @param {{ data: { result: ExploreResult, divergence: Divergence } }} props */
function One({ data: { result, divergence } }) {
  return html`<section>
    <${Heading} title=${divergence.title} />
    <${DivergenceReport} divergence=${divergence} result=${result} Line=${Command} />
  </section>`;
}
