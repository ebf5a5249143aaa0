import { app, go } from "./app.js";
import { CopyButton } from "./components.js";
import { hexText, prettyText } from "./text.js";
import { html } from "../../html/preact.js";

/** @import { ComponentChildren as Children } from "preact" */

/**
 * Shows a request and its answer, side by side. The form of their bodies is in the address: as JSON, as they came or as
 * bytes.
 *
 * @param {object} props
 * @param {Children} props.title
 * @param {{ headers: Record<string, string>, body: string, curl: string | undefined, note?: Children }} props.request
 * @param {{ headers: Record<string, string>, body: string, note?: Children } | undefined} props.answer
 * @param {Children} props.status of the answer
 */
export function Exchange({ title, request, answer, status }) {
  const { address } = app;
  const { body: chosen = "json" } = address.query;
  return html`<div class="title">
      <h3>${title}</h3>
      <span class="tabs" role="group" aria-label="Form of the bodies">
        ${["json", "raw", "hex"].map(
          (body) =>
            html`<button
              aria-pressed=${String(body === chosen)}
              onClick=${() => go({ ...address, query: { ...address.query, body } })}
            >
              ${body}
            </button>`,
        )}
      </span>
    </div>
    <div class="columns sides">
      <div>
        <div class="title">
          <h4>Request</h4>
          ${request.curl && html`<${CopyButton} text=${request.curl} label="curl" />`}
          ${request.body !== "" && html`<${CopyButton} text=${request.body} label="body" />`}
        </div>
        <${Message} ...${request} form=${chosen} />
      </div>
      <div>
        <h4>Answer ${status}</h4>
        ${
          answer === undefined
            ? html`<p class="soft">No answer came back.</p>`
            : html`<${Message} ...${answer} form=${chosen} />`
        }
      </div>
    </div>`;
}

/** @param {{ headers: Record<string, string>, body: string, note?: Children, form: string }} props */
function Message({ headers, body, note, form }) {
  const shown = form === "hex" ? hexText(body) : form === "raw" ? body : prettyText(body);
  return html`<dl class="pairs">
      ${Object.entries(headers).map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${
      body === ""
        ? html`<p class="soft">No body.</p>`
        : html`<pre class=${form === "hex" ? "small" : "wrapped"} tabindex="0">${shown}</pre>`
    }
    ${note && html`<p class="soft small">${note}</p>`}`;
}
