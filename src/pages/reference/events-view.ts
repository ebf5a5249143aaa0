import { componentSchema } from "../../simulator/api/openapi-schemas.ts";
import { assumptionMark, codeView, entryView, jsonView, type Markup } from "./markup.ts";
import { fieldsView, shapeOf } from "./schema-view.ts";
import { html } from "hono/html";
import { onlyContent, openApi, type OperationObject } from "./document.ts";
import type { SettingRow } from "./setting.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../simulator/api/signature.ts";

const SECRET = "acme-webhook-secret";
const BODY = '{"event":"ORDER-PAYOUT.PAID","amount":{"currency":"BRL","value":"1250.00"}}';

const CHECK = `import { createHmac, timingSafeEqual } from "node:crypto";

export function isSigned(rawBody: Buffer, header: string, secret: string): boolean {
  const digest = createHmac("sha256", secret).update(rawBody).digest("hex");
  const expected = Buffer.from("sha256=" + digest);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}`;

/** Explains the delivery of events to a partner, and how the partner verifies that they are the platform's. */
export function deliveryEntries({ assumptions }: SettingRow) {
  const valueOf = (id: string): string => [assumptions.find((one) => one.id === id)?.value].flat().join(", ");
  const signature = signatureOf(SECRET, Buffer.from(BODY));
  return [
    {
      id: "delivery",
      title: "Delivery",
      text: html`<p>
          Each change of status is sent as a POST to the partner: subscription events to the subscription's
          webhookUrl, order events to the order's notificationUrl or else to the company's webhook URL.
        </p>
        <ul class="plain">
          <li>
            Any 2xx status acknowledges it, within
            <code>${valueOf("webhook.timeout")}</code> ${assumptionMark("webhook.timeout")}. Answer first,
            work afterwards.
          </li>
          <li>
            Any other answer, redirects included, is retried 4 times:
            <code>${valueOf("webhook.retry-intervals")}</code> after the failure before
            ${assumptionMark("webhook.retry-intervals")}.
          </li>
          <li>
            An event can come twice, and a later one can overtake an earlier one that is being retried. Be
            idempotent, and rely on the status in the body, not on the order of arrival.
          </li>
          <li>
            Events that all five attempts failed to deliver are listed by
            <a href="#listUndeliveredEvents">GET /order/v1/webhook/events</a>.
          </li>
          <li>The platform may add fields and events. Ignore unknown ones.</li>
        </ul>
        <h4 id="acknowledgement">Answer of the partner</h4>
        ${fieldsView(
          shapeOf(openApi().components.schemas["WebhookAcknowledgement"] ?? {}),
          "acknowledgement",
        )}`,
      samples: html`${codeView('HTTP/1.1 200 OK\ncontent-type: application/json\n\n{"returnCode":"SUCCESS"}', "the partner answers")}`,
    },
    {
      id: "signature",
      title: "Signature",
      text: html`<p>
          Every delivery carries <code>${SIGNATURE_HEADER}</code>: <code>sha256=</code> and the HMAC-SHA256 of
          the raw body in hex, under the webhook secret of the company.
        </p>
        <ul class="plain">
          <li>
            Compute it over the received bytes. A body that was parsed and serialized again has other bytes.
          </li>
          <li>Compare in constant time, lengths first.</li>
          <li>If it does not match, answer 4xx and ignore the event.</li>
          <li>
            The secret is read with <a href="#getWebhook">GET /order/v1/webhook</a> and changed with
            <a href="#rotateWebhookSecret">POST /order/v1/webhook/rotate-secret</a>. Each attempt is signed
            when it is sent, so a retry after a rotation has a signature of the new secret
            ${assumptionMark("webhook.config")}.
          </li>
        </ul>
        <p>
          <code>sandbank receiver check URL</code> checks a receiver, with right signatures and with every
          kind of wrong one.
        </p>`,
      samples: html`${codeView(CHECK, "in TypeScript")}
      ${codeView(`secret     ${SECRET}\nraw body   ${BODY}\nheader     ${SIGNATURE_HEADER}: ${signature}`, "to try it with")}`,
    },
  ];
}

interface Event extends OperationObject {
  readonly name: string;
}

/** The events of one shape, under its name; an event of several shapes is under each of them. */
export interface EventGroup {
  readonly shape: string;
  readonly events: readonly Event[];
}

/** Returns every event, grouped by the shape of its body. */
export function eventGroups(): EventGroup[] {
  const groups = new Map<string, Event[]>();
  for (const [name, { post }] of Object.entries(openApi().webhooks)) {
    for (const shape of shapesOf(post)) groups.set(shape, [...(groups.get(shape) ?? []), { ...post, name }]);
  }
  return Array.from(groups, ([shape, events]) => ({ shape, events }));
}

function shapesOf({ requestBody }: OperationObject): string[] {
  return Object.keys(onlyContent(requestBody?.content)?.[1].examples ?? {});
}

/** Returns the anchor of an event. */
export function eventAnchor(name: string): string {
  return `event.${name}`;
}

/** Shows the events of one shape: the meaning of each, every field of their body, and an example of each. */
export function eventGroupView({ shape: name, events }: EventGroup): Markup {
  const shape = shapeOf(componentSchema(name));
  return entryView({
    id: name,
    title: name,
    text: html`<p>${shape.schema.description}</p>
      <dl class="events">${events.map((event) => eventLine(event, name))}</dl>
      <h4>Body <span class="soft">application/json</span></h4>
      ${fieldsView(shape, name)}`,
    samples: html`${events.map((event, index) => exampleView(event, { shape: name, isOpen: index === 0 }))}`,
  });
}

/** Shows an event. It has its anchor at its first shape. Its other entries have their own anchors. */
function eventLine(event: Event, shape: string): Markup {
  const isHome = shapesOf(event)[0] === shape;
  const id = isHome ? eventAnchor(event.name) : `${eventAnchor(event.name)}.${shape}`;
  return html`<div id="${id}">
    <dt><a href="#${id}">${event.name}</a></dt>
    <dd>${event.summary}. ${assumptionMark(event["x-assumption"])}</dd>
  </div>`;
}

function exampleView(
  { name, requestBody }: Event,
  { shape, isOpen }: { readonly shape: string; readonly isOpen: boolean },
): Markup {
  const [, content] = onlyContent(requestBody?.content) ?? [];
  const example = content?.examples?.[shape]?.value;
  return html`<details class="other" ${isOpen ? "open" : ""}>
    <summary>${name}</summary>
    ${jsonView(example)}
  </details>`;
}
