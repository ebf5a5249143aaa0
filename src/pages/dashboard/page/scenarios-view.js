import { api, app, go, perform } from "./app.js";
import {
  Badge,
  ConfirmButton,
  Disclosure,
  Empty,
  Heading,
  ListView,
  Row,
  Table,
  Tally,
} from "./components.js";
import { formatAddress } from "./address.js";
import { html, useState } from "../../html/preact.js";
import { JsonView } from "./json-view.js";
import { matches } from "./text.js";

/** @import { ScenarioName as Scenario } from "../../../simulator/api/generated/shapes.ts" */

/**
 * The report of a run, with one entry for each combination of the scenario's matrix.
 *
 * @typedef {{ name: string, status: string, scenarios: Run[] }} Report
 * @typedef {{ name: string, status: string, digest?: string, steps: Step[], failure?: Failure }} Run
 * @typedef {{ number: number, title: string, status: string, line: number }} Step
 * @typedef {{ title: string, message: string, differences?: Difference[], answer?: unknown, before?: { at: string, what: string, cause: string }[] }} Failure
 * @typedef {{ path: string, expected?: unknown, actual?: unknown }} Difference
 */

/**
 * Scenario files to run. Each runs in a separate world, so this world stays as it is.
 *
 * @type {import("./page-data.ts").View}
 */
export const scenariosView = {
  title: "Scenarios",
  load: async () => (await api.ask("GET /sandbox/scenarios")).data,
  List,
  loadOne: (id) => api.ask("GET /sandbox/scenarios/{name*}", { name: id }),
  One,
};

/** The last report of each scenario that was run on this page, by name. @type {Map<string, Report>} */
const reports = new Map();

/** Returns the last report of a scenario that was run on this page. @param {Scenario} scenario */
export function reportOf({ name }) {
  return reports.get(name);
}

/** Runs a scenario and keeps its report. @param {Scenario} scenario */
export async function runScenario(scenario) {
  const report = await api.ask("POST /sandbox/scenarios/{name*}/run", { name: idOf(scenario) });
  reports.set(scenario.name, /** @type {any} */ (report));
}

/** Returns the place of a scenario on this page. @param {Scenario} scenario */
export function scenarioAddress(scenario) {
  return formatAddress({ view: "scenarios", id: idOf(scenario) });
}

/** @param {{ data: readonly Scenario[] }} props */
function List({ data }) {
  const { q = "", about = "" } = app.address.query;
  const found = data.filter(
    (one) =>
      matches(q, one.name, one.description ?? "", one.file ?? "") &&
      (about === "" || folderOf(one) === about),
  );
  return html`<${ListView}
    title="Scenarios"
    intro="Each scenario runs in a separate world. This world stays unchanged."
    search="scenarios"
    filters=${[["about", "all folders", [...new Set(data.map(folderOf))]]]}
    tally=${html`<${Tally} found=${found.length} all=${data.length} />`}
    columns=${["scenario", "last result", "description", "", ""]}
    above=${html`<${NewScenario} />`}
    rows=${found.map((scenario) => html`<${ScenarioRow} key=${idOf(scenario)} scenario=${scenario} />`)}
    none="Nothing matches."
  />`;
}

/** @param {{ scenario: Scenario }} props */
function ScenarioRow({ scenario }) {
  const { address } = app;
  const { name, description, file } = scenario;
  const id = idOf(scenario);
  const status = reportOf(scenario)?.status;
  return html`<${Row}
    href=${formatAddress({ ...address, view: "scenarios", id })}
    isCurrent=${address.id === id}
    title=${name}
    badge=${status && html`<${Badge} status=${status} />`}
    left=${description ?? file ?? "posted to this server"}
  />`;
}

