import type { Claim as ClaimShape, CreateClaimRequest } from "../../api/generated/shapes.ts";
import type { ClaimStatus } from "./lifecycle.ts";
import type { Instant } from "../../engine/instant.ts";
import type { PixKeyType } from "../../countries/brazil/pix-keys.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { pixKeyOf } from "../pix-keys/pix-key.ts";

/** An account's request to take over a PIX key that someone else registered. */
export interface PixKeyClaim extends StoredRecord {
  readonly companyId: string;
  /** The account that is to get the key: the claimer's. */
  readonly accountId: string;
  readonly type: CreateClaimRequest["type"];
  readonly key: { readonly type: PixKeyType; readonly value: string };
  readonly status: ClaimStatus;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly answerTimer: string | null;
}

export const claims = collection<PixKeyClaim, "pendingOnKey" | "account">("claims", {
  pendingOnKey: ({ status, key }) => (status === "PENDING" ? key.value : undefined),
  account: (claim) => claim.accountId,
});

/** The account of the sandbox that the claimed key belongs to; null where its holder is elsewhere. */
export function donorOf(tx: Pick<Transaction, "get">, { accountId, key }: PixKeyClaim): string | null {
  const holder = pixKeyOf(tx, key.value)?.accountId ?? null;
  return holder === accountId ? null : holder;
}

/** The claim as answers show it (interface: Claim and validation). */
export function claimShape({ id, status }: PixKeyClaim): ClaimShape {
  return { claimId: id, status };
}
