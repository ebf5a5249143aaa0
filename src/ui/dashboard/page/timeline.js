// @ts-check
import { brasilia } from "./time.js";
import { collectionTold } from "./collections.js";
import { el } from "./dom.js";
import { objectLink, when } from "./pieces.js";
import { whatHappened, whyButton } from "./why.js";

/** @typedef {import("./why.js").Line} Line */

/**
 * Lines of what happened, each with its cause and a way to ask for the causes of that. The day is said where a
 * new one begins.
 *
 * @param {import("./api.js").Api} api
 * @param {readonly Line[]} lines
 * @param {{ whole: boolean }} options whether the lines are the whole world's, and name their objects
 */
export function timeline(api, lines, { whole }) {
  return el(
    whole ? "ol.timeline.whole" : "ol.timeline",
    {},
    ...lines.map((line, index) => {
      const { at, what, objectId } = line;
      const { button, answer } = whyButton(api, line);
      return el(
        "li",
        {},
        when(at, { dated: dayOf(line) !== dayOf(lines[index - 1]) }),
        el(
          "div",
          {},
          whatHappened(what),
          " ",
          whole && objectId && objectLink(objectId, collectionTold(what)),
          el("span.cause", {}, causeOf(line)),
          button,
          answer,
        ),
      );
    }),
  );
}

/** @param {Line | undefined} line */
function dayOf(line) {
  return line === undefined ? "" : brasilia(line.at).date;
}

/**
 * The cause in a word; an attempt says itself what it delivers.
 *
 * @param {Line} line
 */
function causeOf({ cause, what }) {
  return cause.startsWith("delivery ") && what.startsWith("attempt ") ? "" : ` ${cause}`;
}
