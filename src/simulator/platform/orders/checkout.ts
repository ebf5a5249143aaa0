import type { Records } from "../../engine/store.ts";
import type { Account } from "../accounts/account.ts";
import type { CreateTransparentOrderV3Request, PaymentMethod } from "../../api/generated/shapes.ts";

import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { ALPHANUMERIC, DIGITS } from "../../engine/random.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { bankCodeOf, clabe } from "../../countries/mexico/clabe.ts";
import { boletoBarcode, boletoLine } from "../../countries/brazil/boleto.ts";
import { chargeLocation, merchantOf } from "../pix-locations.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { type DepositBank, defaultDepositBank, depositBanks } from "../deposit-banks/deposit-banks.ts";
import { dynamicBrCode } from "../../countries/brazil/br-code.ts";
import { type CalendarDate, localDate } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { type Money, money } from "../../engine/money.ts";
import { pixKeyOf, randomKeyOf } from "../pix-keys/pix-key.ts";

/** The fees of a payment in addition to its amount. The payer bears them (assumption: order.fees). */
export interface OrderFees {
  readonly fixed: Money;
  readonly variable: Money;
  readonly additional: Money;
}

export type PaymentOutcome = "PAID" | "DECLINED" | "EXPIRED";

/** A country the platform takes orders in: its currency and the documents of its customers. */
export interface Country {
  readonly name: string;
  readonly currency: string;
  readonly documentTypes: readonly string[];
}

const brazil: Country = { name: "Brazil", currency: "BRL", documentTypes: ["CPF", "CNPJ", "OTHERS"] };
const mexico: Country = { name: "Mexico", currency: "MXN", documentTypes: ["CURP", "RFC"] };

/** The country of each payment method (interface: Create transparent order, payment methods). */
const COUNTRIES: Readonly<Record<PaymentMethod, Country>> = {
  PIX: brazil,
  EXCHANGE_PAY: brazil,
  DEPOSIT: brazil,
  BOLETO: brazil,
  CREDIT_CARD: mexico,
  SPEI: mexico,
  CASHSTORE: mexico,
  CASHSTORE_WALLET: mexico,
  NETWORK_PAYMENT: mexico,
};

/** Returns the country of a payment method. Undefined for an unknown method. */
export function countryOf(method: string | undefined): Country | undefined {
  return method !== undefined && Object.hasOwn(COUNTRIES, method)
    ? COUNTRIES[method as PaymentMethod]
    : undefined;
}

const BASIS_POINTS = 10_000;

/**
 * Returns the fees of an order in addition to its amount. They are zero while the amount is open (assumption:
 * order.fees).
 */
export function feesOf(tx: Transaction, currency: string, amount: Money | null): OrderFees {
  if (amount === null)
    return { fixed: money(currency, 0), variable: money(currency, 0), additional: money(currency, 0) };
  return {
    fixed: money(currency, assumption(tx, "order.fee-fixed")),
    variable: money(
      currency,
      Math.round((amount.minor * assumption(tx, "order.fee-variable")) / BASIS_POINTS),
    ),
    additional: money(currency, assumption(tx, "order.fee-additional")),
  };
}

/** The state of the 3-D Secure challenge of a card order. */
export interface ThreeDsState {
  /**
   * SKIPPED: the request skips it. FRICTIONLESS: the card does not need it. AUTHENTICATED: passed, here or before the
   * order. CHALLENGE: still to be passed. FAILED: not passed.
   */
  readonly status: "SKIPPED" | "FRICTIONLESS" | "AUTHENTICATED" | "CHALLENGE" | "FAILED";
  /** Opens the challenge. Null without a challenge. */
  readonly accessToken: string | null;
}

/** The remaining data of a card after its order was made. It cannot pay again. */
export interface CardState {
  readonly lastDigits: string | null;
  readonly brand: string | null;
  readonly installments: number;
  /** The outcome that a test card decides. Null for any other card. */
  readonly outcome: PaymentOutcome | null;
  /** The reason why a test card is declined after a passed challenge. The next field is for a payment without one. */
  readonly declineReason: string | null;
  readonly declineReasonUnchallenged: string | null;
  readonly threeDs: ThreeDsState;
}

