import type { OrderView } from "./order-page.ts";
import type { Page } from "./page.ts";
import { amountDue, awaitsChallenge } from "../../platform/orders/order.ts";
import { amountText } from "./order-page.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { html } from "hono/html";
import { orderLifecycle } from "../../platform/orders/order.ts";

/** The challenge of 3-D Secure as the bank of the card would show it; where none is waiting it says so. */
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
        <h1>No challenge is waiting</h1>
        <p>The 3-D Secure challenge of this order is over, or there never was one.</p>
        <a class="button" href="${path}">See the order</a>
      </section>`;
  return { title: "3-D Secure", body };
}

/** What the deeplink opens: the crypto app, with the payment ready to be confirmed. */
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
        : html`<a class="button" href="${path}">See what became of it</a>`
    }
  </section>`;
  return { title: "Crypto app", body };
}
