import type { Account } from "../accounts/account.ts";
import type { Call } from "../call.ts";
import type { CreateTransparentOrderV3Request } from "../../api/generated/shapes.ts";
import type { Document } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { cardCheckSum } from "./card-number.ts";
import { type Country, countryOf, feesOf } from "./checkout.ts";
import { depositBanks } from "../deposit-banks/deposit-banks.ts";
import { finalAmountOf, orders } from "./order.ts";
import { hasCurpForm, hasRfcForm } from "../../countries/mexico/documents.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { parseMoney } from "../../engine/money.ts";
import { pixKeyOf } from "../pix-keys/pix-key.ts";
import { type Problems, validateBrazilianDocument, validateExternalId, validateValue } from "../problems.ts";

type OrderCall = Call<CreateTransparentOrderV3Request>;

/** A barcode has ten digits for the amount in centavos. */
const BOLETO_MINOR_MAX = 9_999_999_999;

/**
 * Checks the rules of a new order that the schema cannot state (interface: Create transparent order, rules 1 to 6).
 */
export function validateOrder(
  tx: Transaction,
  { body, companyId }: OrderCall,
  { account, problems }: { account: Account | undefined; problems: Problems },
): void {
  const { order, customer } = body ?? {};
  const { externalId } = order ?? {};
  validateExternalId(tx, problems, "order", { externalId, companyId, of: orders });
  problems.check("customer.birthDate", customer?.birthDate, (birthDate) =>
    birthDate > localDate(tx.now)
      ? `The date of birth must not be in the future; found ${birthDate}.`
      : undefined,
  );
  const country = problems.isSound("order.paymentMethod") ? countryOf(order?.paymentMethod) : undefined;
  if (country === undefined) return;
  const document = customer?.document;
  validateOrderDocument(tx, problems, { field: "customer.document", document, country });
  validateAmount(tx, body, problems, country);
  if (order?.paymentMethod === "PIX") validatePixKey(tx, order.pixKey, { account, problems });
  else validateExpiry(order, problems);
  if (order?.paymentMethod === "DEPOSIT") validateBank(tx, body, problems);
  if (order?.paymentMethod === "CREDIT_CARD") validateCard(problems, body, tx.now);
  else validateInstallments(order, problems);
}

function validateAmount(
  tx: Transaction,
  body: CreateTransparentOrderV3Request | undefined,
  problems: Problems,
  { name, currency }: Country,
): void {
  const { amount, paymentMethod } = body?.order ?? {};
  problems.check("order.amount.currency", amount?.currency, (found) =>
    found === currency
      ? undefined
      : `${paymentMethod} is paid in ${name}: the currency must be ${currency}; found "${found.slice(0, 60)}".`,
  );
  validateValue(problems, "order.amount.value", currency, amount?.value);
  if (paymentMethod !== "BOLETO") return;
  problems.check("order.amount.value", amount?.value, (value) => {
    const asked = parseMoney(currency, value) ?? null;
    const final = finalAmountOf({ amount: asked, fees: feesOf(tx, currency, asked) });
    return final === null || final.minor <= BOLETO_MINOR_MAX
      ? undefined
      : `A boleto carries at most 99999999.99, fees included; found ${value}.`;
  });
}

/** Rule 4: the key must belong to the account that receives. */
function validatePixKey(
  tx: Transaction,
  pixKey: string | undefined,
  { account, problems }: { account: Account | undefined; problems: Problems },
): void {
  problems.check("order.pixKey", pixKey, (key) =>
    account !== undefined && pixKeyOf(tx, key)?.accountId !== account.id
      ? `The key "${key}" does not belong to the payment account ${account.id}. Use a key of that account, or leave it out.`
      : undefined,
  );
}

/** Checks rule 3: only a dynamic PIX QR code has its own expiry. */
function validateExpiry(order: CreateTransparentOrderV3Request["order"], problems: Problems): void {
  const why = `Only PIX takes expiresIn; found the payment method ${order?.paymentMethod}. Leave it out.`;
  problems.checkFor("NOT_ALLOWED", "order.expiresIn", order?.expiresIn, () => why);
}

