import type { Account } from "../accounts/account.ts";
import type { Call } from "../call.ts";
import type { Country } from "./methods.ts";
import type { CreateTransparentOrderV3Request } from "../../api/generated/shapes.ts";
import type { Problems } from "../problems.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { compositeKey } from "../../engine/collection.ts";
import { countryOf } from "./methods.ts";
import { depositBanks } from "../deposit-banks/deposit-bank.ts";
import { feesOf } from "./fees.ts";
import { finalAmountOf, orders } from "./order.ts";
import { validateCard } from "./card-rules.ts";
import { validateOrderDocument } from "./person.ts";
import { validateValue } from "../field-rules.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { parseMoney } from "../../engine/money.ts";
import { pixKeyOf } from "../pix-keys/pix-key.ts";

type OrderCall = Call<CreateTransparentOrderV3Request>;

/** A barcode has ten digits for the amount in centavos. */
const BOLETO_MINOR_MAX = 9_999_999_999;

/** What the schema cannot say about a new order (interface: Create transparent order, rules 1 to 6). */
export function validateOrder(
  tx: Transaction,
  { body, companyId }: OrderCall,
  { account, problems }: { account: Account | undefined; problems: Problems },
): void {
  const { order, customer } = body ?? {};
  problems.check(
    "order.externalId",
    order?.externalId,
    (externalId) =>
      isTaken(tx, companyId, externalId)
        ? `The external id "${externalId}" names another order already. Use a new one.`
        : undefined,
    "ALREADY_EXISTS",
  );
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

/** The slug an order names, in either of its places (assumption: order.bank-slug). */
export function bankSlugOf({ order, paymentDetails }: CreateTransparentOrderV3Request): string | undefined {
  return order.bankSlug ?? paymentDetails?.bankSlug;
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
      : `A bank slip carries at most 99999999.99, fees included; found ${value}.`;
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

/** Rule 3: only a dynamic PIX QR code has an expiry of its own. */
function validateExpiry(order: CreateTransparentOrderV3Request["order"], problems: Problems): void {
  problems.check(
    "order.expiresIn",
    order?.expiresIn,
    () => `Only PIX takes expiresIn; found the payment method ${order.paymentMethod}. Leave it out.`,
    "NOT_ALLOWED",
  );
}

/** Assumption: order.installments. */
function validateInstallments(order: CreateTransparentOrderV3Request["order"], problems: Problems): void {
  problems.check(
    "order.installments",
    order?.installments,
    (installments) =>
      installments > 1
        ? `Only CREDIT_CARD is paid in installments; found ${installments} for ${order.paymentMethod}. Leave it out.`
        : undefined,
    "NOT_ALLOWED",
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

function isTaken(tx: Transaction, companyId: string, externalId: string): boolean {
  if (!assumption(tx, "order.external-id-unique")) return false;
  return tx.find(orders, "externalId", compositeKey(companyId, externalId)).length > 0;
}
