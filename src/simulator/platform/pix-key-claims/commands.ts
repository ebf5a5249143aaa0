import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { canTake } from "../../engine/lifecycle.ts";
import {
  type InboxMessage,
  type PixKeyClaim,
  type Validation,
  claimLifecycle,
  claims,
  inbox,
  isWithHolder,
  validationLifecycle,
  validations,
} from "./claim.ts";
import { DIGITS } from "../../engine/random.ts";
import { giveKey, keysOfAccount, pixKeys } from "../pix-keys/pix-key.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { claimStates, validationStates } from "./states.ts";

const CODE_LENGTH = 6;

/** Opens a claim and sends the claimer the code that confirms it. */
export function openClaim(
  tx: Transaction,
  given: Pick<PixKeyClaim, "companyId" | "accountId" | "type" | "key">,
): { readonly claim: PixKeyClaim; readonly validation: Validation } {
  const id = tx.chance("claims").uuid();
  const { initial: status } = claimLifecycle;
  const opened = { id, ...given, status, createdAt: tx.now, updatedAt: tx.now };
  const claim = claimStates.create(tx, opened, `claim of ${given.key.value} opened`);
  return { claim, validation: openValidation(tx, claim, { accountId: claim.accountId, side: "claimer" }) };
}

/** Moves the key to the claimer's account and denies the other claims for it. */
export function completeClaim(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  const completed = endClaim(tx, claim, "complete");
  const account = recordOf(tx, accounts, claim.accountId);
  giveKey(tx, account, { key: claim.key.value, type: claim.key.type });
  const what = `PIX key ${claim.key.value} moved to the account ${account.id}`;
  tx.log({ kind: "note", objectId: claim.id, collection: claims.name, what });
  for (const rival of tx.find(claims, "pendingOnKey", claim.key.value)) endClaim(tx, rival, "deny");
  return completed;
}

/**
 * Ends the resolution period. It cancels a claim whose code was not confirmed, and a portability that the donor left
 * unanswered. An ownership continues until its completion (assumption: claim.resolution-period).
 */
export function resolveClaim(tx: Transaction, claim: PixKeyClaim): void {
  if (claim.type === "PORTABILITY" || !isWithHolder(tx, claim)) endClaim(tx, claim, "cancel");
  else if (!tx.isArmed("claim.completion", claim.id)) completeClaim(tx, claim);
}

/**
 * Gives the key to the claimer, because the holder has not denied an ownership in time (assumption:
 * claim.completion-period).
 */
export function concludeClaim(tx: Transaction, claim: PixKeyClaim): void {
  if (isWithHolder(tx, claim)) completeClaim(tx, claim);
}

/** A closed account loses its keys, and the claims that it has open are canceled (assumption: account.acts). */
export function withdrawFromDirectory(tx: Transaction, accountId: string): void {
  for (const { id } of keysOfAccount(tx, accountId)) tx.delete(pixKeys, id);
  for (const claim of tx.find(claims, "account", accountId)) {
    if (canTake(claimLifecycle, claim, "cancel")) endClaim(tx, claim, "cancel");
  }
}

/** Opens a validation and sends its first code. */
export function openValidation(
  tx: Transaction,
  claim: PixKeyClaim,
  by: Pick<Validation, "accountId" | "side">,
): Validation {
  const validation = validationStates.create(tx, {
    id: tx.chance("claim-validations").uuid(),
    claimId: claim.id,
    ...by,
    status: validationLifecycle.initial,
    ...newCode(tx),
    attempts: 0,
    resends: 0,
    updatedAt: tx.now,
  });
  dispatchCode(tx, claim, validation);
  return validation;
}

/** Sends a new code: the former one is void, and wrong codes are counted from zero again (interface: Endpoints 3). */
export function renewValidation(tx: Transaction, claim: PixKeyClaim, validation: Validation): Validation {
  const renewed = validationStates.take(tx, validation, "renew", {
    ...newCode(tx, validation.code),
    attempts: 0,
    resends: validation.resends + 1,
  });
  dispatchCode(tx, claim, renewed);
  return renewed;
}

/** The code can no longer be confirmed (assumption: claim.code-ttl). */
export function expireValidation(tx: Transaction, validation: Validation): void {
  validationStates.take(tx, validation, "expire");
}

/** Expires the open validations of a claim: all of them, or those of one side. */
export function expireValidations(tx: Transaction, claimId: string, side?: Validation["side"]): void {
  for (const validation of tx.find(validations, "claim", claimId)) {
    if (side !== undefined && validation.side !== side) continue;
    if (canTake(validationLifecycle, validation, "expire")) expireValidation(tx, validation);
  }
}

/** Counts a wrong code; the last allowed one expires the validation. Returns how many attempts are left. */
export function countWrongCode(tx: Transaction, validation: Validation): number {
  const tried = tx.put(validations, { ...validation, attempts: validation.attempts + 1, updatedAt: tx.now });
  tx.log({ kind: "note", objectId: validation.id, what: "wrong confirmation code" });
  const left = assumption(tx, "claim.attempts") - tried.attempts;
  if (left > 0) return left;
  expireValidation(tx, tried);
  return 0;
}

/** Ends a claim and its open validations; no key moves. */
export function endClaim(
  tx: Transaction,
  claim: PixKeyClaim,
  action: "complete" | "deny" | "cancel",
): PixKeyClaim {
  const ended = claimStates.take(tx, claim, action);
  expireValidations(tx, claim.id);
  return ended;
}

/** Six digits that differ from the former code, and when they expire (assumption: claim.code-ttl). */
function newCode(tx: Transaction, former?: string): Pick<Validation, "code" | "expiresAt"> {
  const code = tx.chance("claim-codes").text(DIGITS, CODE_LENGTH);
  if (code === former) return newCode(tx, former);
  return { code, expiresAt: later(tx.now, assumption(tx, "claim.code-ttl")) };
}

/** Sends a code to the claimed e-mail or phone; for a document to the e-mail of the account's holder. */
function dispatchCode(tx: Transaction, { key }: PixKeyClaim, { id, accountId, code }: Validation): void {
  const holder = recordOf(tx, accounts, accountId);
  const message: InboxMessage = {
    id: String(tx.count("inbox")),
    channel: key.type === "PHONE" ? "SMS" : "EMAIL",
    to: key.type === "EMAIL" || key.type === "PHONE" ? key.value : holder.email,
    code,
    validationId: id,
    accountId,
    day: localDate(tx.now),
    sentAt: tx.now,
  };
  tx.put(inbox, message);
  tx.log({ kind: "note", objectId: id, what: `confirmation code sent to ${message.to}` });
}
