import { api, app, pageQuery } from "./app.js";
import { callCommand, referencePage } from "./commands.js";
import { Command, Copyable, Facts, Faults, Heading, ListView, Pages, Row, When } from "./components.js";
import { Exchange } from "./http-message.js";
import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";

/** @import { Address } from "./page-data.ts" */
/** @import { LoggedRequest } from "../../../simulator/api/generated/shapes.ts" */

/** The calls of the platform API that came in, refused ones too. @type {import("./page-data.ts").View} */
export const requestsView = {
  title: "Requests",
  load,
  List,
  loadOne: (id) => api.ask("GET /sandbox/requests/{id}", { id }),
  One,
};

function load() {
  const { last: limit, ...filters } = pageQuery(["operation", "status"]);
  return api.ask("GET /sandbox/requests", { ...filters, limit });
}

/** @param {{ data: { data: readonly LoggedRequest[], older?: string, total: number } }} props */
function List({ data: { data: requests, older, total } }) {
  const { q = "", operation = "", status = "", before = "" } = app.address.query;
  const found = requests.toReversed();
  const operations = [...new Set([operation, ...requests.map(({ operationId }) => operationId ?? "")])];
  const isNew = requests.length === 0 && [q, operation, status, before].every((text) => text === "");
  return html`<${ListView}
    title="Requests"
    search="requests"
    filters=${[
      ["status", "any status", ["2xx", "4xx", "5xx"]],
      ["operation", "any operation", operations.filter(Boolean).sort()],
    ]}
    tally=${html`<${Pages} shown=${found.length} all=${total} older=${older} />`}
    columns=${["call", "status", "operation, company", "took", "at"]}
    above=${
      isNew &&
      html`<p class="soft">
          <b>No request yet.</b> Point your client at this sandbox, or try this in a terminal:
        </p>
        <${Command} text=${callCommand("GET", "/order/v1/banking/accounts")} />`
    }
    rows=${found.map((one) => html`<${RequestRow} key=${one.id} request=${one} address=${app.address} />`)}
    none=${isNew ? "" : "Nothing matches the filters."}
  />`;
}

/** Shows a request in a list. @param {{ request: LoggedRequest, address: Address }} props `address` is the list's */
export function RequestRow({ request, address }) {
  const { id, at, method, path, operationId, company, status, durationMs, injected } = request;
  return html`<${Row}
    href=${formatAddress({ ...address, view: "requests", id })}
    isCurrent=${address.view === "requests" && id === address.id}
    title=${`${method} ${path}`}
    badge=${html`<${StatusBadge} status=${status} />`}
    left=${html`${[operationId ?? "no operation", company].filter(Boolean).join(" · ")}<${Faults} names=${injected} />`}
    right=${durationMs !== null && `${durationMs} ms`}
    at=${at}
  />`;
}

/** Shows an HTTP status in the colour of its class. @param {{ status: number | null }} props */
function StatusBadge({ status }) {
  if (status === null) return html`<span class="badge bad">no answer</span>`;
  return html`<span class=${status < 400 ? "badge good" : "badge bad"}>${status}</span>`;
}

/** Shows one request with its answer. @param {{ data: LoggedRequest }} props */
function One({ data: request }) {
  const { id, at, method, path, operationId, company, status, durationMs, injected, entry } = request;
  const { requestHeaders, requestBody, responseHeaders, responseBody } = request;
  const since = { view: "timeline", query: { since: String(entry) } };
  const curl = callCommand(method, path, requestBody ?? undefined, requestHeaders);
  const facts = {
    operation:
      operationId === null
        ? "none at this path"
        : html`<a href=${referencePage(operationId)}>${operationId}</a>`,
    company: company ?? "not known",
    at: html`<${When} at=${at} isZoned />`,
    took: durationMs === null ? "—" : `${durationMs} ms`,
    "request id": html`<${Copyable} text=${id} />`,
    changed: entry === null ? "nothing" : html`<a href=${formatAddress(since)}>entry ${entry}</a>`,
    ...(injected.length > 0 && { faults: html`<span class="injected">${injected.join(", ")}</span>` }),
  };
  return html`<section>
      <${Heading} title=${`${method} ${path}`}><${StatusBadge} status=${status} /><//>
      <${Facts} facts=${facts} />
    </section>
    <section>
      <${Exchange}
        title="Request and answer"
        request=${{ headers: requestHeaders, body: requestBody ?? "", curl }}
        answer=${status === null ? undefined : { headers: responseHeaders, body: responseBody ?? "" }}
        status=${html`<${StatusBadge} status=${status} />`}
      />
    </section>`;
}