/** Shows a form for a person's own scenario. */
function NewScenario() {
  const [text, setText] = useState("");
  const add = () =>
    perform(async () => {
      const { name } = await api.ask("POST /sandbox/scenarios", text);
      setText("");
      go({ view: "scenarios", id: name });
      return `Added ${name}.`;
    });
  return html`<${Disclosure} label="new scenario" hint="A file of your own, or a recording.">
    <textarea
      rows="12"
      aria-label="The scenario file"
      placeholder=${"name: A payer accepts\nsteps:\n  - call: createSubscription\n    …"}
      spellcheck=${false}
      value=${text}
      onInput=${(/** @type {any} */ { target }) => setText(target.value)}
    />
    <div class="buttons">
      <button class="primary" onClick=${add}>Add</button>
      <${ConfirmButton} label="Clear" question="Really clear?" confirmed=${() => setText("")} />
    </div>
  <//>`;
}

/** Returns the name of a scenario in an address. @param {Scenario} scenario */
function idOf({ name, file }) {
  return file === null ? name : file.replace(/\.yaml$/, "");
}

/** @param {Scenario} scenario */
function folderOf({ file }) {
  return file === null ? "posted" : (file.split("/")[0] ?? "");
}

/** @param {{ data: Scenario & { text: string } }} props */
function One({ data: scenario }) {
  const { name, description, file, text } = scenario;
  const report = reports.get(name);
  const run = () => perform(() => runScenario(scenario));
  return html`<section>
      <${Heading} title=${name}><button class="primary" onClick=${run}>Run</button><//>
      ${description && html`<p>${description}</p>`}
      <p class="soft small">${file ?? "Posted to this server"}</p>
    </section>
    <section>
      ${
        report === undefined
          ? html`<${Empty}>Not run on this page yet.<//>`
          : report.scenarios.map(
              (one) =>
                html`<${RunReport}
                  run=${one}
                  title=${report.scenarios.length > 1 ? one.name : "The last run"}
                />`,
            )
      }
    </section>
    <section>
      <h3>The file</h3>
      <pre class="source" tabindex="0">${text}</pre>
    </section>`;
}

/**
 * Shows one run: its steps and, for the failed step, the expected value, the found value, and the events
 * before it.
 *
 * @param {{ run: Run, title: string }} props
 */
function RunReport({ run: { status, failure, steps, digest }, title }) {
  return html`<div class="report">
    <h3>${title}<${Badge} status=${status} /></h3>
    ${failure && html`<${FailureReport} failure=${failure} />`}
    <ol class="steps">
      ${steps.map((step) => {
        const mark = step.status === "passed" ? "✓" : step.status === "failed" ? "✗" : "–";
        return html`<li class=${step.status}>
          <span class=${step.status === "failed" ? "bad" : "good"}>${mark}</span>
          ${` ${step.number} ${step.title} `}
          <span class="soft">line ${step.line}</span>
        </li>`;
      })}
    </ol>
    ${digest && html`<p class="soft small wrap">Journal ${digest}</p>`}
  </div>`;
}

/** @param {{ failure: Failure }} props */
function FailureReport({ failure: { title, message, differences = [], answer, before = [] } }) {
  return html`<div class="failure inset">
    <p><b class="bad">${title}</b>${` ${message}`}</p>
    ${
      differences.length > 0 &&
      html`<${Table}
        columns=${["where", "expected", "found"]}
        rows=${differences.map(({ path, expected, actual }) => [path, shown(expected), shown(actual)])}
      />`
    }
    ${
      answer !== undefined &&
      html`<details>
        <summary>The answer</summary>
        <${JsonView} value=${answer} />
      </details>`
    }
    ${
      before.length > 0 &&
      html`<details>
        <summary>What happened before</summary>
        <${Table}
          columns=${["time", "what", "cause"]}
          rows=${before.map(({ at, what, cause }) => [at, what, cause])}
        />
      </details>`
    }
  </div>`;
}

/** @param {unknown} value */
function shown(value) {
  return html`<code>${value === undefined ? "nothing" : JSON.stringify(value)}</code>`;
}
