// @ts-check
import { api, app, SHOWN_MAX } from "./app.js";
import {
  ChoiceField,
  CopyButton,
  Copyable,
  Empty,
  Facts,
  Heading,
  SearchField,
  Tally,
  When,
} from "./components.js";
import { BodyForms, Message } from "./http-message.js";
import { callCommand } from "./commands.js";
import { formatAddress } from "./address.js";
import { html } from "./preact.js";
import { matches } from "./text.js";

/**
 * A call of the interface as `/sandbox/requests` returns it.
 *
 * @typedef {object} LoggedRequest
 * @property {string} id
 * @property {string} at
 * @property {string} method
 * @property {string} path
 * @property {string | null} operationId
 * @property {string | null} company
 * @property {number | null} status
 * @property {number | null} durationMs
 * @property {Record<string, string>} requestHeaders
 * @property {string | null} requestBody
 * @property {Record<string, string>} responseHeaders
 * @property {string | null} responseBody
 * @property {readonly string[]} injected
 * @property {number | null} entry the journal entry of what it changed
 */

/** The calls of the interface that came in, refused ones too. @type {import("./app.js").View} */
export const requestsView = {
  title: "Requests",
  load,
  List,
  loadOne: (id) => api.get(`/requests/${encodeURIComponent(id)}`),
  One,
};

async function load() {
  const { operation, status } = app.address.query;
  const filters = new URLSearchParams({ ...(operation && { operation }), ...(status && { status }) });
  return (await api.get(`/requests?limit=${SHOWN_MAX}&${String(filters)}`)).data;
}

/** @param {{ data: readonly LoggedRequest[] }} props */
function List({ data: requests }) {
  const { q = "", operation = "", status = "" } = app.address.query;
  const found = requests.filter((one) => matches(q, one)).reverse();
  const operations = [...new Set([operation, ...requests.map(({ operationId }) => operationId ?? "")])];
  return html`<section>
      <${Heading} title="Requests" />
      <div class="filters">
        <${SearchField} what="requests" />
        <${ChoiceField} name="status" label="any status" choices=${["2xx", "4xx", "5xx"]} />
        <${ChoiceField} name="operation" label="any operation" choices=${operations.filter(Boolean).sort()} />
      </div>
      <${Tally} found=${found.length} all=${requests.length} />
    </section>
    <section>
      ${found.map((one) => html`<${RequestRow} key=${one.id} request=${one} address=${app.address} />`)}
      ${
        found.length === 0 &&
        (requests.length === 0 && operation === "" && status === ""
          ? html`<${NoRequestYet} />`
          : html`<${Empty}>Nothing matches the filters.<//>`)
      }
    </section>`;
}

/** Says what makes a request, with a command to try. */
function NoRequestYet() {
  const command = callCommand("GET", "/order/v1/banking/accounts");
  return html`<${Empty}>
      <b>No request yet.</b> Point your client at this sandbox, or try this in a terminal.
    <//>
    <pre class="wrapped" tabindex="0">${command}</pre>
    <${CopyButton} text=${command} />`;
}

/**
 * A request in a list.
 *
 * @param {{ request: LoggedRequest, address: import("./address.js").Address }} props `address` is the list's
 */
export function RequestRow({ request, address }) {
  const { id, at, method, path, operationId, company, status, durationMs, injected } = request;
  return html`<a
    class="row"
    href=${formatAddress({ ...address, view: "requests", id })}
    data-row
    aria-current=${address.view === "requests" && id === address.id ? "true" : undefined}
  >
    <span class="line">
      <b class="wrap"><span class="method">${method}</span> ${path}</b><${StatusBadge} status=${status} />
    </span>
    <span class="line soft">
      <span>
        ${[operationId ?? "no operation", company].filter(Boolean).join(" · ")}
        ${injected.length > 0 && html`<i class="injected" title=${injected.join(", ")}>${" "}fault</i>`}
      </span>
      <span>${durationMs !== null && `${durationMs} ms · `}<${When} at=${at} /></span>
    </span>
  </a>`;
}

/** An HTTP status in the colour of its class. @param {{ status: number | null }} props */
function StatusBadge({ status }) {
  if (status === null) return html`<span class="badge bad">no answer</span>`;
  return html`<span class=${status < 400 ? "badge good" : "badge bad"}>${status}</span>`;
}

/** One request with its answer. @param {{ data: LoggedRequest }} props */
function One({ data: request }) {
  const { id, at, method, path, operationId, company, status, durationMs, injected, entry } = request;
  const { requestHeaders, requestBody, responseHeaders, responseBody } = request;
  const facts = [
    [
      "operation",
      operationId === null ? "none at this path" : html`<a href=${`/docs#${operationId}`}>${operationId}</a>`,
    ],
    ["company", company ?? "not known"],
    ["at", html`<${When} at=${at} />`],
    ["took", durationMs === null ? "—" : `${durationMs} ms`],
    ["request id", html`<${Copyable} text=${id} />`],
    [
      "changed",
      entry === null
        ? "nothing"
        : html`<a href=${formatAddress({ view: "timeline", query: { since: String(entry) } })}
            >entry ${entry}</a
          >`,
    ],
  ];
  return html`<section>
      <${Heading} title=${`${method} ${path}`}><${StatusBadge} status=${status} /><//>
      ${injected.length > 0 && html`<p>${"Changed by faults: "}<span class="injected">${injected.join(", ")}</span></p>`}
      <${Facts} facts=${facts} />
    </section>
    <section>
      <h3>Request and answer<${BodyForms} /></h3>
      <div class="sides">
        <div>
          <h4>
            Request
            <${CopyButton}
              text=${callCommand(method, path, requestBody ?? undefined, requestHeaders)}
              label="curl"
            />
            ${requestBody !== null && html`<${CopyButton} text=${requestBody} label="body" />`}
          </h4>
          <${Message} headers=${requestHeaders} body=${requestBody ?? ""} />
        </div>
        <div>
          <h4>Answer <${StatusBadge} status=${status} /></h4>
          ${
            status === null
              ? html`<p class="soft">The connection ended without one.</p>`
              : html`<${Message} headers=${responseHeaders} body=${responseBody ?? ""} />`
          }
        </div>
      </div>
    </section>`;
}
