// @ts-check
import { el, isOwnPage } from "./dom.js";
import { formatAddress } from "./address.js";
import { isUuid } from "./words.js";
import { pointers } from "./collections.js";

/** Characters of a text that are shown; pictures are long and say nothing. */
const TEXT_MAX = 400;

/**
 * An object as a tree of its fields. Ids lead to what they name, addresses of this sandbox to their pages.
 *
 * @param {unknown} value
 * @param {string} [name] of the field that holds it
 * @returns {HTMLElement}
 */
export function jsonView(value, name = "") {
  if (Array.isArray(value)) {
    if (value.length === 0) return el("span.soft", {}, "none");
    return el("ol.json", {}, ...value.map((item) => el("li", {}, jsonView(item, name))));
  }
  if (typeof value === "object" && value !== null) {
    const rows = Object.entries(value).flatMap(([key, inside]) => [
      el("dt", {}, key),
      el(isNested(inside) ? "dd.nested" : "dd", {}, jsonView(inside, key)),
    ]);
    return el("dl.json", {}, ...rows);
  }
  return typeof value === "string" ? textView(value, name) : el("span.literal", {}, String(value));
}

/** @param {unknown} value */
function isNested(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/**
 * @param {string} text
 * @param {string} name
 */
function textView(text, name) {
  if (name.endsWith("mageBase64") && /^[A-Za-z0-9+/=]+$/.test(text)) {
    return el("img.qr", {
      src: `data:image/png;base64,${text}`,
      alt: "The QR code",
      width: 132,
      height: 132,
    });
  }
  if (isUuid(text) && name !== "id") {
    return el("a", { href: formatAddress({ view: pointers[name] ?? "find", id: text }) }, text);
  }
  if (isOwnPage(text)) return el("a", { href: text, target: "_blank", rel: "noopener" }, text);
  const cut =
    text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… ${text.length - TEXT_MAX} characters more` : text;
  return el("span", {}, cut);
}
