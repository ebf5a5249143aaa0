import type { Records } from "../../engine/store.ts";
import type { BankAccountType, PayoutBankAccountInput, TaxDocument } from "../../api/generated/shapes.ts";
import type { BrCode } from "../../countries/brazil/br-code.ts";
import type { BankAccount, Document, Person } from "../payers/payer.ts";
import { recordOf } from "../../engine/transaction.ts";
import { type Account, accounts, bankOf } from "../accounts/account.ts";
import { chargeIdOf } from "../pix-locations.ts";
import { institutionByCompe, platformInstitution } from "../../countries/brazil/institutions.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type Order, orders } from "../orders/order.ts";
import { type PixKeySettlement, pixKeyOf } from "../pix-keys/pix-key.ts";
import { type PixKeyType, pixKeyType } from "../../countries/brazil/pix-keys.ts";

/** The initiation of a payout, inferred from its paymentData (interface: Create banking payout rule 1). */
type Initiation = "KEY" | "STATIC_QRCODE" | "DYNAMIC_QRCODE" | "MANUAL";

/** The destination of a payout's money, as far as it was known when the payout was created. */
export interface Destination {
  readonly initiation: Initiation;
  /** The key paid to, written in the request or in a static QR code. */
  readonly pix: { readonly type: PixKeyType; readonly key: string } | null;
  /** The owner of the key or the QR code. Null if the sandbox does not know the owner. */
  readonly owner: Person | null;
  /** The name a QR code gives its receiver. */
  readonly merchantName: string | null;
  readonly bank: BankAccount | null;
  /** The account of the sandbox that is credited. Null if the money leaves the sandbox. */
  readonly accountId: string | null;
  /** The order of the sandbox that a dynamic QR code belongs to. */
  readonly orderId: string | null;
  /** The outcome of payments to a key of the fixtures. */
  readonly settlement: PixKeySettlement | null;
  /** The missing part of the destination: the reason why it cannot settle without an act. */
  readonly missing: "key" | "charge" | "account" | null;
}

type StaticCode = Extract<BrCode, { kind: "static" }>;
type DynamicCode = Extract<BrCode, { kind: "dynamic" }>;

const NOWHERE: Omit<Destination, "initiation"> = {
  pix: null,
  owner: null,
  merchantName: null,
  bank: null,
  accountId: null,
  orderId: null,
  settlement: null,
  missing: null,
};

/** The destination behind a well-formed key, resolved in the directory. */
export function keyDestination(tx: Records, key: string): Destination {
  const type = assertDefined(pixKeyType(key), `the type of the PIX key ${key}`);
  const entry = pixKeyOf(tx, key);
  const pix = { type, key };
  if (entry === undefined) return { ...NOWHERE, initiation: "KEY", pix, missing: "key" };
  const { owner, bank, settlement, accountId } = entry;
  return { ...NOWHERE, initiation: "KEY", pix, owner, bank, settlement, accountId };
}

/** The destination of a static QR code: that of its key. */
export function staticDestination(tx: Records, { key, merchantName }: StaticCode): Destination {
  return { ...keyDestination(tx, key), initiation: "STATIC_QRCODE", merchantName };
}

/**
 * The destination of a dynamic QR code. A location of the sandbox leads to an order and so to its account; one
 * of another institution gives no more than the name in the code (assumption: payout.dynamic-qrcode).
 */
export function dynamicDestination(tx: Records, { location, merchantName }: DynamicCode): Destination {
  const destination = { ...NOWHERE, initiation: "DYNAMIC_QRCODE", merchantName } as const;
  if (chargeIdOf(location) === undefined) return destination;
  const order = orderBehind(tx, location);
  if (order === undefined) return { ...destination, missing: "charge" };
  const account = recordOf(tx, accounts, order.accountId);
  return {
    ...destination,
    owner: { name: account.fullName, document: account.document },
    bank: bankOf(account),
    accountId: account.id,
    orderId: order.id,
  };
}

/** The order whose dynamic QR code points to the location. */
export function orderBehind(tx: Records, location: string): Order | undefined {
  const chargeId = chargeIdOf(location);
  return chargeId === undefined ? undefined : tx.find(orders, "pixLocation", chargeId)[0];
}

/** The destination of an account written out by hand, whose bank was checked; one of the sandbox is found here. */
export function manualDestination(tx: Records, input: PayoutBankAccountInput): Destination {
  const { branchNumber, accountNumber } = input;
  const accountType: BankAccountType = input.accountType;
  const bank = { ispb: ispbOf(input), branchNumber, accountNumber, accountType };
  const destination = { ...NOWHERE, initiation: "MANUAL", bank } as const;
  if (bank.ispb !== platformInstitution.ispb) return destination;
  const account = accountAt(tx, bank);
  if (account === undefined) return { ...destination, missing: "account" };
  const owner = { name: account.fullName, document: account.document };
  return { ...destination, owner, accountId: account.id };
}

/** The clearing number as three digits: people write 1, 01, 001 and 0001. */
export function compeOf(bankNumber: string): string {
  return String(Number(bankNumber)).padStart(3, "0");
}

function ispbOf({ ispb, bankNumber }: PayoutBankAccountInput): string {
  if (ispb !== undefined) return ispb;
  const compe = compeOf(assertDefined(bankNumber, "the number of a bank that was checked"));
  return assertDefined(institutionByCompe(compe), `the bank ${compe}`).ispb;
}

function accountAt(tx: Records, wanted: BankAccount): Account | undefined {
  const written = plainNumbers(wanted);
  for (const account of tx.all(accounts)) if (plainNumbers(bankOf(account)) === written) return account;
  return undefined;
}

/** Branch and account without leading zeros and punctuation, for comparing what people type. */
function plainNumbers({ ispb, branchNumber, accountNumber }: BankAccount): string {
  return [ispb, branchNumber, accountNumber]
    .map((number, index) => (index === 0 ? number : number.replace(/\W/g, "").replace(/^0+/, "")))
    .join("/");
}

/** Returns the document if it is a CPF or CNPJ, otherwise null. PIX and the payout events have no other documents. */
export function taxDocument(document: Document | null): TaxDocument | null {
  const type = document?.type;
  return document && (type === "CPF" || type === "CNPJ") ? { type, number: document.number } : null;
}
