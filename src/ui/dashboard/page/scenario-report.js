// @ts-check
import { badge, table } from "./pieces.js";
import { el } from "./dom.js";
import { jsonView } from "./json-view.js";

/**
 * What a run tells of a scenario.
 *
 * @typedef {object} Report
 * @property {string} name
 * @property {string} status
 * @property {Ran[]} scenarios one for each combination of its matrix
 *
 * @typedef {object} Ran
 * @property {string} name
 * @property {string} status
 * @property {string} [digest]
 * @property {{ number: number, title: string, status: string, line: number }[]} steps
 * @property {Failure} [failure]
 *
 * @typedef {object} Failure
 * @property {string} title
 * @property {string} message
 * @property {number} [line]
 * @property {{ path: string, expected?: unknown, actual?: unknown }[]} [differences]
 * @property {unknown} [answer]
 * @property {{ at: string, what: string, cause: string }[]} [before]
 */

/**
 * What became of a scenario: its steps, and of the one that failed what was expected, what came, and what had
 * happened before.
 *
 * @param {Report} report
 */
export function reportSection({ scenarios }) {
  return scenarios.map((ran) =>
    el(
      "div.report",
      {},
      el("h3", {}, scenarios.length > 1 ? ran.name : "The last run", badge(ran.status)),
      ran.failure && failureSection(ran.failure),
      el("ol.steps", {}, ...ran.steps.map(stepLine)),
      ran.digest && el("p.soft.small.wrap", {}, `Journal ${ran.digest}`),
    ),
  );
}

/** @param {Ran["steps"][number]} step */
function stepLine({ number, title, status, line }) {
  const mark = status === "passed" ? "✓" : status === "failed" ? "✗" : "–";
  return el(
    `li.${status}`,
    {},
    el(status === "failed" ? "span.bad" : "span.good", {}, mark),
    ` ${number} ${title} `,
    el("span.soft", {}, `line ${line}`),
  );
}

/** @param {Failure} failure */
function failureSection({ title, message, differences = [], answer, before = [] }) {
  return el(
    "div.failure",
    {},
    el("p", {}, el("b.bad", {}, title), ` ${message}`),
    differences.length > 0 &&
      table(
        ["where", "expected", "found"],
        differences.map(({ path, expected, actual }) => [path, shown(expected), shown(actual)]),
      ),
    answer !== undefined &&
      el(
        "details",
        { "data-keep": `answer.${title}` },
        el("summary", {}, "What was answered"),
        jsonView(answer),
      ),
    before.length > 0 &&
      el(
        "details",
        { "data-keep": `before.${title}` },
        el("summary", {}, "What had happened before"),
        table(
          ["time", "what", "cause"],
          before.map(({ at, what, cause }) => [at, what, cause]),
        ),
      ),
  );
}

/** @param {unknown} value */
function shown(value) {
  return el("code", {}, value === undefined ? "nothing" : JSON.stringify(value));
}
