import type { Markup } from "../reference/markup.ts";
import { card, facts, type PageView } from "./page.ts";
import type { TaxDocument } from "../../simulator/api/generated/shapes.ts";
import { copyable, payableUntil } from "./payment-method.ts";
import { html } from "hono/html";
import { toneOf } from "../html/components.js";
import { canTake } from "../../simulator/engine/lifecycle.ts";
import { drawQrCode } from "../../simulator/qr-images/qr-images.ts";
import {
  type Subscription,
  subscriptionLifecycle,
} from "../../simulator/platform/subscriptions/subscription.ts";
import { SAO_PAULO } from "../../simulator/countries/brazil/calendar.ts";

/** A subscription as its payer sees it in the app of the bank, after reading the QR code. */
export interface SubscriptionView extends PageView {
  readonly subscription: Subscription;
  /** Whether a cancellation was requested and is not answered yet. */
  readonly isBeingCanceled: boolean;
}

/** Returns the page for authorizing or refusing a subscription. Afterwards it shows the outcome. */
export function subscriptionPage(view: SubscriptionView) {
  const { subscription, texts } = view;
  const isOpen = canTake(subscriptionLifecycle, subscription, "accept");
  const body = html`${summary(view)} ${isOpen ? payerActions(view) : outcome(view)} ${terms(view)}
  ${isOpen && authorizationCode(view)}`;
  return { title: texts.authorize(subscription.receiver.fullName), body };
}

function summary({ subscription, texts }: SubscriptionView): Markup {
  const { receiver, status, fixedAmount, frequencyType, description } = subscription;
  return html`<section class="card">
    <div class="top">
      <h1>${receiver.fullName}</h1>
      <span class="badge ${toneOf(status, [subscriptionLifecycle])}"
        >${texts.subscriptionStatus[status]}</span
      >
    </div>
    <p class="amount ${fixedAmount === null ? "words" : ""}">
      ${fixedAmount === null ? texts.variableAmount : texts.amount(fixedAmount)}
      <span class="per">${texts.perCycle[frequencyType]}</span>
    </p>
    ${description !== null && html`<p>${description}</p>`}
    <p class="soft">${texts.automaticPix}</p>
  </section>`;
}

function outcome(view: SubscriptionView): Markup {
  const { subscription, texts, href, isBeingCanceled } = view;
  const { status } = subscription;
  const canCancel = status === "ACCEPTED" && !isBeingCanceled;
  return card(
    texts.subscriptionStatus[status],
    html`<p>${isBeingCanceled ? texts.cancelPending : texts.subscriptionOutcome[status]}</p>`,
    canCancel
      ? html`<form method="post" action="${href()}">
          <button name="do" value="cancel">${texts.cancel}</button>
        </form>`
      : "",
  );
}

function terms({ subscription, texts }: SubscriptionView): Markup {
  const { receiver, debtor, externalId, startDate, endDate, initialCharge, status } = subscription;
  const { payerMaximum, fixedAmount, maxAmountFloor } = subscription;
  const isOpen = status === "PENDING_AUTHORIZATION";
  const floor = maxAmountFloor === null ? "" : texts.maximumFloor(texts.amount(maxAmountFloor));
  const charge = initialCharge && texts.amount(initialCharge.amount);
  const maximum = payerMaximum === null ? (isOpen && floor) || texts.noMaximum : texts.amount(payerMaximum);
  const person = (name: string, document: TaxDocument): Markup =>
    html`${name}<br /><span class="soft">${documentText(document)}</span>`;
  return card(
    texts.terms,
    facts({
      [texts.receiver]: person(receiver.fullName, receiver.document),
      [texts.debtor]: person(debtor.name, debtor.document),
      [texts.contract]: externalId,
      [texts.firstCharge]: charge && isOpen ? texts.firstChargeNow(charge) : charge,
      [texts.starts]: texts.date(startDate),
      [texts.ends]: endDate === null ? texts.noEnd : texts.date(endDate),
      [texts.afterDueDate]: subscription.allowChargeAfterDueDate === true ? texts.retries : texts.noRetries,
      [texts.maximum]: fixedAmount !== null || status === "REJECTED" ? null : maximum,
    }),
  );
}

/** Shows the buttons for authorizing, with a maximum if the amount varies, and for refusing. */
function payerActions({ subscription, texts, href, typed = "" }: SubscriptionView): Markup {
  const { fixedAmount, maxAmountFloor, initialCharge } = subscription;
  const hint = maxAmountFloor === null ? "" : ` ${texts.maximumFloor(texts.amount(maxAmountFloor))}`;
  return html`<section class="card" aria-label="${texts.actAsPayer}">
    <form method="post" action="${href()}">
      ${
        fixedAmount === null &&
        html`<label for="maximum">${texts.maximumField}</label>
          <input
            id="maximum"
            name="maximum"
            inputmode="decimal"
            placeholder="${texts.amountExample}"
            value="${typed}"
            aria-describedby="maximum-hint"
            autocomplete="off"
          />
          <p class="soft" id="maximum-hint">${texts.maximumHint}${hint}</p>`
      }
      <div class="choices">
        <button class="main" name="do" value="accept">
          ${initialCharge === null ? texts.accept : texts.acceptAndPay(texts.amount(initialCharge.amount))}
        </button>
        <button name="do" value="reject" formnovalidate>${texts.refuse}</button>
      </div>
      <p class="soft">${texts.walkAway}</p>
    </form>
  </section>`;
}

function authorizationCode({ subscription, texts }: SubscriptionView): Markup {
  const { qrcodeData, initialCharge } = subscription;
  const image = drawQrCode(qrcodeData).toString("base64");
  return card(
    texts.readCode,
    html`<img class="qr" src="data:image/png;base64,${image}" alt="${texts.authorizationQrCode}" />
      <p class="soft">${texts.orCopy}</p>
      ${copyable(qrcodeData, texts)}`,
    initialCharge === null ? "" : payableUntil(initialCharge.expireDateTime, SAO_PAULO, texts),
  );
}

/** `CPF 529.982.247-25`, `CNPJ 12.ABC.345/01DE-35`. */
function documentText({ type, number }: TaxDocument): string {
  const written =
    type === "CPF"
      ? number.replace(/^(.{3})(.{3})(.{3})(.{2})$/, "$1.$2.$3-$4")
      : number.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, "$1.$2.$3/$4-$5");
  return `${type} ${written}`;
}
