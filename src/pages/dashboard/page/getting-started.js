import { ActButtons } from "./acts.js";
import { callCommand, shownCompany } from "./commands.js";
import { change } from "./app.js";
import { Command } from "./components.js";
import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";
import { resend } from "./delivery-detail.js";

/** @typedef {import("./overview-view.js").Overview} Overview */

/**
 * A step of somebody who has just started.
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {boolean} isDone
 * @property {string} text
 * @property {string} [command] to type in a terminal
 * @property {() => any} [buttons]
 */

/**
 * Shows the next step of a person who has just started. Empty once all steps are done.
 *
 * @param {{ overview: Overview }} props
 */
export function GettingStarted({ overview }) {
  const steps = stepsOf(overview);
  const index = steps.findIndex(({ isDone }) => !isDone);
  const next = steps[index];
  if (next === undefined) return null;
  return html`<section class="card first-steps" aria-label="First steps">
    <ol class="flow soft">
      ${steps.map(
        ({ title, isDone }, place) =>
          html`<li class=${isDone ? "done" : undefined} aria-current=${place === index ? "step" : undefined}>
            ${isDone && html`<span aria-hidden="true">✓ </span><span class="unseen">Done: </span>`}${title}
          </li>`,
      )}
    </ol>
    <p>${next.text}</p>
    ${next.command && html`<${Command} text=${next.command} />`}
    ${next.buttons && html`<p class="buttons">${next.buttons()}</p>`}
  </section>`;
}

/** @param {Overview} overview @returns {Step[]} */
function stepsOf({ requests, collections, deliveries, open, accepted, now }) {
  const statusesOf = (/** @type {string} */ name) =>
    Object.keys(collections.find(({ collection }) => collection === name)?.statuses ?? {});
  const waiting = open.find(({ collection }) => collection === "subscriptions");
  const failed = deliveries.find(({ status }) => status !== "delivered" && status !== "not-sent");
  const isUnsent = failed === undefined && deliveries.some(({ status }) => status === "not-sent");
  const day = (/** @type {number} */ days) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  return [
    {
      title: "Call the platform API",
      isDone: requests.length > 0,
      text: "Point your client at this sandbox: every call appears here, with its answer. Or begin in a terminal:",
      command: callCommand("GET", "/order/v1/banking/accounts"),
    },
    {
      title: "Create a subscription",
      isDone: statusesOf("subscriptions").length > 0,
      text: "It asks a payer for the permission to charge. Its webhookUrl is the URL of your receiver:",
      command: createSubscription(day(0)),
    },
    {
      title: "Act as the payer",
      isDone: statusesOf("subscriptions").some((status) => status !== "PENDING_AUTHORIZATION"),
      text: "The subscription waits for its payer. Answer here, or on the page that the payer sees.",
      buttons: () =>
        waiting &&
        html`<${ActButtons} collection="subscriptions" id=${waiting.id} status=${waiting.status} />
          <a class="button" href=${formatAddress({ view: "subscriptions", id: waiting.id })}>Show it</a>`,
    },
    {
      title: "Receive a webhook",
      isDone: deliveries.some(({ status }) => status === "delivered"),
      text: isUnsent
        ? "No webhook was sent, because no URL is set. Set the URL of your receiver under World and keys."
        : failed === undefined
          ? "Each change of a status is sent to your receiver."
          : `${failed["event"]} went to ${failed["url"]}, but it was not acknowledged. Start your receiver there and send it again.`,
      buttons: () =>
        isUnsent
          ? html`<a class="button" href=${formatAddress({ view: "world" })}>World and keys</a>`
          : failed &&
            html`<button class="primary" onClick=${() => resend(failed["id"])}>Send it again</button>
              <a class="button" href=${formatAddress({ view: "deliveries", id: failed["id"] })}
                >Show the attempts</a
              >`,
    },
    {
      title: "Charge, and move the clock",
      isDone: statusesOf("scheduled-payments").length > 0,
      text: "Tests do not wait for due dates. Charge the subscription, then advance to the next due step with the button at the top or the key n.",
      command: accepted === undefined ? "" : createScheduledPayment(accepted, day(5)),
    },
    {
      title: "Break something",
      isDone: deliveries.some(({ injected, attempts }) =>
        [{ injected }, ...attempts].some((one) => one.injected.length > 0),
      ),
      text: "In production webhooks come twice, late, or in another order. Test your receiver with such a webhook.",
      buttons: () =>
        html`<button class="primary" onClick=${duplicateNext}>Send the next webhook twice</button>
          <a class="button" href=${formatAddress({ view: "faults" })}>Other faults</a>`,
    },
  ];
}

/** @param {string} startDate */
function createSubscription(startDate) {
  const body = {
    accountId: shownCompany()?.accounts[0] ?? "ACCOUNT",
    type: "AUTHORIZATION_QRCODE",
    externalId: "first-subscription",
    webhookUrl: "http://127.0.0.1:3000/webhooks",
    frequencyType: "MONTHLY",
    startDate,
    debtor: { name: "Dora Devedora", document: { type: "CPF", number: "52998224725" } },
  };
  return callCommand("POST", "/order/v1/banking/subscriptions", JSON.stringify(body, null, 2));
}

/** @param {string} id of a subscription @param {string} dueDate */
function createScheduledPayment(id, dueDate) {
  const body = { externalId: "first-charge", dueDate, amount: { currency: "BRL", value: "59.90" } };
  return callCommand("PUT", `/public/v1/banking/subscriptions/${id}/payments`, JSON.stringify(body));
}

function duplicateNext() {
  return change("POST /sandbox/faults", "The next webhook will come twice.", {
    on: "webhook",
    effect: "duplicate",
    times: 1,
  });
}
