import { api, app } from "./app.js";
import { Badge, Disclosure, ListView, Tally } from "./components.js";
import { counted, matches, valueText } from "./text.js";
import { html } from "../../../html/preact.js";
import { notThisReport, ReportFile } from "./report-file.js";

/** @import { ListedAssumption as Assumption } from "../../../api/generated/shapes.ts" */

/** What the interface leaves open, and what this world does about it. @type {import("./page-data.ts").View} */
export const assumptionsView = {
  title: "Assumptions",
  load: async () => (await api.ask("GET /sandbox/assumptions")).data,
  List,
};

/**
 * What recorded traffic of the real platform shows about an assumption, as `sandbank calibrate` reports it.
 *
 * @typedef {{ id: string, verdict: string, assumed: unknown, observed: Observed | null, observations: number, note?: string }} Finding
 * @typedef {{ value?: unknown, seen?: string[], atLeast?: unknown, atMost?: unknown }} Observed
 */

/** The findings of the report that this tab was given, by assumption. @type {ReadonlyMap<string, Finding>} */
let findings = new Map();

const COMMAND = "sandbank calibrate FILE.har --reporter json --out report.json";

/** @param {any} report @param {string} name */
function openCalibration(report, name) {
  if (!Array.isArray(report?.assumptions) || report.counts === undefined) throw notThisReport(name, COMMAND);
  findings = new Map(report.assumptions.map((/** @type {Finding} */ one) => [one.id, one]));
}

/** @param {{ data: readonly Assumption[] }} props */
function List({ data }) {
  const { q = "", kind = "" } = app.address.query;
  const verdicts = [...new Set(Array.from(findings.values(), ({ verdict }) => verdict))].sort();
  const found = data.filter(
    (one) =>
      (verdicts.includes(kind) ? findings.get(one.id)?.verdict === kind : isOfKind(one, kind)) &&
      matches(q, one.id, one.says, one.leavesOpen, one.because),
  );
  return html`<${ListView}
    title="Assumptions"
    intro="What the interface does not define, and what this sandbox does instead. Those with a value can be set when a world is created."
    search="assumptions"
    filters=${[["kind", "all", ["set differently", "can be set", ...verdicts]]]}
    tally=${html`<${Tally} found=${found.length} all=${data.length} />`}
    above=${html`<${Disclosure}
      label="compare with the real platform"
      hint="A report of sandbank calibrate: each verdict next to its assumption."
    >
      <${ReportFile} command=${COMMAND} opened=${openCalibration} />
    <//>`}
    rows=${found.map((one) => html`<${AssumptionRow} key=${one.id} assumption=${one} />`)}
    none="Nothing matches."
  />`;
}

/** @param {Assumption} assumption @param {string} kind */
function isOfKind(assumption, kind) {
  if (kind === "can be set") return assumption.settable;
  return kind === "" || isSet(assumption);
}

/** Whether the value differs from the default. @param {Assumption} assumption */
function isSet({ value, default: preset }) {
  return JSON.stringify(value) !== JSON.stringify(preset);
}

/** @param {{ assumption: Assumption }} props */
function AssumptionRow({ assumption }) {
  const { id, settable, value, default: preset, says, leavesOpen, because } = assumption;
  const shown = isSet(assumption)
    ? html`<span class="badge waiting">${valueText(value)}</span>`
    : html`<code>${valueText(value)}</code>`;
  const finding = findings.get(id);
  return html`<details class="row">
    <summary>
      <span class="line">
        <b>${id}</b>
        <span class="buttons"
          >${settable && shown}${finding && html`<${Badge} status=${finding.verdict} />`}</span
        >
      </span>
      ${finding && finding.observed !== null && html`<span>${`Observed: ${observedText(finding)}`}</span>`}
      <span class="soft">${says}</span>
    </summary>
    <p><b>Left open:</b>${` ${leavesOpen}`}</p>
    <p><b>Because:</b>${` ${because}`}</p>
    ${isSet(assumption) && html`<p><b>Default:</b>${` ${valueText(preset)}`}</p>`}
  </details>`;
}

/** @param {Finding} finding */
function observedText({ observed, observations, note }) {
  const { value, seen, atLeast, atMost } = observed ?? {};
  const parts = [
    seen?.length ? valueText(seen) : value === undefined ? undefined : valueText(value),
    atLeast === undefined ? undefined : `at least ${valueText(atLeast)}`,
    atMost === undefined ? undefined : `at most ${valueText(atMost)}`,
  ].filter((part) => part !== undefined);
  return `${parts.join(", ")} (${counted(observations, "observation")})${note === undefined ? "" : `. ${note}`}`;
}
