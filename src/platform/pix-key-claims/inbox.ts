import type { CalendarDate } from "../../countries/brazil/calendar.ts";
import type { Instant } from "../../engine/instant.ts";
import type { PixKeyClaim } from "./claim.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { collection, compositeKey } from "../../engine/collection.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { localDate } from "../../countries/brazil/calendar.ts";

/** A confirmation code as it reached someone: the sandbox's stand-in for mailbox and phone. */
export interface InboxMessage extends StoredRecord {
  readonly channel: "EMAIL" | "SMS";
  readonly to: string;
  readonly code: string;
  readonly validationId: string;
  /** The account that had it sent, and the day of Brasília on which it did. */
  readonly accountId: string;
  readonly day: CalendarDate;
  readonly sentAt: Instant;
}

export const inbox = collection<InboxMessage, "dispatches">("inbox", {
  dispatches: ({ accountId, day }) => compositeKey(accountId, day),
});

/** Whether the account may have another code sent today (interface: Limits; assumption: claim.daily-dispatches). */
export function mayDispatch(tx: Transaction, accountId: string): boolean {
  const sent = tx.find(inbox, "dispatches", compositeKey(accountId, localDate(tx.now)));
  return sent.length < assumption(tx, "claim.daily-dispatches");
}

/** Sends a code to the claimed e-mail or phone, and for a document to the e-mail of the account's holder. */
export function dispatchCode(
  tx: Transaction,
  { key }: PixKeyClaim,
  message: Pick<InboxMessage, "code" | "validationId" | "accountId">,
): void {
  const isReachable = key.type === "EMAIL" || key.type === "PHONE";
  const holder = assertDefined(tx.get(accounts, message.accountId), `the account ${message.accountId}`);
  const to = isReachable ? key.value : holder.email;
  const channel = key.type === "PHONE" ? "SMS" : "EMAIL";
  const id = String(tx.count("inbox"));
  tx.put(inbox, { id, channel, to, ...message, day: localDate(tx.now), sentAt: tx.now });
  tx.log({ kind: "note", objectId: message.validationId, what: `confirmation code sent to ${to}` });
}
