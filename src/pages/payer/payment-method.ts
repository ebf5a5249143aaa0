import type { Markup, PageView } from "./page.ts";
import type { Order, Payable } from "../../platform/orders/order.ts";
import type { Account } from "../../platform/accounts/account.ts";

import type { Texts } from "./texts.ts";
import { assert } from "../../engine/assertion.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { html, raw } from "hono/html";

/** An order as its payer sees it. */
export interface OrderView extends PageView {
  readonly order: Order;
  /** How it takes a payment now; null where it takes none. */
  readonly payable: Payable | null;
  /** Whether parts, and whether more than is due, are taken. */
  readonly takesParts: boolean;
  readonly takesMore: boolean;
  readonly account: Account;
}

/** What the payer needs in order to pay, by payment method: what a shop would show from the order's answer. */
export function paymentMethod(view: OrderView): Markup {
  const { order, account, texts, href } = view;
  const { checkout } = order;
  switch (checkout?.kind) {
    case undefined:
      return html``;
    case "pix":
      return html`<section class="card">
        <h2>${texts.payWithPix}</h2>
        <img class="qr" src="${href("/qrcode.png")}" alt="${texts.pixQrCode}" />
        <p class="soft">${texts.orCopy}</p>
        ${copyable(checkout.qrcodeData, texts)} ${until(view, "America/Sao_Paulo")}
      </section>`;
    case "app":
      return html`<section class="card">
        <h2>${texts.payWithCrypto}</h2>
        <p>${texts.openAppHint}</p>
        <a class="button main" href="${href("/app")}">${texts.openApp}</a>
      </section>`;
    case "card":
      return cardPayment(checkout.card, { texts, href });
    case "transfer":
      return html`<section class="card">
        <h2>${texts.payBySpei}</h2>
        <p>${texts.transferToClabe}</p>
        ${copyable(checkout.clabe, texts)}
        <dl>
          <dt>${texts.beneficiary}</dt>
          <dd>${checkout.beneficiary}</dd>
          <dt>${texts.bank}</dt>
          <dd>${checkout.bankCode}</dd>
        </dl>
        ${until(view, "America/Mexico_City")}
      </section>`;
    case "page":
      break;
  }
  const { slip, bank, reference } = checkout;
  if (slip !== null) {
    return html`<section class="card">
      <h2>${texts.slip}</h2>
      ${barcodeImage(slip.barcode, texts)}
      <p class="soft">${texts.slipLine}</p>
      ${copyable(slip.line, texts)}
      <p class="soft">${texts.barcode}</p>
      ${copyable(slip.barcode, texts)}
      <dl>
        <dt>${texts.beneficiary}</dt>
        <dd>${account.fullName}</dd>
        ${
          order.customer === null
            ? ""
            : html`<dt>${texts.payer}</dt>
                <dd>${order.customer.name}</dd>`
        }
        ${
          order.expiresAt === null
            ? ""
            : html`<dt>${texts.dueDate}</dt>
                <dd>${texts.date(localDate(order.expiresAt))}</dd>`
        }
      </dl>
    </section>`;
  }
  if (bank !== null) {
    return html`<section class="card">
      <h2>${texts.transferTo(bank.name)}</h2>
      <dl>
        <dt>${texts.bank}</dt>
        <dd>${bank.code} ${bank.name}</dd>
        <dt>ISPB</dt>
        <dd>${bank.ispb}</dd>
        <dt>${texts.holder}</dt>
        <dd>${account.fullName}</dd>
        <dt>${account.document.type}</dt>
        <dd>${account.document.number}</dd>
      </dl>
      ${until(view, "America/Sao_Paulo")}
    </section>`;
  }
  const titles: Readonly<Record<string, string>> = {
    CASHSTORE: texts.atTheTill,
    CASHSTORE_WALLET: texts.withTheWallet,
    NETWORK_PAYMENT: texts.atTheNetwork,
  };
  return html`<section class="card">
    <h2>${titles[order.paymentMethod] ?? texts.pay(account.fullName)}</h2>
    ${
      reference === null
        ? ""
        : html`<p>${texts.reference}</p>
            ${copyable(reference, texts)}`
    }
    ${until(view, "America/Mexico_City")}
  </section>`;
}

type CardPayment = Extract<NonNullable<OrderView["order"]["checkout"]>, { kind: "card" }>["card"];

function cardPayment(card: CardPayment, { texts, href }: Pick<OrderView, "texts" | "href">): Markup {
  const awaits = card.threeDs.status === "CHALLENGE";
  return html`<section class="card">
    <h2>${texts.cardPayment}</h2>
    <dl>
      <dt>${texts.card}</dt>
      <dd>${card.brand ?? ""} ${card.lastDigits === null ? texts.storedCard : `•••• ${card.lastDigits}`}</dd>
      <dt>${texts.installments}</dt>
      <dd>${card.installments}</dd>
    </dl>
    ${
      awaits
        ? html`<p>${texts.bankAsks}</p>
            <a class="button main" href="${href("/3ds")}">${texts.goToChallenge}</a>`
        : html`<p class="soft">${texts.noAnswerYet}</p>`
    }
  </section>`;
}

/** A text that a payer pastes elsewhere. The script of the page shows the button where it can copy. */
export function copyable(text: string, { copy, copied }: Texts): Markup {
  return html`<code class="code">${text}</code>
    <button type="button" data-copy="${text}" data-copied="${copied}" hidden>${copy}</button>`;
}

function until({ order, texts }: OrderView, timeZone: keyof Texts["timeOf"]): Markup | "" {
  const { expiresAt } = order;
  if (expiresAt === null) return "";
  return html`<p class="soft">
    ${texts.payableUntil(texts.time(expiresAt, timeZone), texts.timeOf[timeZone])}
  </p>`;
}

/** Which of the five bars of each digit are wide: interleaved 2 of 5, the symbology of bank slips. */
const WIDE = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"];
const WIDE_MODULES = 3;
const HEIGHT = 60;

/** A bank slip's barcode: each pair of digits has one digit in the bars and one in the spaces between them. */
function barcodeImage(digits: string, { barcode }: Texts): Markup {
  assert(/^(\d\d)+$/.test(digits), "a barcode has an even number of digits");
  const modules = [1, 1, 1, 1];
  for (let place = 0; place < digits.length; place += 2) {
    const bars = WIDE[Number(digits[place])]!;
    const spaces = WIDE[Number(digits[place + 1])]!;
    for (let bar = 0; bar < 5; bar++) modules.push(width(bars[bar]), width(spaces[bar]));
  }
  modules.push(WIDE_MODULES, 1, 1);
  let x = 0;
  let path = "";
  for (const [index, size] of modules.entries()) {
    if (index % 2 === 0) path += `M${x} 0h${size}v${HEIGHT}h-${size}z`;
    x += size;
  }
  return html`<svg
    class="bars"
    viewBox="0 0 ${x} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${barcode} ${digits}"
  >
    ${raw(`<path d="${path}" fill="#000" shape-rendering="crispEdges"/>`)}
  </svg>`;
}

function width(mark: string | undefined): number {
  return mark === "1" ? WIDE_MODULES : 1;
}
