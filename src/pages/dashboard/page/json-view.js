import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";
import { isUuid } from "./text.js";

/** The number of shown characters of a text. Images are long, and not readable. */
const TEXT_MAX = 400;

/**
 * Shows a JSON value as a tree of its fields. Ids link to their objects, addresses of this sandbox to their pages.
 *
 * @param {{ value: unknown, name?: string }} props `name` is the field's
 * @returns {any}
 */
export function JsonView({ value, name = "" }) {
  if (Array.isArray(value)) {
    if (value.length === 0) return html`<span class="soft">none</span>`;
    return html`<ol class="json">
      ${value.map((item) => html`<li><${JsonView} value=${item} name=${name} /></li>`)}
    </ol>`;
  }
  if (typeof value === "object" && value !== null) {
    return html`<dl class="pairs">
      ${Object.entries(value).map(
        ([key, inside]) => html`
          <dt>${key}</dt>
          <dd class=${isNested(inside) ? "inset" : undefined}>
            <${JsonView} value=${inside} name=${key} />
          </dd>
        `,
      )}
    </dl>`;
  }
  return typeof value === "string"
    ? html`<${Text} text=${value} name=${name} />`
    : html`<span class="waiting">${String(value)}</span>`;
}

/** @param {unknown} value */
function isNested(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** @param {{ text: string, name: string }} props */
function Text({ text, name }) {
  if (name.endsWith("mageBase64") && /^[A-Za-z0-9+/=]+$/.test(text)) {
    const src = `data:image/png;base64,${text}`;
    return html`<img class="qr" src=${src} alt="The QR code" width="132" height="132" />`;
  }
  if (isUuid(text) && name !== "id")
    return html`<a href=${formatAddress({ view: "find", id: text })}>${text}</a>`;
  if (isOwnPage(text)) return html`<a href=${text} target="_blank" rel="noopener">${text}</a>`;
  const rest = text.length - TEXT_MAX;
  return html`<span>${rest > 0 ? `${text.slice(0, TEXT_MAX)}… ${rest} more characters` : text}</span>`;
}

/**
 * Returns true if an address opens a page of this sandbox. Text of a partner never links to another site.
 *
 * @param {string} address
 */
function isOwnPage(address) {
  return URL.canParse(address) && new URL(address).origin === location.origin;
}
