import type { BankAccount, Document } from "../payers/payer.ts";
import type { EventBank, EventOwnerBank, EventReceiver, PayoutEvent } from "../../api/generated/shapes.ts";
import type { EventOf } from "../state-machine.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { accounts, bankOf } from "../accounts/account.ts";
import { amountShape, omitNulls, timestampOrNull } from "../shape.ts";
import { announce } from "../webhook-events/announcement.ts";
import { taxDocument } from "./destination.ts";
import { type Payout, firstTransaction, type payoutLifecycle, payouts } from "./payout.ts";
import { formatInstant } from "../../engine/instant.ts";
import { institutionByIspb } from "../../countries/brazil/institutions.ts";
import { randomKeyOf } from "../pix-keys/pix-key.ts";

/** Used if the receiver is not known (assumption: payout.unknown-receiver). */
const UNKNOWN_RECEIVER: EventReceiver = { name: "UNKNOWN", document: { type: "CPF", number: "00000000000" } };

const MESSAGES = {
  PAID: "The payout was paid.",
  CANCELED: "The payout was canceled, and its money is back on the account.",
  ERROR: "The payout failed, and its money is back on the account.",
} as const;

const STATUSES = {
  "ORDER-PAYOUT.PAID": "PAID",
  "ORDER-PAYOUT.CANCELED": "CANCELED",
  "ORDER-PAYOUT.ERROR": "ERROR",
} as const;

/** Sends the final status of a payout to the company (interface: Payout event; assumption: payout.batch-events). */
export function announcePayout(
  tx: Transaction,
  payout: Payout,
  event: EventOf<typeof payoutLifecycle>,
): void {
  const status = STATUSES[event];
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
  announce(tx, { companyId: payout.companyId, event, collection: payouts.name, objectId: payout.id, body });
}

/** Returns the account that paid, with its random key if it has one. */
function ownerBank(tx: Transaction, { accountId }: Payout): EventOwnerBank {
  const account = recordOf(tx, accounts, accountId);
  const key = randomKeyOf(tx, accountId);
  return {
    name: account.fullName,
    ...omitNulls({ document: taxDocument(account.document) }),
    bank: eventBank(bankOf(account)),
    ...(key && { pix: { type: key.type, key: key.id } }),
  };
}

/** The receiver of the request, otherwise the owner of the key or the QR code. */
function receiver({ receiver: named, destination }: Payout): EventReceiver {
  const { owner, pix, merchantName, bank } = destination;
  const document = named?.document ?? taxDocument(owner?.document ?? documentOfKey(pix));
  return {
    name: named?.name ?? owner?.name ?? merchantName ?? UNKNOWN_RECEIVER.name,
    document: document ?? UNKNOWN_RECEIVER.document,
    ...omitNulls({ bank: bank && eventBank(bank), pix }),
  };
}

function eventBank({ ispb, branchNumber, accountNumber, accountType }: BankAccount): EventBank {
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
