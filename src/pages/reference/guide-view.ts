import { assumptionMark, codeView, type ContentsEntry, entryView, jsonView, type Markup } from "./markup.ts";
import { fieldsView, shapeOf } from "./schema-view.ts";
import { html } from "hono/html";
import { harRequest, inLanguage } from "./languages.ts";
import { openApi } from "./document.ts";
import type { SettingRow } from "./setting.ts";

/**
 * Shows the facts that all operations share: the first request, tokens, keys that make a request safe to repeat,
 * errors.
 */
export function guideView(setting: SettingRow): Markup {
  const { info } = openApi();
  return html`<section id="guide" class="chapter">
    <h1>${info.title}</h1>
    <p class="soft">${info.summary}</p>
    <h2>Guide</h2>
    ${guideEntries(setting).map(entryView)}
  </section>`;
}

/** Returns the entries of the guide, in their order. */
export function guideEntries(setting: SettingRow): ContentsEntry[] {
  return [startEntry(setting), tokensEntry(setting), idempotencyEntry(), errorsEntry()];
}

function startEntry({ origin, token, isOpen, dashboard }: SettingRow): ContentsEntry {
  const first = harRequest({
    method: "GET",
    url: `${origin}/order/v1/banking/accounts`,
    headers: { authorization: `Bearer ${token}` },
  });
  const later = harRequest({
    method: "POST",
    url: `${origin}/sandbox/clock/advance`,
    headers: isOpen ? {} : { "x-admin-token": "YOUR_ADMIN_TOKEN" },
    mediaType: "application/json",
    body: { by: "PT1M" },
  });
  return {
    id: "start",
    title: "Start here",
    text: html`<p>
        This page is about the sandbox that serves it, <code>${origin}</code>. Every command on it can be
        pasted into a shell: its dates fit the clock of this sandbox, and its ids are ids of objects that
        exist here.
      </p>
      <ul class="plain">
        <li>
          Money, ids and errors are the platform's. You act as the payer and as the bank: on the
          <a href="${dashboard}">dashboard</a>, or through <code>/sandbox</code>.
        </li>
        <li>
          You advance the clock too. A charge due next week is paid when the clock is advanced to that day.
        </li>
        <li>
          What the platform API does not define is marked ${assumptionMark("http.statuses")} and explained.
        </li>
        <li>
          The same for programs, as OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a> with webhooks, and
          <a href="/sandbox/openapi.json">/sandbox/openapi.json</a>.
        </li>
      </ul>`,
    samples: html`${codeView(inLanguage("curl", first), "a first request")}
    ${codeView(inLanguage("curl", later), "a minute later")}`,
  };
}

function tokensEntry({ suffix }: SettingRow): ContentsEntry {
  return {
    id: "tokens",
    title: "Tokens",
    text: html`<p>
      A company authenticates with its bearer token ${assumptionMark("auth.header")}, which
      <a href="#issueToken">client credentials</a> return for the scope <code>api://app-order-prd</code>. It
      sees its own objects and no others ${assumptionMark("tenancy.foreign-resource")}.
    </p>`,
    samples: html`${tableView(
      ["client id", "client secret", "token that never expires"],
      [
        [`acme${suffix}`, "acme-secret", `acme-token${suffix}`],
        [`globex${suffix}`, "globex-secret", `globex-token${suffix}`],
        ["acme, for a 403", "", `acme-token-without-scope${suffix}`],
      ],
    )}`,
  };
}

function tableView(heads: readonly (string | Markup)[], rows: readonly (readonly string[])[]): Markup {
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td><code>${cell}</code></td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function idempotencyEntry(): ContentsEntry {
  return {
    id: "idempotency",
    title: "Retries",
    text: html`<p>
      If an operation takes <code>idempotency-key</code>, the same key with the same body returns the first
      answer again, byte for byte and with the header <code>idempotency-replayed: true</code>. Another body
      under the same key is refused with the issue <code>REUSED</code>
      ${assumptionMark("idempotency.replay")}. So you can repeat a request after a lost answer, and no money
      is paid twice.
    </p>`,
  };
}

const FORMS = [
  ["ErrorBody", "The common body."],
  ["ErrorSentences", "Refunds answer with sentences only."],
  ["OAuthErrorBody", "The token endpoint answers with the errors of OAuth."],
] as const;

function errorsEntry(): ContentsEntry {
  return {
    id: "errors",
    title: "Errors",
    text: html`<p>The code is the kind of the error. The details name the wrong fields and the reasons.</p>
      ${FORMS.map(([name, words]) => formView(name, words))}`,
    samples: html`${tableView(["error", html`status ${assumptionMark("http.statuses")}`], statuses())}
    ${jsonView({
      error: "INVALID_REQUEST",
      message: "The request is not valid",
      details: [{ field: "amount.value", issue: "INSUFFICIENT_BALANCE", description: "…" }],
    })}`,
  };
}

function formView(name: string, words: string): Markup {
  const shape = shapeOf({ $ref: `#/components/schemas/${name}` });
  const fields = shape.fields.length > 0 ? fieldsView(shape, name) : "";
  return html`<h4 id="${name}">${name}</h4>
    <p>${words} ${shape.schema.description}</p>
    ${fields}`;
}

/** Returns every error code with its status. The status is the same in every answer. */
function statuses(): [string, string][] {
  const found = new Map<string, string>();
  for (const item of Object.values(openApi().paths)) {
    for (const { responses } of Object.values(item)) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        for (const { examples } of Object.values(content)) {
          for (const { value } of Object.values(examples ?? {})) {
            const { error } = value as { error?: unknown };
            if (typeof error === "string" && error === error.toUpperCase()) found.set(error, status);
          }
        }
      }
    }
  }
  return [...found].toSorted(([, left], [, right]) => left.localeCompare(right));
}
