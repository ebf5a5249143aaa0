import type { Records } from "../../engine/store.ts";
import type { CalendarDate } from "../../countries/brazil/calendar.ts";
import type { CreateClaimRequest } from "../../api/generated/shapes.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { PixKeyType } from "../../countries/brazil/pix-keys.ts";
import { type StoredRecord, collection, compositeKey } from "../../engine/collection.ts";
import { pixKeyOf } from "../pix-keys/pix-key.ts";
import { step } from "../step.ts";

/** An account's request to take over a PIX key that someone else registered. */
export interface PixKeyClaim extends StoredRecord {
  readonly companyId: string;
  /** The claimer's account, which is to get the key. */
  readonly accountId: string;
  readonly type: CreateClaimRequest["type"];
  readonly key: { readonly type: PixKeyType; readonly value: string };
  readonly status: (typeof claimLifecycle)["states"][number];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A confirmation code that a party of a claim has to send back: the claimer, or the holder of the key. */
export interface Validation extends StoredRecord {
  readonly claimId: string;
  /** The account whose company has to send the code back. */
  readonly accountId: string;
  readonly side: "claimer" | "donor";
  readonly status: (typeof validationLifecycle)["states"][number];
  readonly code: string;
  /** Wrong codes since the current one was sent. */
  readonly attempts: number;
  readonly resends: number;
  readonly expiresAt: Instant;
  readonly updatedAt: Instant;
}

/** A confirmation code as it was received: the inbox of the sandbox replaces e-mail and SMS. */
export interface InboxMessage extends StoredRecord {
  readonly channel: "EMAIL" | "SMS";
  readonly to: string;
  readonly code: string;
  readonly validationId: string;
  /** The account that requested the code, and the day of the request in Brasília. */
  readonly accountId: string;
  readonly day: CalendarDate;
  readonly sentAt: Instant;
}

/**
 * The states of a claim (interface: PIX key claim and validation; assumptions: claim.canceled-status, claim.answer,
 * claim.resolution-period, claim.completion-period).
 * The answer is scheduled when the claimer's code is confirmed, not when the claim becomes PENDING.
 */
export const claimLifecycle = {
  resource: "claim",
  initial: "PENDING",
  states: ["PENDING", "COMPLETED", "DENIED", "CANCELED"],
  ends: { COMPLETED: "good", DENIED: "bad", CANCELED: "neutral" },
  transitions: [
    { from: ["PENDING"], action: "complete", to: "COMPLETED" },
    { from: ["PENDING"], action: "deny", to: "DENIED" },
    { from: ["PENDING"], action: "cancel", to: "CANCELED", act: null },
  ],
  timers: { "claim.answer": ["PENDING"], "claim.resolution": ["PENDING"], "claim.completion": ["PENDING"] },
} as const satisfies Lifecycle;

/** The states of a validation: a new code makes an expired one PENDING again (interface: Endpoints 3). */
export const validationLifecycle = {
  resource: "claim-validation",
  initial: "PENDING",
  states: ["PENDING", "CONFIRMED", "EXPIRED"],
  ends: { CONFIRMED: "good", EXPIRED: "neutral" },
  transitions: [
    { from: ["PENDING"], action: "confirm", to: "CONFIRMED", act: null },
    { from: ["PENDING"], action: "expire", to: "EXPIRED", act: null },
    { from: ["PENDING", "EXPIRED"], action: "renew", to: "PENDING", act: null },
  ],
  timers: { "claim.expire-code": ["PENDING"] },
} as const satisfies Lifecycle;

export const claims = collection<PixKeyClaim, "pendingOnKey" | "account">(
  "claims",
  {
    pendingOnKey: ({ status, key }) => (status === "PENDING" ? key.value : undefined),
    account: (claim) => claim.accountId,
  },
  claimLifecycle,
);

export const validations = collection<Validation, "claim">(
  "claim-validations",
  { claim: (validation) => validation.claimId },
  validationLifecycle,
);

/** The codes that were sent; `dispatches` finds those of an account and a day. */
export const inbox = collection<InboxMessage, "dispatches">("inbox", {
  dispatches: ({ accountId, day }) => compositeKey(accountId, day),
});

/** The answer of the holder of the claimed key. */
export const claimAnswer = step({
  name: "claim.answer",
  of: claims,
  outcomes: ["COMPLETED", "DENIED"],
  decidedBy: "payer",
  summary: "The donor's answer to a claim",
});

/**
 * Returns the account of the sandbox that the claimed key belongs to. Null if its holder is at another institution.
 */
export function donorOf(tx: Records, { accountId, key }: PixKeyClaim): string | null {
  const holder = pixKeyOf(tx, key.value)?.accountId ?? null;
  return holder === accountId ? null : holder;
}

/** Whether the claimer's code is confirmed, so that the holder of the key can answer the claim. */
export function isWithHolder(tx: Records, claim: PixKeyClaim): boolean {
  return tx
    .find(validations, "claim", claim.id)
    .some(({ side, status }) => side === "claimer" && status === "CONFIRMED");
}
