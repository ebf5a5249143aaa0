import type { Call } from "../call.ts";
import type { CreatePayoutRequest, PayoutBankAccountInput } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { amountAsked, payableAs } from "../orders/order.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type Destination,
  compeOf,
  dynamicDestination,
  keyDestination,
  manualDestination,
  orderBehind,
  staticDestination,
} from "./destination.ts";
import { decodeBrCode } from "../../countries/brazil/br-code.ts";
import { type Money, formatMoney, money, parseMoney } from "../../engine/money.ts";
import { institutionByCompe } from "../../countries/brazil/institutions.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { meantPixKey, pixKeyType } from "../../countries/brazil/pix-keys.ts";
import { payouts } from "./payout.ts";
import { type Problems, validateBrazilianDocument, validateExternalId, validateReais } from "../problems.ts";

/**
 * Checks the rules of a new payout that the schema cannot state (interface: Create banking payout, rules 1 to 5).
 * Returns the destination of the money. Undefined if it is unknown and a problem says so.
 */
export function validatePayout(
  tx: Transaction,
  { body, companyId }: Call<CreatePayoutRequest>,
  problems: Problems,
): Destination | undefined {
  validateReais(problems, "amount", body?.amount);
  validateBrazilianDocument(tx, problems, "receiver.document", body?.receiver?.document);
  const { externalId } = body ?? {};
  validateExternalId(tx, problems, "payout", { externalId, companyId, of: payouts });
  validatePaymentData(body, problems);
  if (!problems.isSound("paymentData")) return undefined;
  const destination = destinationOf(tx, body);
  validateCodeAmount(tx, body, problems);
  validateOwner(tx, body, destination, problems);
  return destination;
}

function validatePaymentData(body: CreatePayoutRequest, problems: Problems): void {
  const data = body?.paymentData;
  problems.check("paymentData.pixKey", data?.pixKey, keyProblem);
  validateBank(data?.bankAccount, problems);
  problems.check("paymentData.qrcodeData", data?.qrcodeData, (text) => {
    const code = decodeBrCode(text);
    if (code.kind === "unreadable") return `The QR code cannot be paid: ${code.reason}.`;
    return code.kind === "recurrence"
      ? "The QR code carries no payment: it only authorizes a recurrence. Send the code of a charge."
      : undefined;
  });
}

function keyProblem(key: string): string | undefined {
  if (pixKeyType(key) !== undefined) return undefined;
  const meant = meantPixKey(key);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `The key is no PIX key: a CPF or CNPJ without punctuation, with right check digits, an e-mail in lower case, a phone as + and country code, or a random key in lower case; found "${key.slice(0, 80)}".${hint}`;
}

/** Checks that the number of the bank resolves to an ISPB (assumption: payout.bank-identifier). */
function validateBank(account: PayoutBankAccountInput | undefined, problems: Problems): void {
  const field = "paymentData.bankAccount";
  problems.check(`${field}.bankNumber`, account?.bankNumber, (number) =>
    institutionByCompe(compeOf(number)) === undefined
      ? `No bank has the COMPE number "${number}". Send the one of the receiver's bank, such as "341".`
      : undefined,
  );
}

/** A code that carries an amount is paid with that amount (assumption: payout.qrcode-amount). */
function validateCodeAmount(
  tx: Transaction,
  { amount, paymentData }: CreatePayoutRequest,
  problems: Problems,
): void {
  const expected = paymentData.qrcodeData === undefined ? null : amountAskedFor(tx, paymentData.qrcodeData);
  problems.checkFor("MISMATCH", "amount.value", amount?.value, (value) =>
    expected === null || parseMoney("BRL", value)?.minor === expected.minor
      ? undefined
      : `The QR code asks for ${formatMoney(expected)}; found ${value}. Pay what it asks for.`,
  );
}

/**
 * Returns the amount that the order behind a code asks for. Without an order, returns the amount in the code. Null if
 * the payer chooses the amount. Also null if the order no longer takes payments: such a code fails when the payment
 * arrives.
 */
function amountAskedFor(tx: Transaction, text: string): Money | null {
  const code = decodeBrCode(text);
  if (code.kind !== "static" && code.kind !== "dynamic") return null;
  const order = code.kind === "dynamic" ? orderBehind(tx, code.location) : undefined;
  if (order !== undefined) return payableAs(tx, order) === null ? null : amountAsked(order);
  return code.amountMinor === undefined ? null : money("BRL", code.amountMinor);
}

function destinationOf(tx: Transaction, { paymentData }: CreatePayoutRequest): Destination {
  const { pixKey, qrcodeData, bankAccount } = paymentData;
  if (pixKey !== undefined) return keyDestination(tx, pixKey);
  if (qrcodeData === undefined) return manualDestination(tx, assertDefined(bankAccount, "a bank account"));
  const code = decodeBrCode(qrcodeData);
  if (code.kind === "static") return staticDestination(tx, code);
  return dynamicDestination(
    tx,
    assertDefined(code.kind === "dynamic" ? code : undefined, "a QR code to be paid"),
  );
}

/** Refuses at once a payout that would otherwise end in ERROR, if the assumptions say so. */
function validateOwner(
  tx: Transaction,
  { receiver, paymentData }: CreatePayoutRequest,
  destination: Destination,
  problems: Problems,
): void {
  if (destination.missing === "key" && assumption(tx, "payout.unknown-key") === "reject") {
    const field = paymentData.pixKey === undefined ? "paymentData.qrcodeData" : "paymentData.pixKey";
    problems.add(field, "UNKNOWN", `The PIX key ${destination.pix?.key} is not registered.`);
  }
  if (assumption(tx, "payout.receiver-mismatch") !== "reject" || destination.initiation === "MANUAL") return;
  problems.checkFor("MISMATCH", "receiver.document.number", receiver?.document?.number, (number) =>
    destination.owner === null || number.toUpperCase() === destination.owner.document.number
      ? undefined
      : "The receiver's document is not that of the owner of the key or the QR code.",
  );
}
