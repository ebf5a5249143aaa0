import { api, app, change, go, learnNames, perform, WEBHOOK_EVENTS } from "./app.js";
import { axisPositions, brasilia } from "./time.js";
import {
  Badge,
  Copyable,
  CopyButton,
  Disclosure,
  Facts,
  Heading,
  NOWHERE,
  ObjectLink,
  Table,
  Until,
  When,
} from "./components.js";
import { changesBetween, toneOfAttempt } from "./attempts.js";
import { Exchange } from "./http-message.js";
import { field } from "./form-fields.js";
import { formatAddress } from "./address.js";
import { html, useState } from "../../html/preact.js";
import { SchemaForm } from "./form.js";
import { valueText } from "./text.js";

/** @import { Delivery, DeliveryAttempt } from "../../../simulator/api/generated/shapes.ts" */

/** Reads a delivery and the delivery before it about the same object. @param {string} id */
export async function loadDelivery(id) {
  const delivery = await api.ask("GET /sandbox/deliveries/{id}", { id });
  const { objectId, duplicateOf, collection } = delivery;
  await learnNames([collection]);
  const { data } = await api.ask("GET /sandbox/deliveries", { object: objectId });
  const own = data.findIndex((/** @type {Delivery} */ one) => one["id"] === id);
  const before = data
    .slice(0, Math.max(0, own))
    .findLast((/** @type {Delivery} */ one) => one["duplicateOf"] === null && one["id"] !== duplicateOf);
  return { delivery, before };
}

/**
 * Shows one delivery: its attempts in time, the selected attempt with its request and its response, the changes since
 * the event before, and its signature.
 *
 * @param {{ data: { delivery: Delivery, before: Delivery | undefined } }} props
 */
export function DeliveryDetail({ data: { delivery, before } }) {
  const { attempt: number = "" } = app.address.query;
  const { attempts } = delivery;
  const selected = attempts.find((one) => String(one["number"]) === number) ?? attempts.at(-1);
  return html`<section><${Head} delivery=${delivery} /></section>
    <section><${Axis} delivery=${delivery} selected=${selected?.["number"]} /></section>
    ${selected && html`<section><${AttemptDetail} attempt=${selected} /></section>`}
    ${before && html`<section><${Changes} before=${before} delivery=${delivery} /></section>`}
    ${
      selected &&
      html`<section key=${selected["number"]}>
        <${Verification} id=${delivery["id"]} attempt=${selected} />
      </section>`
    }`;
}

/** Makes one more attempt now. @param {string} id */
export function resend(id) {
  const message = (/** @type {Delivery} */ { attempts }) => {
    const last = attempts.at(-1);
    return `Resent: ${last?.status ?? last?.error ?? "no result yet"}.`;
  };
  return change("POST /sandbox/deliveries/{id}/resend", message, { id });
}

/** @param {{ delivery: Delivery }} props */
function Head({ delivery }) {
  const { id, event, status, objectId, collection, url, progress, createdAt, duplicateOf, injected } =
    delivery;
  const { nextAttemptAt, attempts } = delivery;
  const curl = attempts.at(-1)?.curl;
  const advance = () =>
    change("POST /sandbox/clock/advance", ({ to }) => `It is ${brasilia(to).time} in Brasília.`, {
      to: nextAttemptAt ?? "",
    });
  const facts = {
    about: html`<${ObjectLink} id=${objectId} collection=${collection} />`,
    to: url || NOWHERE,
    created: html`<${When} at=${createdAt} isZoned />`,
    id: html`<${Copyable} text=${id} />`,
    ...(duplicateOf !== null && {
      "duplicate of": html`<${ObjectLink} id=${duplicateOf} collection="deliveries" label=${duplicateOf} />`,
    }),
    ...(injected.length > 0 && { faults: html`<span class="injected">${injected.join(", ")}</span>` }),
  };
  return html`<${Heading} title=${event}><${Badge} status=${status} collection=${WEBHOOK_EVENTS} /><//>
    <p class="soft">
      ${nextAttemptAt === null ? `${progress}.` : html`<${NextAttempt} delivery=${delivery} />`}
    </p>
    <div class="buttons">
      ${
        status !== "not-sent" &&
        html`<button
          data-resend
          title="Sends one attempt now, with a new signature"
          onClick=${() => resend(id)}
        >
          Resend <kbd>r</kbd>
        </button>`
      }
      ${
        nextAttemptAt &&
        html`<button title=${nextAttemptAt} onClick=${advance}>Advance to the next attempt</button>`
      }
      ${curl && html`<${CopyButton} text=${curl} label="Copy as curl" />`}
    </div>
    <${Facts} facts=${facts} />`;
}

/** Shows when the next attempt is due: `attempt 3 in 4 m 12 s`. @param {{ delivery: Delivery }} props */
export function NextAttempt({ delivery: { attempts, nextAttemptAt } }) {
  if (nextAttemptAt === null) return null;
  return html`<span>attempt ${attempts.length + 1} in${" "}<${Until} at=${nextAttemptAt} /></span>`;
}

/**
 * Shows the attempts as dots on a line of the world's time, the next one hollow.
 *
 * @param {{ delivery: Delivery, selected: number | undefined }} props
 */
