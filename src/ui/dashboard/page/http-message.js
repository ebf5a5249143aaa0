// @ts-check
import { app, go } from "./app.js";
import { hexText, prettyText } from "./text.js";
import { html } from "./preact.js";

/** The buttons that choose how bodies are shown: as JSON, as they came, or as bytes. The choice is in the address. */
export function BodyForms() {
  const { address } = app;
  const { body: chosen = "json" } = address.query;
  return html`<span class="tabs">
    ${["json", "raw", "hex"].map(
      (form) =>
        html`<button
          class="tab"
          aria-pressed=${String(form === chosen)}
          onClick=${() => go({ ...address, query: { ...address.query, body: form } })}
        >
          ${form}
        </button>`,
    )}
  </span>`;
}

/**
 * The headers and the body of a request or of a response.
 *
 * @param {{ headers: Record<string, string>, body: string }} props
 */
export function Message({ headers, body }) {
  const { body: form = "json" } = app.address.query;
  const shown = form === "hex" ? hexText(body) : form === "raw" ? body : prettyText(body);
  return html`<dl class="headers">
      ${Object.entries(headers).map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${
      body === ""
        ? html`<p class="soft">No body.</p>`
        : html`<pre class=${form === "hex" ? "hex" : "wrapped"} tabindex="0">${shown}</pre>`
    }`;
}
