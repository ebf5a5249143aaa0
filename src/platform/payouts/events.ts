import type { DestinationBank } from "./destination.ts";
import type { Document } from "../payers/payer.ts";
import type { EventBank, EventOwnerBank, EventReceiver, PayoutEvent } from "../../api/generated/shapes.ts";
import type { Payout } from "./payout.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { amountShape, omitNulls, timestampOrNull } from "../shape.ts";
import { announce } from "../webhook-events/announcement.ts";
import { bankOf } from "./destination.ts";
import { firstTransaction } from "./payout.ts";
import { formatInstant } from "../../engine/instant.ts";
import { institutionByIspb } from "../../countries/brazil/institutions.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { taxDocument } from "./tax-document.ts";
import { randomKeyOf } from "../pix-keys/pix-key.ts";

/** Stands for a document that nobody here can tell (assumption: payout.unknown-receiver). */
const NOBODY: EventReceiver = { name: "UNKNOWN", document: { type: "CPF", number: "00000000000" } };

const MESSAGES = {
  PAID: "The payout was paid.",
  CANCELED: "The payout was canceled, and its money is back on the account.",
  ERROR: "The payout failed, and its money is back on the account.",
} as const;

/** Tells the company what became of a payout (interface: Payout event; assumption: payout.batch-events). */
export function announcePayout(tx: Transaction, payout: Payout): void {
  const status = finalStatus(payout);
  const event = `ORDER-PAYOUT.${status}` as const;
  const isTed = payout.paymentMethod === "TED";
  const body: PayoutEvent = {
    id: payout.id,
    code: payout.externalId,
    event,
    status,
    paidAt: timestampOrNull(payout.paidAt),
    updatedAt: formatInstant(payout.updatedAt),
    endToEndId: isTed ? null : payout.endToEndId,
    controlNumber: firstTransaction(tx, payout.id).controlNumber,
    type: "PAY-OUT",
    message: payout.errorMessage ?? MESSAGES[status],
    description: payout.description,
    amount: amountShape(payout.amount),
    ownerBank: ownerBank(tx, payout),
    receiver: receiver(payout),
  };
  announce(tx, { companyId: payout.companyId, event, objectId: payout.id, body });
}

function finalStatus({ id, status }: Payout): PayoutEvent["status"] {
  return assertDefined(status === "PENDING" ? undefined : status, `the final status of the payout ${id}`);
}

/** The account that paid, with its random key where it has one. */
function ownerBank(tx: Transaction, { accountId }: Payout): EventOwnerBank {
  const account = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  const key = randomKeyOf(tx, accountId);
  return {
    name: account.fullName,
    ...omitNulls({ document: taxDocument(account.document) }),
    bank: eventBank(bankOf(account)),
    ...(key && { pix: { type: key.type, key: key.id } }),
  };
}

/** Who the request named, else who the key or the QR code belongs to. */
function receiver({ receiver: named, destination }: Payout): EventReceiver {
  const { owner, pix, merchantName, bank } = destination;
  const document = named?.document ?? taxDocument(owner?.document ?? documentOfKey(pix));
  return {
    name: named?.name ?? owner?.name ?? merchantName ?? NOBODY.name,
    document: document ?? NOBODY.document,
    ...omitNulls({ bank: bank && eventBank(bank), pix }),
  };
}

function eventBank({ ispb, branchNumber, accountNumber, accountType }: DestinationBank): EventBank {
  const institution = institutionByIspb(ispb);
  return {
    ispb,
    ...omitNulls({ name: institution?.name ?? null }),
    branch: branchNumber,
    account: accountNumber,
    accountType,
    ...omitNulls({ code: institution?.compe ?? null }),
  };
}

/** A key that is a document says whose it is, whether the directory has it or not. */
function documentOfKey(pix: Payout["destination"]["pix"]): Document | null {
  return pix?.type === "CPF" || pix?.type === "CNPJ" ? { type: pix.type, number: pix.key } : null;
}