/**
 * The means of payment that an order gives its customer, by payment method (interface: Transparent order, response
 * groups).
 */
export type Checkout =
  | { readonly kind: "pix"; readonly qrcodeData: string; readonly pixKey: string }
  | { readonly kind: "app" }
  | { readonly kind: "card"; readonly card: CardState }
  | {
      readonly kind: "transfer";
      readonly clabe: string;
      readonly beneficiary: string;
      readonly bankCode: string;
    }
  | {
      readonly kind: "page";
      readonly token: string;
      readonly slip: Slip | null;
      readonly bank: Bank | null;
      /** The reference that the customer gives at the store's till. */
      readonly reference: string | null;
    };

/** A boleto: the barcode and the line people type instead of scanning it. */
interface Slip {
  readonly barcode: string;
  readonly line: string;
}

/** The bank that a DEPOSIT goes to. */
type Bank = Omit<DepositBank, "id" | "default">;

/** A card of the fixtures whose number decides the outcome. The id is the number. */
export interface TestCard extends StoredRecord {
  /** The name of the card in `cardToken`, as if it had been stored before. */
  readonly token: string;
  readonly outcome: PaymentOutcome;
  /** The message for the customer if the card is declined. */
  readonly declineReason?: string;
  /** The message if no challenge was passed. Default: `declineReason`. */
  readonly declineReasonUnchallenged?: string;
  /** True if the card requires a 3-D Secure challenge by default. The request may decide otherwise. */
  readonly isChallenged: boolean;
}

export const testCards = collection<TestCard, "token">("test-cards", { token: (card) => card.token });

/** The test card of that number or token; undefined for any other, whose payment needs a manual action. */
export function testCardOf(
  tx: Records,
  { number, token }: { readonly number?: string | undefined; readonly token?: string | undefined },
): TestCard | undefined {
  if (number !== undefined) return tx.get(testCards, number);
  return token === undefined ? undefined : tx.find(testCards, "token", token)[0];
}

/** The slug an order names, in either of its places (assumption: order.bank-slug). */
export function bankSlugOf({ order, paymentDetails }: CreateTransparentOrderV3Request): string | undefined {
  return order.bankSlug ?? paymentDetails?.bankSlug;
}

/** The sources of an offer. The request was checked before. */
interface OfferOf {
  readonly body: CreateTransparentOrderV3Request;
  readonly account: Account;
  readonly finalAmount: Money | null;
  /** The id in the location of a PIX QR code. */
  readonly pixLocation: string | null;
}

/** The bank and the city of the CLABEs that SPEI orders are given. */
const CLABE_BANK = "646";
const CLABE_CITY = "180";

/** Returns the means of payment for the customer, by payment method. */
export function offer(tx: Transaction, of: OfferOf): Checkout {
  const { paymentMethod } = of.body.order;
  switch (paymentMethod) {
    case "PIX":
      return offerPix(tx, of);
    case "EXCHANGE_PAY":
      return { kind: "app" };
    case "CREDIT_CARD":
      return { kind: "card", card: offerCard(tx, of.body) };
    case "SPEI":
      return offerTransfer(tx, of.account);
    case "BOLETO":
      return offerPage(tx, { slip: slipOf(tx, of) });
    case "DEPOSIT":
      return offerPage(tx, { bank: bankOf(tx, of.body) });
    case "CASHSTORE":
      return offerPage(tx, { reference: tx.chance("store-references").text(DIGITS, 14) });
    case "CASHSTORE_WALLET":
    case "NETWORK_PAYMENT":
      return offerPage(tx, {});
  }
}

