import type { Markup } from "../reference/markup.ts";
import { card, facts, type PageView } from "./page.ts";
import type { Order, Payable } from "../../simulator/platform/orders/order.ts";
import type { Account } from "../../simulator/platform/accounts/account.ts";
import type { Texts } from "./texts.ts";
import { assert } from "../../simulator/engine/assertion.ts";
import { localDate, SAO_PAULO } from "../../simulator/countries/brazil/calendar.ts";
import { html, raw } from "hono/html";

/** An order as its payer sees it. */
export interface OrderView extends PageView {
  readonly order: Order;
  /** Says how it takes a payment now. Null if it takes no payment. */
  readonly payable: Payable | null;
  /** Whether parts, and whether more than is due, are taken. */
  readonly takesParts: boolean;
  readonly takesMore: boolean;
  readonly account: Account;
}

/** Shows the details that the payer needs for the payment method: a shop would show them from the order's answer. */
export function paymentMethod(view: OrderView): Markup {
  const { order, texts, href } = view;
  const { checkout } = order;
  switch (checkout?.kind) {
    case undefined:
      return html``;
    case "pix":
      return card(
        texts.payWithPix,
        html`<img class="qr" src="${href("/qrcode.png")}" alt="${texts.pixQrCode}" />
          <p class="soft">${texts.orCopy}</p>
          ${copyable(checkout.qrcodeData, texts)} ${until(view, SAO_PAULO)}`,
      );
    case "app":
      return card(
        texts.payWithCrypto,
        html`<p>${texts.openAppHint}</p>
          <a class="button main" href="${href("/app")}">${texts.openApp}</a>`,
      );
    case "card":
      return cardPayment(checkout.card, view);
    case "transfer":
      return card(
        texts.payBySpei,
        html`<p>${texts.transferToClabe}</p>
          ${copyable(checkout.clabe, texts)}`,
        facts({ [texts.beneficiary]: checkout.beneficiary, [texts.bank]: checkout.bankCode }),
        until(view, "America/Mexico_City"),
      );
    case "page":
      return paymentPage(view, checkout);
  }
}

type Checkout = NonNullable<OrderView["order"]["checkout"]>;

function cardPayment(
  { threeDs, brand, lastDigits, installments }: Extract<Checkout, { kind: "card" }>["card"],
  { texts, href }: OrderView,
): Markup {
  return card(
    texts.cardPayment,
    facts({
      [texts.card]: `${brand ?? ""} ${lastDigits === null ? texts.storedCard : `•••• ${lastDigits}`}`,
      [texts.installments]: installments,
    }),
    threeDs.status === "CHALLENGE"
      ? html`<p>${texts.bankAsks}</p>
          <a class="button main" href="${href("/3ds")}">${texts.goToChallenge}</a>`
      : html`<p class="soft">${texts.noAnswerYet}</p>`,
  );
}

/** Shows the content of the page of a boleto, of a deposit or of a store. */
function paymentPage(
  view: OrderView,
  { slip, bank, reference }: Extract<Checkout, { kind: "page" }>,
): Markup {
  const { order, account, texts } = view;
  if (slip !== null)
    return card(
      texts.slip,
      html`${barcodeImage(slip.barcode, texts)}
        <p class="soft">${texts.slipLine}</p>
        ${copyable(slip.line, texts)}
        <p class="soft">${texts.barcode}</p>
        ${copyable(slip.barcode, texts)}`,
      facts({
        [texts.beneficiary]: account.fullName,
        [texts.payer]: order.customer?.name,
        [texts.dueDate]: order.expiresAt && texts.date(localDate(order.expiresAt)),
      }),
    );
  if (bank !== null)
    return card(
      texts.transferTo(bank.name),
      facts({
        [texts.bank]: `${bank.code} ${bank.name}`,
        ISPB: bank.ispb,
        [texts.holder]: account.fullName,
        [account.document.type]: account.document.number,
      }),
      until(view, SAO_PAULO),
    );
  const titles: Readonly<Record<string, string>> = {
    CASHSTORE: texts.atTheTill,
    CASHSTORE_WALLET: texts.withTheWallet,
    NETWORK_PAYMENT: texts.atTheNetwork,
  };
  return card(
    titles[order.paymentMethod] ?? texts.pay(account.fullName),
    reference === null
      ? ""
      : html`<p>${texts.reference}</p>
          ${copyable(reference, texts)}`,
    until(view, "America/Mexico_City"),
  );
}

/** Shows a text that a payer pastes elsewhere. The script of the page shows the button if it can copy. */
export function copyable(text: string, { copy, copied }: Texts): Markup {
  return html`<code class="code">${text}</code>
    <button type="button" data-copy="${text}" data-copied="${copied}" hidden>${copy}</button>`;
}

function until({ order, texts }: OrderView, timeZone: keyof Texts["timeOf"]): Markup | "" {
  return order.expiresAt === null ? "" : payableUntil(order.expiresAt, timeZone, texts);
}

/** Shows the time until which the payer can pay, in the time of the country. */
export function payableUntil(instant: number, timeZone: keyof Texts["timeOf"], texts: Texts): Markup {
  return html`<p class="soft">
    ${texts.payableUntil(texts.time(instant, timeZone), texts.timeOf[timeZone])}
  </p>`;
}

/** The wide bars among the five bars of each digit: interleaved 2 of 5, the symbology of boletos. */
const WIDE = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"];
const WIDE_MODULES = 3;
const HEIGHT = 60;

/** Draws a boleto's barcode. Each pair of digits has one digit in the bars and one in the spaces between them. */
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
