// @ts-check
import { el } from "./dom.js";

const SHOWN_MS = 6000;
const SHOWN_MAX = 4;

/**
 * Says something in the corner of the page. What went well goes away by itself; what was refused stays until it
 * is put away.
 *
 * @param {string} sentence
 * @param {{ tone?: "good" | "bad", link?: { href: string, text: string } | undefined }} [options]
 */
export function notify(sentence, { tone = "good", link } = {}) {
  const host = document.getElementById("notices");
  const notice = el(
    `div.notice.${tone}`,
    {},
    el("p", {}, sentence, link && " ", link && el("a", { href: link.href }, link.text)),
    el("button.bare", { "aria-label": "Put away", title: "Put away", onclick: () => notice.remove() }, "✕"),
  );
  if (host === null) return;
  host.append(notice);
  if (host.children.length > SHOWN_MAX) host.firstElementChild?.remove();
  if (tone === "good") setTimeout(() => notice.remove(), SHOWN_MS);
}
