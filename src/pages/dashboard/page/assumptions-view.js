import { api, app } from "./app.js";
import { ListView, Tally } from "./components.js";
import { matches, valueText } from "./text.js";
import { html } from "../../html/preact.js";

/** @import { AssumptionList, ListedAssumption as Assumption } from "../../../simulator/api/generated/shapes.ts" */

/** The words for what recorded traffic says, and the colours of their badges. */
const VERDICTS = {
  confirmed: ["confirmed by traffic", "good"],
  contradicted: ["contradicted by traffic", "bad"],
  inconsistent: ["contradicted by a part of the traffic", "bad"],
  "not-seen": ["never seen in traffic", ""],
};

/** The questions that the platform API leaves open, and this world's answers. @type {import("./page-data.ts").View} */
export const assumptionsView = {
  title: "Assumptions",
  load: () => api.ask("GET /sandbox/assumptions"),
  List,
};

/** @param {{ data: AssumptionList }} props */
function List({ data: { data, calibration } }) {
  const { q = "", kind = "" } = app.address.query;
  const hasVerdicts = data.some(({ verdict }) => verdict !== undefined);
  const found = data.filter(
    (one) => isOfKind(one, kind) && matches(q, one.id, one.says, one.leavesOpen, one.because),
  );
  return html`<${ListView}
    title="Assumptions"
    intro="Open points of the platform API, and the behaviour of this sandbox. An assumption with a value can be set when a world is created."
    search="assumptions"
    filters=${[["kind", "all", ["set differently", "can be set", ...(hasVerdicts ? Object.keys(WITH_VERDICT) : [])]]]}
    above=${html`<p class="soft">${calibration ?? WITHOUT_REPORT}</p>`}
    tally=${html`<${Tally} found=${found.length} all=${data.length} />`}
    rows=${found.map((one) => html`<${AssumptionRow} key=${one.id} assumption=${one} />`)}
    none="Nothing matches."
  />`;
}

const WITHOUT_REPORT =
  "Your recorded traffic can confirm or contradict them: run sandbank calibrate FILE.har --reporter json=calibration.json, and start sandbank serve in the same folder, or with --calibration-report.";

/** The verdicts by the words of the filter. @type {Readonly<Record<string, readonly Assumption["verdict"][]>>} */
const WITH_VERDICT = {
  confirmed: ["confirmed"],
  contradicted: ["contradicted", "inconsistent"],
  "never seen": ["not-seen"],
};

/** @param {Assumption} assumption @param {string} kind */
function isOfKind(assumption, kind) {
  const verdicts = WITH_VERDICT[kind];
  if (verdicts !== undefined) return assumption.settable && verdicts.includes(assumption.verdict);
  if (kind === "can be set") return assumption.settable;
  return kind === "" || isSet(assumption);
}

/** Returns true if the value differs from the default. @param {Assumption} assumption */
function isSet({ value, default: preset }) {
  return JSON.stringify(value) !== JSON.stringify(preset);
}

/** @param {{ assumption: Assumption }} props */
function AssumptionRow({ assumption }) {
  const { id, settable, value, default: preset, says, leavesOpen, because, verdict } = assumption;
  const [words, colour] = VERDICTS[verdict ?? "not-seen"];
  const shown = isSet(assumption)
    ? html`<span class="badge waiting">${valueText(value)}</span>`
    : html`<code>${valueText(value)}</code>`;
  return html`<details class="row">
    <summary>
      <span class="line">
        <b>${id}</b>
        <span class="buttons">
          ${verdict !== undefined && html`<span class=${`badge ${colour}`}>${words}</span>`}
          ${settable && shown}
        </span>
      </span>
      <span class="soft">${says}</span>
    </summary>
    <p><b>Left open:</b>${` ${leavesOpen}`}</p>
    <p><b>Because:</b>${` ${because}`}</p>
    ${isSet(assumption) && html`<p><b>Default:</b>${` ${valueText(preset)}`}</p>`}
  </details>`;
}