function offerPix(tx: Transaction, { body, account, finalAmount, pixLocation }: OfferOf): Checkout {
  const given = body.order.pixKey;
  const key = given === undefined ? randomKeyOf(tx, account.id) : pixKeyOf(tx, given);
  const qrcodeData = dynamicBrCode({
    location: chargeLocation(assertDefined(pixLocation, "the location of a PIX order")),
    ...(finalAmount && { amountMinor: finalAmount.minor }),
    ...merchantOf(account),
  });
  return { kind: "pix", qrcodeData, pixKey: assertDefined(key, `a PIX key of the account ${account.id}`).id };
}

/** Draws a separate CLABE for each order: a transfer names the paid order by it. */
function offerTransfer(tx: Transaction, account: Account): Checkout {
  const number = String(tx.count("clabes")).padStart(8, "0");
  const unique = clabe({ bank: CLABE_BANK, city: CLABE_CITY, account: `100${number}` });
  const bankCode = assertDefined(bankCodeOf(unique), `the bank code of ${CLABE_BANK}`);
  return { kind: "transfer", clabe: unique, beneficiary: account.fullName, bankCode };
}

type PageOffer = Partial<Pick<Extract<Checkout, { kind: "page" }>, "slip" | "bank" | "reference">>;

function offerPage(tx: Transaction, given: PageOffer): Checkout {
  const token = tx.chance("order-tokens").text(ALPHANUMERIC, 32);
  return { kind: "page", token, slip: null, bank: null, reference: null, ...given };
}

/** The due date of a boleto that is created now (assumption: order.boleto-expiry). */
export function boletoDueDate(tx: Transaction): CalendarDate {
  return localDate(later(tx.now, assumption(tx, "order.boleto-expiry")));
}

function slipOf(tx: Transaction, { finalAmount }: OfferOf): Slip {
  const barcode = boletoBarcode({
    bankCode: defaultDepositBank(tx).code,
    dueDate: boletoDueDate(tx),
    amountMinor: assertDefined(finalAmount, "the amount of a boleto").minor,
    freeField: tx.chance("boletos").text(DIGITS, 25),
  });
  return { barcode, line: boletoLine(barcode) };
}

function bankOf(tx: Transaction, body: CreateTransparentOrderV3Request) {
  const slug = bankSlugOf(body);
  const { name, ispb, code, ...bank } =
    slug === undefined ? defaultDepositBank(tx) : recordOf(tx, depositBanks, slug);
  return { slug: bank.slug, name, ispb, code };
}

function offerCard(tx: Transaction, { order, paymentDetails }: CreateTransparentOrderV3Request): CardState {
  const { card, cardToken, threeDsToken } = paymentDetails ?? {};
  const testCard = testCardOf(tx, { number: card?.number, token: cardToken });
  const status = threeDsStatus({
    isAuthenticated: threeDsToken !== undefined,
    skip: card?.skipThreeDs,
    isChallenged: testCard?.isChallenged === true,
  });
  const accessToken = status === "CHALLENGE" ? tx.chance("three-ds-tokens").text(ALPHANUMERIC, 40) : null;
  return {
    lastDigits: card?.number.slice(-4) ?? null,
    brand: card?.brand ?? null,
    installments: card?.installments ?? order.installments ?? 1,
    outcome: testCard?.outcome ?? null,
    declineReason: testCard?.declineReason ?? null,
    declineReasonUnchallenged: testCard?.declineReasonUnchallenged ?? testCard?.declineReason ?? null,
    threeDs: { status, accessToken },
  };
}

/** Applies rule 6: the skip flag decides if there is a challenge. Without the flag, the card decides. */
function threeDsStatus({
  isAuthenticated,
  skip,
  isChallenged,
}: {
  readonly isAuthenticated: boolean;
  readonly skip: boolean | undefined;
  readonly isChallenged: boolean;
}): CardState["threeDs"]["status"] {
  if (isAuthenticated) return "AUTHENTICATED";
  if (skip === true) return "SKIPPED";
  return skip === false || isChallenged ? "CHALLENGE" : "FRICTIONLESS";
}
