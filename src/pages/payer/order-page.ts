import type { Markup } from "../reference/markup.ts";
import { card, type Page } from "./page.ts";
import {
  amountAsked,
  amountDue,
  awaitsChallenge,
  finalAmountOf,
  orderLifecycle,
} from "../../simulator/platform/orders/order.ts";
import { canTake } from "../../simulator/engine/lifecycle.ts";
import { html } from "hono/html";
import { toneOf } from "../html/components.js";
import { type OrderView, paymentMethod } from "./payment-method.ts";

/** Returns the page for paying or declining an order. Afterwards it shows the outcome. */
export function orderPage(view: OrderView): Page {
  const { order, account, payable, texts } = view;
  // The buttons are above a long code, so that they are in the first window at 200 % zoom.
  const body = html`${summary(view)} ${payable !== "due" && outcome(view)}
  ${payable !== null && payerActions(view)} ${payable === "due" && paymentMethod(view)}
  ${order.returnUrl !== null && html`<a class="button" href="${order.returnUrl}" rel="noreferrer">${texts.backToShop}</a>`}`;
  return { title: texts.pay(account.fullName), body };
}

function summary({ order, account, texts }: OrderView): Markup {
  const final = finalAmountOf(order);
  const due = amountDue(order);
  return html`<section class="card">
    <div class="top">
      <h1>${account.fullName}</h1>
      <span class="badge ${toneOf(order.status, [orderLifecycle])}">${texts.orderStatus[order.status]}</span>
    </div>
    <p class="amount ${final === null ? "words" : ""}">
      ${final === null ? texts.openAmount : texts.amount(final)}
    </p>
    ${order.description !== null && html`<p>${order.description}</p>`}
    <p class="soft">${texts.order(order.externalId)}</p>
    ${order.status === "PARTIALLY_PAID" && due !== null && html`<p class="soft">${texts.stillDue(texts.amount(due))}</p>`}
  </section>`;
}

function outcome({ order, texts }: OrderView): Markup {
  return card(
    texts.orderStatus[order.status],
    html`<p>${texts.orderOutcome[order.status]}</p>
      ${order.errorMessage !== null && html`<p class="soft" lang="en">${order.errorMessage}</p>`}
      ${order.endToEndId !== null && html`<p class="soft">${order.endToEndId}</p>`}`,
  );
}

/** Shows the actions that the payer would do in an app, at a bank or in a store. */
function payerActions(view: OrderView): Markup {
  const { order, payable, takesMore, takesParts, texts, href } = view;
  if (awaitsChallenge(order)) return html``;
  const due = amountAsked(order);
  const hint = payable === "late" ? texts.payLate : payable === "again" ? texts.payAgain : null;
  const decline = canTake(orderLifecycle, order, "decline")
    ? html`<button name="do" value="decline" formnovalidate>${texts.decline}</button>`
    : "";
  return html`<section class="card" aria-label="${texts.actAsPayer}">
    ${hint !== null && html`<p>${hint}</p>`}
    <form method="post" action="${href()}">
      ${due === null && amountField(texts.amountInReais, view)}
      <div class="choices">
        <button class="main" name="do" value="pay">
          ${texts.payAmount(due === null ? "" : texts.amount(due))}
        </button>
        ${decline}
      </div>
    </form>
    ${
      due === null || order.paymentMethod === "PIX" || !(takesParts || takesMore)
        ? ""
        : html`<details>
            <summary>${takesMore ? texts.payAnother : texts.payPart}</summary>
            <form method="post" action="${href()}">
              ${amountField(texts.amountField, view)}
              <button name="do" value="pay">${takesMore ? texts.payThisAmount : texts.payThisPart}</button>
            </form>
          </details>`
    }
  </section>`;
}

function amountField(label: string, { texts, typed = "" }: OrderView): Markup {
  return html`<label
    >${label}
    <input
      name="amount"
      inputmode="decimal"
      required
      placeholder="${texts.amountExample}"
      value="${typed}"
      autocomplete="off"
    />
  </label>`;
}

/** Returns the page of the 3-D Secure challenge as the bank of the card would show it, if a challenge is pending. */
export function challengePage({ order, account, texts, href }: OrderView): Page {
  const due = amountDue(order);
  const digits = order.checkout?.kind === "card" ? order.checkout.card.lastDigits : null;
  const body = awaitsChallenge(order)
    ? html`<section class="card">
        <div class="top">
          <h1>${texts.yourBank}</h1>
          <span class="badge">3-D Secure</span>
        </div>
        <p class="amount">${due === null ? "" : texts.amount(due)}</p>
        <p>${texts.wantsToCharge(account.fullName, digits)}</p>
        <p class="soft">${texts.challengeHint}</p>
        <form method="post" action="${href("/3ds")}">
          <button class="main" name="do" value="pass-challenge">${texts.passChallenge}</button>
          <button name="do" value="fail-challenge">${texts.failChallenge}</button>
        </form>
      </section>`
    : html`<section class="card">
        <h1>${texts.noChallenge}</h1>
        <p>${texts.noChallengeText}</p>
        <a class="button" href="${href()}">${texts.seeOrder}</a>
      </section>`;
  return { title: "3-D Secure", body, isFramed: true };
}

/** Returns the page of the deeplink: the crypto app, with the payment ready to be confirmed. */
export function appPage({ order, account, payable, texts, href }: OrderView): Page {
  const due = amountAsked(order);
  const body = html`<section class="card">
    <div class="top">
      <h1>${texts.app}</h1>
    </div>
    <p class="amount">${due === null ? "" : texts.amount(due)}</p>
    <p>${texts.appTo(account.fullName, order.externalId)}</p>
    ${
      payable !== null
        ? html`<form method="post" action="${href()}">
            <button class="main" name="do" value="pay">${texts.confirmWithCrypto}</button>
            ${payable === "due" && html`<button name="do" value="decline">${texts.decline}</button>`}
          </form>`
        : html`<a class="button" href="${href()}">${texts.seeOutcome}</a>`
    }
  </section>`;
  return { title: texts.app, body };
}
