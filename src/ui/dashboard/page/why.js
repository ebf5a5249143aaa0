// @ts-check
import { badge, jointed, objectLink, when } from "./pieces.js";
import { collectionTold } from "./collections.js";
import { el } from "./dom.js";

/**
 * A line of what happened, as the timeline tells it.
 *
 * @typedef {{ at: string, what: string, objectId: string | null, cause: string, entry: number, causedBy: number | null }} Line
 */

/** Causes that are followed back before the chain is cut. */
const CHAIN_MAX = 25;

/**
 * What happened, with the state it led to shown as one.
 *
 * @param {string} what
 */
export function whatHappened(what) {
  const [, before, to] = /^(.*→ ?|.*: )([A-Z][A-Z_]+)$/.exec(what) ?? [];
  return before === undefined || to === undefined
    ? jointed(what)
    : el("span", {}, jointed(before), badge(to));
}

/**
 * The button that asks why, and under it the answer: every cause, back to the call, act or setting that began it.
 *
 * @param {import("./api.js").Api} api
 * @param {Line} line
 */
export function whyButton(api, line) {
  const answer = el("ol.why", { hidden: true });
  const button = el("button.quiet", { "aria-expanded": "false", onclick: () => void toggle() }, "why?");
  async function toggle() {
    answer.hidden = !answer.hidden;
    button.setAttribute("aria-expanded", String(!answer.hidden));
    if (answer.hidden || answer.childElementCount > 0) return;
    const chain = await causesOf(api, line);
    answer.append(...chain.map(causeItem));
  }
  return { button, answer };
}

/**
 * The causes of a line, the nearest first.
 *
 * @param {import("./api.js").Api} api
 * @param {Line} line
 * @returns {Promise<{ cause: string, entry: number, lines: Line[] }[]>}
 */
async function causesOf(api, line) {
  const chain = [{ cause: line.cause, entry: line.entry, lines: /** @type {Line[]} */ ([]) }];
  let { causedBy } = line;
  while (causedBy !== null && chain.length < CHAIN_MAX) {
    const { data } = await api.get(`/timeline?since=${causedBy}&until=${causedBy}`);
    const lines = /** @type {Line[]} */ (data);
    const [first] = lines;
    chain.push({ cause: first?.cause ?? "something that told nothing", entry: causedBy, lines });
    causedBy = first?.causedBy ?? null;
  }
  return chain;
}

/** @param {{ cause: string, entry: number, lines: Line[] }} link */
function causeItem({ cause, entry, lines }) {
  const told = lines.map(({ what, objectId }) =>
    el("li", {}, whatHappened(what), " ", objectId && objectLink(objectId, collectionTold(what))),
  );
  const [first] = lines;
  return el(
    "li",
    {},
    el(
      "p",
      {},
      "because of ",
      el("b", {}, cause),
      " ",
      el("span.soft", {}, `#${entry} `),
      first && when(first.at),
    ),
    told.length > 0 && el("ul", {}, ...told),
  );
}