/** Assumption: order.installments. */
function validateInstallments(order: CreateTransparentOrderV3Request["order"], problems: Problems): void {
  problems.checkFor("NOT_ALLOWED", "order.installments", order?.installments, (installments) =>
    installments > 1
      ? `Only CREDIT_CARD is paid in installments; found ${installments} for ${order.paymentMethod}. Leave it out.`
      : undefined,
  );
}

/** Rule 5, and the two places of the slug (assumption: order.bank-slug). */
function validateBank(
  tx: Transaction,
  { order, paymentDetails }: CreateTransparentOrderV3Request,
  problems: Problems,
): void {
  const slugs = Array.from(tx.all(depositBanks), ({ slug }) => slug);
  for (const [field, slug] of [
    ["order.bankSlug", order.bankSlug],
    ["paymentDetails.bankSlug", paymentDetails?.bankSlug],
  ] as const) {
    problems.check(field, slug, (found) =>
      slugs.includes(found)
        ? undefined
        : `There is no deposit bank "${found}". ${suggestion(found, slugs)} GET /v1/orders/deposit/banks lists them.`,
    );
  }
  problems.check("paymentDetails.bankSlug", paymentDetails?.bankSlug, (slug) =>
    problems.isSound("order.bankSlug") && order.bankSlug !== undefined && order.bankSlug !== slug
      ? `order.bankSlug and paymentDetails.bankSlug differ: "${order.bankSlug}" and "${slug}". Send one of them, or the same in both.`
      : undefined,
  );
}

/** Validates a document by the country of the payment method (interface: Create transparent order, customer). */
export function validateOrderDocument(
  tx: Transaction,
  problems: Problems,
  { field, document, country }: { field: string; document: Document | null | undefined; country: Country },
): void {
  problems.check(`${field}.type`, document?.type, (type) =>
    country.documentTypes.includes(type)
      ? undefined
      : `A payment method of ${country.name} takes ${country.documentTypes.join(", ")}; found "${type.slice(0, 60)}".`,
  );
  validateBrazilianDocument(tx, problems, field, document);
  if (!problems.isSound(`${field}.type`)) return;
  problems.check(`${field}.number`, document?.number, (number) => {
    const upper = number.toUpperCase();
    const isRight =
      document?.type === "CURP" ? hasCurpForm(upper) : document?.type === "RFC" ? hasRfcForm(upper) : true;
    return isRight
      ? undefined
      : `The number does not have the form of a ${document?.type}, such as ${EXAMPLES[document?.type ?? ""]}; found "${number.slice(0, 60)}".`;
  });
}

const EXAMPLES: Readonly<Record<string, string>> = { CURP: "SABC560626MDFLRN01", RFC: "GODE561231GR8" };

const CARD = "paymentDetails.card";

/** Validates the card of a CREDIT_CARD order. No message repeats data of the card. */
function validateCard(
  problems: Problems,
  body: CreateTransparentOrderV3Request | undefined,
  now: number,
): void {
  const details = body?.paymentDetails;
  const card = details?.card;
  problems.check(`${CARD}.number`, card?.number, (number) =>
    cardCheckSum(number) === 0 ? undefined : "The card number does not check: its last digit is wrong.",
  );
  problems.check(`${CARD}.expiration`, card?.expiration, (expiration) =>
    monthOf(expiration) < localDate(now).slice(0, 7)
      ? "The card has expired. A card is good until the last day of its month."
      : undefined,
  );
  problems.check(`${CARD}.installments`, card?.installments, (installments) => {
    const other = body?.order?.installments;
    return other === undefined || other === installments
      ? undefined
      : `paymentDetails.card.installments and order.installments differ: ${installments} and ${other}. Send one of them, or the same in both.`;
  });
  if (card !== undefined && details?.cardToken !== undefined) {
    const exclusive =
      "card and cardToken exclude each other: a stored card is used instead of raw card data.";
    for (const field of [CARD, "paymentDetails.cardToken"])
      problems.add(field, "MUTUALLY_EXCLUSIVE", exclusive);
  }
}

/** `2030-12` of `12/30`. */
function monthOf(expiration: string): string {
  return `20${expiration.slice(3)}-${expiration.slice(0, 2)}`;
}