function Axis({ delivery: { attempts, nextAttemptAt }, selected }) {
  const { address } = app;
  const times = [...attempts.map(({ at }) => at), ...(nextAttemptAt === null ? [] : [nextAttemptAt])];
  if (times.length === 0) return null;
  const positions = axisPositions(times.map((at) => Date.parse(at)));
  // The space before a dot grows with its time. Dots of one instant stay apart.
  const space = (/** @type {number} */ index) =>
    index > 0 && html`<span style=${{ flexGrow: (positions[index] ?? 0) - (positions[index - 1] ?? 0) }} />`;
  return html`<div class="axis" role="group" aria-label="Attempts in the world's time">
      ${attempts.map(
        (/** @type {any} */ attempt, /** @type {number} */ index) =>
          html`${space(index)}<button
              key=${attempt.number}
              class="dot ${toneOfAttempt(attempt)}"
              title=${attemptText(attempt)}
              aria-label=${attemptText(attempt)}
              aria-pressed=${String(attempt.number === selected)}
              onClick=${() => go({ ...address, query: { ...address.query, attempt: String(attempt.number) } })}
            >
              ${attempt.number}
            </button>`,
      )}
      ${
        nextAttemptAt &&
        html`${space(attempts.length)}<span class="dot next" title="The next attempt: ${nextAttemptAt}" />`
      }
    </div>
    <p class="spread soft small">
      <${When} at=${times[0]} />${times.length > 1 && html`<${When} at=${times.at(-1)} />`}
    </p>`;
}

/** Names an attempt with its result: `Attempt 2, retry: 500, failed, at 09:00:02`. @param {DeliveryAttempt} attempt */
function attemptText({ number, trigger, status, error, at }) {
  const result = [status ?? error, error === null ? "acknowledged" : "failed"].join(", ");
  return `Attempt ${number}, ${trigger}: ${result}, at ${brasilia(at).time}`;
}

/** Shows one attempt: its request and its response, side by side. @param {{ attempt: DeliveryAttempt }} props */
function AttemptDetail({ attempt }) {
  const { number, trigger, at, message, durationMs, injected, requestHeaders, requestBody, requestBytes } =
    attempt;
  const { status, error, responseHeaders, responseBody, responseTruncated, curl } = attempt;
  const isCut = new TextEncoder().encode(requestBody).length < requestBytes;
  const tone = toneOfAttempt(attempt);
  return html`<p class=${error === null ? undefined : tone}>${message}</p>
    ${
      injected.length > 0 &&
      html`<p>${"Changed by faults: "}<span class="injected">${injected.join(", ")}</span></p>`
    }
    <${Exchange}
      title=${html`Attempt ${number}
        <span class="soft">
          ${trigger} · <${When} at=${at} />${durationMs !== null && ` · took ${durationMs} ms`}
        </span>`}
      request=${{
        headers: requestHeaders,
        body: requestBody,
        curl,
        note: isCut
          ? `The first part of ${requestBytes} bytes; the rest was not kept.`
          : `${requestBytes} bytes`,
      }}
      answer=${
        status === null
          ? undefined
          : {
              headers: responseHeaders,
              body: responseBody,
              note: responseTruncated && "Only the first part of the body was read.",
            }
      }
      status=${html`<span class=${tone}>${status ?? error}</span>`}
    />`;
}

/**
 * Shows the fields whose values differ from the event before about the same object.
 *
 * @param {{ before: Delivery, delivery: Delivery }} props
 */
function Changes({ before, delivery }) {
  const textOf = (/** @type {unknown} */ value) => (value === undefined ? "–" : valueText(value));
  const rows = changesBetween(before["body"], delivery["body"]).map((one) => [
    one.path,
    html`<code class="wrap">${textOf(one.before)}</code>`,
    html`<code class="wrap">${textOf(one.after)}</code>`,
  ]);
  const href = formatAddress({ view: "deliveries", id: before["id"] });
  return html`<${Disclosure} label="changes" hint="Changes since the previous event">
    <p class="soft small">${"Compared with "}<a href=${href}>${before["event"]}</a></p>
    <${Table} columns=${["field", "before", "now"]} rows=${rows} />
  <//>`;
}

/**
 * Asks the sandbox if the request that a receiver got verifies, and why not: its body, its secret, its
 * header.
 *
 * @param {{ id: string, attempt: DeliveryAttempt }} props
 */
function Verification({ id, attempt }) {
  const [result, setResult] = useState(/** @type {any} */ (undefined));
  const fields = [
    field("body", "", {
      kind: "lines",
      label: "The body that your receiver saw",
      preset: attempt["requestBody"],
    }),
    field("secret", "", { label: "The secret that it used", example: "the company's own" }),
    field("header", "", { label: "The header that it received", example: "as it was sent" }),
  ];
  const verify = async (/** @type {object} */ given) => {
    const body = { attempt: attempt["number"], body: "", ...given };
    await perform(async () =>
      setResult(await api.ask("POST /sandbox/deliveries/{id}/verify", { id, ...body })),
    );
    return false;
  };
  return html`<${Disclosure} label="verify" hint="Why does my receiver refuse the signature?">
    <p class="soft small wrap">
      Sent with ${attempt["requestHeaders"]["x-signature-sha256"] ?? "no signature"}
    </p>
    <${SchemaForm} fields=${fields} submit="Verify" send=${verify}>
      <div class="verdict wide" role="status">
        ${
          result &&
          html`<b class=${result.verifies ? "good" : "bad"}>
              ${result.verifies ? "The signature verifies." : "The signature does not verify."}
            </b>
            ${result.findings.map((/** @type {any} */ { message }) => html`<p>${message}</p>`)}`
        }
      </div>
    <//>
  <//>`;
}
