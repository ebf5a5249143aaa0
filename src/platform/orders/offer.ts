import type { Account } from "../accounts/account.ts";
import type { CardState, Checkout, Slip } from "./checkout.ts";
import type { CreateTransparentOrderV3Request } from "../../api/generated/shapes.ts";
import type { Money } from "../../engine/money.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { ALPHANUMERIC, DIGITS } from "../../engine/random.ts";
import { bankCodeOf, clabe } from "../../countries/mexico/clabe.ts";
import { bankSlugOf } from "./rules.ts";
import { boletoBarcode, boletoLine } from "../../countries/brazil/boleto.ts";
import { chargeLocation } from "../pix-location.ts";
import { defaultDepositBank, depositBanks } from "../deposit-banks/deposit-bank.ts";
import { dynamicBrCode } from "../../countries/brazil/br-code.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { merchantOf } from "../pix-merchant.ts";
import { pixKeyOf, randomKeyOf } from "../pix-keys/pix-key.ts";
import { testCardOf } from "./test-card.ts";

/** What an offer is made from; the request was checked. */
export interface OfferOf {
  readonly body: CreateTransparentOrderV3Request;
  readonly account: Account;
  readonly finalAmount: Money | null;
  readonly expiresAt: number;
  /** The id in the location of a PIX QR code. */
  readonly pixLocation: string | null;
}

/** The bank and the city of the CLABEs that SPEI orders are given. */
const CLABE_BANK = "646";
const CLABE_CITY = "180";

/** What the customer is given to pay with, by payment method. */
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

/** A CLABE of its own for each order: the transfer says by it which order it pays. */
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

function slipOf(tx: Transaction, { finalAmount, expiresAt }: OfferOf): Slip {
  const barcode = boletoBarcode({
    bankCode: defaultDepositBank(tx).code,
    dueDate: localDate(expiresAt),
    amountMinor: assertDefined(finalAmount, "the amount of a bank slip").minor,
    freeField: tx.chance("boletos").text(DIGITS, 25),
  });
  return { barcode, line: boletoLine(barcode) };
}

function bankOf(tx: Transaction, body: CreateTransparentOrderV3Request) {
  const slug = bankSlugOf(body);
  const { name, ispb, code, ...bank } =
    slug === undefined
      ? defaultDepositBank(tx)
      : assertDefined(tx.get(depositBanks, slug), `the bank ${slug}`);
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
    threeDs: { status, accessToken },
  };
}

/** Rule 6: the skip flag says whether there is a challenge; where it is not sent, the card does. */
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
