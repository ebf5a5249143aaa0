import type { Markup } from "./page.ts";
import type { OrderView } from "./order-page.ts";
import { assert } from "../../engine/assertion.ts";
import { html, raw } from "hono/html";

/** What the payer needs in order to pay, by payment method: what a shop would show from the order's answer. */
export function paymentMethod({ order, account, path }: OrderView): Markup {
  const { checkout } = order;
  switch (checkout?.kind) {
    case undefined:
      return html``;
    case "pix":
      return html`<section class="card">
        <h2>Pay with PIX</h2>
        <img class="qr" src="${path}/qrcode.png" alt="QR code of the PIX payment" />
        <p class="soft">Or copy and paste:</p>
        <code class="code">${checkout.qrcodeData}</code>
        ${until(order.expiresAt, "America/Sao_Paulo")}
      </section>`;
    case "app":
      return html`<section class="card">
        <h2>Pay with crypto</h2>
        <p>Open the app to pay, or continue here.</p>
        <a class="button main" href="${path}/app">Open the app</a>
      </section>`;
    case "card":
      return cardPayment(checkout.card, path);
    case "transfer":
      return html`<section class="card">
        <h2>Pay by SPEI</h2>
        <p>Transfer to this CLABE from any bank:</p>
        <code class="code">${checkout.clabe}</code>
        <dl>
          <dt>Beneficiary</dt>
          <dd>${checkout.beneficiary}</dd>
          <dt>Bank</dt>
          <dd>${checkout.bankCode}</dd>
        </dl>
        ${until(order.expiresAt, "America/Mexico_City")}
      </section>`;
    case "page":
      break;
  }
  const { slip, bank, reference } = checkout;
  if (slip !== null) {
    return html`<section class="card">
      <h2>Bank slip</h2>
      ${barcodeImage(slip.barcode)}
      <p class="soft">Payment line:</p>
      <code class="code">${slip.line}</code>
      <p class="soft">Barcode:</p>
      <code class="code">${slip.barcode}</code>
      <dl>
        <dt>Beneficiary</dt>
        <dd>${account.fullName}</dd>
        ${
          order.customer === null
            ? ""
            : html`<dt>Payer</dt>
                <dd>${order.customer.name}</dd>`
        }
      </dl>
      ${until(order.expiresAt, "America/Sao_Paulo")}
    </section>`;
  }
  if (bank !== null) {
    return html`<section class="card">
      <h2>Transfer to ${bank.name}</h2>
      <dl>
        <dt>Bank</dt>
        <dd>${bank.code} ${bank.name}</dd>
        <dt>ISPB</dt>
        <dd>${bank.ispb}</dd>
        <dt>Holder</dt>
        <dd>${account.fullName}</dd>
        <dt>${account.document.type}</dt>
        <dd>${account.document.number}</dd>
      </dl>
      ${until(order.expiresAt, "America/Sao_Paulo")}
    </section>`;
  }
  return html`<section class="card">
    <h2>${TITLES[order.paymentMethod] ?? "Pay"}</h2>
    ${
      reference === null
        ? ""
        : html`<p>Show this reference at the till:</p>
            <code class="code">${reference}</code>`
    }
    ${until(order.expiresAt, "America/Mexico_City")}
  </section>`;
}

const TITLES: Readonly<Record<string, string>> = {
  CASHSTORE: "Pay in cash at a store",
  CASHSTORE_WALLET: "Pay with the wallet",
  NETWORK_PAYMENT: "Pay at the network",
};

type CardPayment = Extract<NonNullable<OrderView["order"]["checkout"]>, { kind: "card" }>["card"];

function cardPayment(card: CardPayment, path: string): Markup {
  const awaits = card.threeDs.status === "CHALLENGE";
  return html`<section class="card">
    <h2>Card payment</h2>
    <dl>
      <dt>Card</dt>
      <dd>${card.brand ?? ""} ${card.lastDigits === null ? "stored" : `•••• ${card.lastDigits}`}</dd>
      <dt>Installments</dt>
      <dd>${card.installments}</dd>
    </dl>
    ${
      awaits
        ? html`<p>Your bank asks you to confirm that it is you.</p>
            <a class="button main" href="${path}/3ds">Go to the bank's challenge</a>`
        : html`<p class="soft">The issuer of the card has not answered yet.</p>`
    }
  </section>`;
}

function until(expiresAt: number | null, timeZone: string): Markup | "" {
  if (expiresAt === null) return "";
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "medium", timeStyle: "short" });
  return html`<p class="soft">Payable until ${time.format(expiresAt)}, local time.</p>`;
}

/** Which of the five bars of each digit are wide: interleaved 2 of 5, the symbology of bank slips. */
const WIDE = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"];
const WIDE_MODULES = 3;
const HEIGHT = 60;

/** A bank slip's barcode: each pair of digits has one digit in the bars and one in the spaces between them. */
function barcodeImage(digits: string): Markup {
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
    aria-label="Barcode ${digits}"
  >
    ${raw(`<path d="${path}" fill="#000" shape-rendering="crispEdges"/>`)}
  </svg>`;
}

function width(mark: string | undefined): number {
  return mark === "1" ? WIDE_MODULES : 1;
}
