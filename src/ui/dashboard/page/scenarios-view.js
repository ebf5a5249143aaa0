// @ts-check
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { badge, heading, nothing, sureButton } from "./pieces.js";
import { choiceField, searchField, tally } from "./list-pieces.js";
import { matches } from "./words.js";
import { reportSection } from "./scenario-report.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./scenario-report.js").Report} Report */
/** @typedef {{ name: string, description: string | null, file: string | null }} Scenario */

/** Stories that can be run: each in a world of its own, so that nothing here is touched. @type {import("./view.js").View} */
export const scenariosView = { title: "Scenarios", list: sections, detail };

/** What became of the scenarios that were run on this page, by name. @type {Map<string, Report>} */
const reports = new Map();

/** @param {Context} context */
async function sections(context) {
  const { api, address } = context;
  const { data } = await api.get("/scenarios");
  const { q = "", about = "" } = address.query;
  const found = data.filter(
    (/** @type {Scenario} */ one) =>
      matches(q, one.name, one.description ?? "", one.file ?? "") &&
      (about === "" || folderOf(one) === about),
  );
  const verdicts = found.map((/** @type {Scenario} */ { name }) => reports.get(name)?.status);
  return [
    {
      key: "scenarios.head",
      data: [address.query, data.length, found.length],
      build: () => [
        heading("Scenarios"),
        el("p.soft", {}, "Each runs in a world of its own. What happens here stays as it is."),
        el(
          "div.filters",
          {},
          searchField(context, "scenarios"),
          choiceField(context, "about", "all folders", [
            ...new Set(/** @type {Scenario[]} */ (data).map(folderOf)),
          ]),
        ),
        found.length === data.length ? null : tally(found.length, data.length),
      ],
    },
    { key: "scenarios.new", data: null, build: () => newScenario(context) },
    {
      key: "scenarios.rows",
      data: [found, verdicts, address.id, address.query],
      build: () => (found.length === 0 ? nothing("Nothing matches.") : found.map(row(context))),
    },
  ];
}

/** @param {Context} context */
function row({ address }) {
  return (/** @type {Scenario} */ scenario) => {
    const { name, description, file } = scenario;
    const status = reports.get(name)?.status;
    const href = formatAddress({ ...address, id: idOf(scenario) });
    return el(
      "a.row",
      { href, "data-row": true, "aria-current": address.id === idOf(scenario) ? "true" : null },
      el("span.line", {}, el("b", {}, name), status !== undefined && badge(status)),
      el("span.soft", {}, description ?? file ?? "posted here"),
    );
  };
}

/**
 * @param {Context} context
 * @param {string} id
 */
async function detail(context, id) {
  const { api } = context;
  const scenario = await api.get(`/scenarios/${encodeURIComponent(id)}`);
  const report = reports.get(scenario.name);
  return [
    {
      key: "scenario.head",
      data: scenario,
      build: () => [
        heading(scenario.name, el("button.primary", { onclick: () => void run(context, scenario) }, "Run")),
        scenario.description && el("p", {}, scenario.description),
        el("p.soft.small", {}, scenario.file ?? "Posted to this server"),
      ],
    },
    {
      key: "scenario.report",
      data: report,
      build: () => (report === undefined ? nothing("Not run on this page yet.") : reportSection(report)),
    },
    {
      key: "scenario.text",
      data: scenario.text,
      build: () => [el("h3", {}, "The file"), el("pre.source", {}, scenario.text)],
    },
  ];
}

/**
 * @param {Context} context
 * @param {Scenario} scenario
 */
function run({ api, perform }, scenario) {
  return perform(async () => {
    const report = await api.post(`/scenarios/${encodeURIComponent(idOf(scenario))}/run`, {});
    reports.set(scenario.name, report);
    // What became of it stands in the pane.
    return undefined;
  });
}

/** A place to bring a scenario of one's own. @param {Context} context */
function newScenario({ api, perform, go }) {
  const text = /** @type {HTMLTextAreaElement} */ (
    el("textarea", {
      rows: 12,
      "data-keep": "scenario.text",
      "aria-label": "The scenario file",
      placeholder: "name: A payer accepts\nsteps:\n  - call: createSubscription\n    …",
      spellcheck: "false",
    })
  );
  const add = () =>
    perform(async () => {
      const { name } = await api.post("/scenarios", { text: text.value });
      text.value = "";
      go({ view: "scenarios", id: name });
      return `Added ${name}.`;
    });
  return el(
    "details.act",
    { "data-keep": "scenario.new" },
    el(
      "summary",
      {},
      el("span", {}, "new scenario"),
      el("span.soft", {}, "A file of your own, or a recording."),
    ),
    text,
    el(
      "div.buttons",
      {},
      el("button.primary", { onclick: () => void add() }, "Add it"),
      sureButton("Empty", "Really empty?", () => (text.value = "")),
    ),
  );
}

/** What names a scenario in an address. @param {Scenario} scenario */
function idOf({ name, file }) {
  return file === null ? name : file.replace(/\.yaml$/, "");
}

/** @param {Scenario} scenario */
function folderOf({ file }) {
  return file === null ? "posted" : (file.split("/")[0] ?? "");
}
