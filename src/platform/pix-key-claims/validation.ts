import type { ClaimValidation } from "../../api/generated/shapes.ts";
import type { Instant } from "../../engine/instant.ts";
import type { PixKeyClaim } from "./claim.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { ValidationStatus } from "./lifecycle.ts";
import { addDuration, formatInstant } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { canTake, take } from "../transition.ts";
import { collection } from "../../engine/collection.ts";
import { DIGITS } from "../../engine/random.ts";
import { dispatchCode } from "./inbox.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";
import { timerKind } from "../../engine/timers.ts";
import { validationLifecycle } from "./lifecycle.ts";

const CODE_LENGTH = 6;

/** A confirmation code that someone has to send back: who claims a key, or who holds it. */
export interface Validation extends StoredRecord {
  readonly claimId: string;
  /** The account whose company is to send the code back. */
  readonly accountId: string;
  readonly side: "claimer" | "donor";
  readonly status: ValidationStatus;
  readonly code: string;
  /** Wrong codes since the present one was sent. */
  readonly attempts: number;
  readonly resends: number;
  readonly expiresAt: Instant;
  readonly expiryTimer: string | null;
  readonly updatedAt: Instant;
}

export const validations = collection<Validation, "claim">("claim-validations", {
  claim: (validation) => validation.claimId,
});

/** Opens a validation and sends its first code. */
export function openValidation(
  tx: Transaction,
  claim: PixKeyClaim,
  by: Pick<Validation, "accountId" | "side">,
): Validation {
  const id = tx.chance("claim-validations").uuid();
  const unsent = { attempts: 0, resends: 0, code: "", expiresAt: tx.now, expiryTimer: null };
  return sendCode(tx, claim, {
    id,
    claimId: claim.id,
    ...by,
    ...unsent,
    status: validationLifecycle.initial,
    updatedAt: tx.now,
  });
}

/** Sends a new code: the one before it is void, and wrong codes are counted anew (interface: Endpoints 3). */
export function renewValidation(tx: Transaction, claim: PixKeyClaim, validation: Validation): Validation {
  const renewed = take(tx, validationLifecycle, validation, "renew");
  return sendCode(tx, claim, { ...renewed, attempts: 0, resends: validation.resends + 1 });
}

export function confirmValidation(tx: Transaction, validation: Validation): void {
  end(tx, take(tx, validationLifecycle, validation, "confirm"));
}

/** Notes a wrong code; the last one that is allowed makes the code worthless. Gives how many more are. */
export function countWrongCode(tx: Transaction, validation: Validation): number {
  const tried = tx.put(validations, { ...validation, attempts: validation.attempts + 1, updatedAt: tx.now });
  tx.log({ kind: "note", objectId: validation.id, what: "wrong confirmation code" });
  const left = assumption(tx, "claim.attempts") - tried.attempts;
  if (left > 0) return left;
  end(tx, take(tx, validationLifecycle, tried, "expire"));
  return 0;
}

/** Whether the claimer sent its code back, so that the claim waits for whoever holds the key. */
export function isWithHolder(tx: Transaction, claim: PixKeyClaim): boolean {
  return tx
    .find(validations, "claim", claim.id)
    .some(({ side, status }) => side === "claimer" && status === "CONFIRMED");
}

/** Makes the codes of a claim worthless: all of them, or those of one side. */
export function endValidations(tx: Transaction, claimId: string, side?: Validation["side"]): void {
  for (const validation of tx.find(validations, "claim", claimId)) {
    const isMeant = side === undefined || validation.side === side;
    if (isMeant && canTake(validationLifecycle, validation, "expire")) expire(tx, validation);
  }
}

/** A code that nobody sent back in time is worth nothing any more (assumption: claim.code-ttl). */
export const expireCode = timerKind<{ validationId: string }>("claim.expire-code", (tx, { validationId }) => {
  const validation = assertDefined(tx.get(validations, validationId), `the validation ${validationId}`);
  if (canTake(validationLifecycle, validation, "expire")) expire(tx, validation);
});

/** The validation as answers show it (interface: Claim and validation). */
export function validationShape({ id, status, expiresAt }: Validation): ClaimValidation {
  return { validationId: id, status, expiresAt: formatInstant(expiresAt) };
}

function expire(tx: Transaction, validation: Validation): void {
  end(tx, take(tx, validationLifecycle, validation, "expire"));
}

function end(tx: Transaction, validation: Validation): void {
  tx.disarm(validation.expiryTimer);
  tx.put(validations, { ...validation, expiryTimer: null });
}

function sendCode(tx: Transaction, claim: PixKeyClaim, validation: Validation): Validation {
  tx.disarm(validation.expiryTimer);
  const code = newCode(tx, validation.code);
  const expiresAt = addDuration(tx.now, assumption(tx, "claim.code-ttl"), saoPaulo);
  const expiryTimer = tx.arm(expireCode, expiresAt, { validationId: validation.id });
  dispatchCode(tx, claim, { code, validationId: validation.id, accountId: validation.accountId });
  return tx.put(validations, { ...validation, code, expiresAt, expiryTimer });
}

/** Six digits that are not those before. */
function newCode(tx: Transaction, before: string): string {
  const code = tx.chance("claim-codes").text(DIGITS, CODE_LENGTH);
  return code === before ? newCode(tx, before) : code;
}
