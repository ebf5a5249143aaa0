// @ts-check
import { copyButton, when } from "./pieces.js";
import { el } from "./dom.js";
import { hexText, prettyText } from "./bytes.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {Record<string, any>} Attempt */

/** Ways to look at a body. */
const FORMS = ["json", "raw", "hex"];

/**
 * One attempt: what was sent and what came back, side by side.
 *
 * @param {Context} context
 * @param {Attempt} attempt
 * @param {string} form how bodies are shown
 */
export function attemptSection({ address, go }, attempt, form) {
  const { number, trigger, at, message, durationMs, injected, requestHeaders, requestBody, requestBytes } =
    attempt;
  const { status, error, responseHeaders, responseBody, responseTruncated, curl } = attempt;
  const tabs = FORMS.map((one) =>
    el(
      "button.tab",
      {
        "aria-pressed": String(one === form),
        onclick: () => go({ ...address, query: { ...address.query, body: one } }),
      },
      one,
    ),
  );
  const cut = new TextEncoder().encode(requestBody).length < requestBytes;
  return [
    el(
      "h3",
      {},
      `Attempt ${number} `,
      el("span.soft", {}, `${trigger} · `, when(at), durationMs !== null && ` · took ${durationMs} ms`),
      el("span.tabs", {}, ...tabs),
    ),
    el(error === null ? "p" : "p.bad", {}, message),
    injected.length > 0 &&
      el("p", {}, "Touched by faults: ", el("span.injected", {}, injected.join(", ")), "."),
    el(
      "div.sides",
      {},
      el(
        "div",
        {},
        el("h4", {}, "Request ", curl && copyButton(curl, "curl"), copyButton(requestBody, "body")),
        headers(requestHeaders),
        body(requestBody, form),
        el(
          "p.soft.small",
          {},
          cut ? `The beginning of ${requestBytes} bytes; the rest was not kept.` : `${requestBytes} bytes`,
        ),
      ),
      el(
        "div",
        {},
        el("h4", {}, "Response ", el(error === null ? "span.good" : "span.bad", {}, String(status ?? error))),
        status === null ? el("p.soft", {}, "No answer came back.") : headers(responseHeaders),
        status !== null && body(responseBody, form),
        responseTruncated && el("p.soft.small", {}, "There was more of the body than was read."),
      ),
    ),
  ];
}

/** @param {Record<string, string>} all */
function headers(all) {
  const rows = Object.entries(all).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
  return el("dl.headers", {}, ...rows);
}

/**
 * @param {string} text
 * @param {string} form
 */
function body(text, form) {
  if (text === "") return el("p.soft", {}, "No body.");
  const shown = form === "hex" ? hexText(text) : form === "raw" ? text : prettyText(text);
  return el(`pre.${form === "hex" ? "hex" : "wrapped"}`, { tabindex: 0 }, shown);
}
