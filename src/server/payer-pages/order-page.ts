import type { Account } from "../../platform/accounts/account.ts";
import type { Markup, Page } from "./page.ts";
import type { Money } from "../../engine/money.ts";
import type { Order } from "../../platform/orders/order.ts";
import { amountDue, awaitsChallenge, finalAmountOf, isPayable } from "../../platform/orders/order.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { formatMoney } from "../../engine/money.ts";
import { html } from "hono/html";
import { orderLifecycle } from "../../platform/orders/order.ts";
import { paymentMethod } from "./payment-method.ts";

/** An order as its payer sees it. */
export interface OrderView {
  readonly order: Order;
  readonly account: Account;
  /** The address of this page, which its forms post to. */
  readonly path: string;
}

const BADGES: Readonly<Record<Order["status"], readonly [tone: string, words: string]>> = {
  INITIAL: ["", "Waiting for payment"],
  PENDING: ["warn", "Being confirmed"],
  ANALYSIS: ["warn", "In analysis"],
  PARTIALLY_PAID: ["warn", "Paid in part"],
  PAID: ["good", "Paid"],
  EXPIRED: ["bad", "Expired"],
  CANCELED: ["bad", "Canceled"],
  ERROR: ["bad", "Not paid"],
  PARTIAL_REFUNDED: ["", "Refunded in part"],
  REFUNDED: ["", "Refunded"],
};

/** The page on which an order is paid or declined, and which shows the outcome afterwards. */
export function orderPage(view: OrderView): Page {
  const { order, account } = view;
  const isOpen = isPayable(order);
  const body = html`${summary(order, account)} ${isOpen ? paymentMethod(view) : outcome(order)}
  ${isOpen ? payerActions(view) : ""}
  ${
    order.returnUrl === null
      ? ""
      : html`<a class="button" href="${order.returnUrl}" rel="noreferrer">Return to the shop</a>`
  }`;
  return { title: `Pay ${account.fullName}`, body };
}

/** `R$ 1,234.50` and `MX$ 250.00`. */
function amountText(amount: Money): string {
  const symbol = amount.currency === "BRL" ? "R$" : "MX$";
  return `${symbol} ${formatMoney(amount).replace(/\B(?=(\d{3})+(?!\d))/g, ",")}`;
}

function summary(order: Order, account: Account): Markup {
  const [tone, words] = BADGES[order.status];
  const final = finalAmountOf(order);
  const due = amountDue(order);
  return html`<section class="card">
    <div class="top">
      <h1>${account.fullName}</h1>
      <span class="badge ${tone}">${words}</span>
    </div>
    <p class="amount">${final === null ? "You choose the amount" : amountText(final)}</p>
    ${order.description === null ? "" : html`<p>${order.description}</p>`}
    <p class="soft">Order ${order.externalId}</p>
    ${
      order.status === "PARTIALLY_PAID" && due !== null
        ? html`<p class="soft">${amountText(due)} is still due.</p>`
        : ""
    }
  </section>`;
}

function outcome(order: Order): Markup {
  const [, words] = BADGES[order.status];
  return html`<section class="card">
    <h2>${words}</h2>
    <p>${order.errorMessage ?? SENTENCES[order.status]}</p>
    ${order.endToEndId === null ? "" : html`<p class="soft">${order.endToEndId}</p>`}
  </section>`;
}

const SENTENCES: Readonly<Partial<Record<Order["status"], string>>> = {
  PENDING: "The payment was made. The bank confirms it on its next business day.",
  PAID: "The payment was received. Thank you.",
  EXPIRED: "The time to pay this order is over. Ask the shop for a new one.",
  CANCELED: "The shop canceled this order.",
  PARTIAL_REFUNDED: "A part of the payment went back to the payer.",
  REFUNDED: "The payment went back to the payer.",
};

/** What the payer would do in an app, at a bank or in a store. */
function payerActions({ order, path }: OrderView): Markup {
  if (awaitsChallenge(order)) return html``;
  const due = amountDue(order);
  const decline = canTake(orderLifecycle, order, "decline")
    ? html`<button name="do" value="decline" formnovalidate>Decline</button>`
    : "";
  return html`<section class="card">
    <h2>Act as the payer</h2>
    <form method="post" action="${path}">
      ${due === null ? amountField("Amount in reais") : ""}
      <button class="main" name="do" value="pay">Pay ${due === null ? "" : amountText(due)}</button>
      ${decline}
    </form>
    ${
      due === null || order.paymentMethod === "PIX"
        ? ""
        : html`<details>
            <summary>Pay a part of it</summary>
            <form method="post" action="${path}">
              ${amountField("Amount")}
              <button name="do" value="pay">Pay this part</button>
            </form>
          </details>`
    }
  </section>`;
}

function amountField(label: string): Markup {
  return html`<label
    >${label}
    <input
      name="amount"
      inputmode="decimal"
      pattern="[0-9]+([.][0-9]{1,2})?"
      required
      placeholder="10.50"
      autocomplete="off"
    />
  </label>`;
}

/** The 3-D Secure challenge as the bank of the card would show it, where one is pending. */
export function challengePage({ order, account, path }: OrderView): Page {
  const due = amountDue(order);
  const digits = order.checkout?.kind === "card" ? order.checkout.card.lastDigits : null;
  const body = awaitsChallenge(order)
    ? html`<section class="card">
        <div class="top">
          <h1>Your bank</h1>
          <span class="badge">3-D Secure</span>
        </div>
        <p class="amount">${due === null ? "" : amountText(due)}</p>
        <p>
          ${account.fullName} wants to charge ${digits === null ? "your card" : `your card •••• ${digits}`}.
        </p>
        <p class="soft">A bank would ask for a code or a fingerprint here.</p>
        <form method="post" action="${path}/3ds">
          <button class="main" name="do" value="pass-challenge">It is me: pass the challenge</button>
          <button name="do" value="fail-challenge">It is not me: fail the challenge</button>
        </form>
      </section>`
    : html`<section class="card">
        <h1>No challenge is pending</h1>
        <p>The 3-D Secure challenge of this order is over, or there never was one.</p>
        <a class="button" href="${path}">See the order</a>
      </section>`;
  return { title: "3-D Secure", body };
}

/** The page of the deeplink: the crypto app, with the payment ready to be confirmed. */
export function appPage({ order, account, path }: OrderView): Page {
  const due = amountDue(order);
  const body = html`<section class="card">
    <div class="top">
      <h1>Crypto app</h1>
      <span class="badge">Crypto</span>
    </div>
    <p class="amount">${due === null ? "" : amountText(due)}</p>
    <p>To ${account.fullName}, order ${order.externalId}.</p>
    ${
      canTake(orderLifecycle, order, "pay")
        ? html`<form method="post" action="${path}">
            <button class="main" name="do" value="pay">Confirm with crypto</button>
            <button name="do" value="decline">Decline</button>
          </form>`
        : html`<a class="button" href="${path}">See the outcome</a>`
    }
  </section>`;
  return { title: "Crypto app", body };
}
