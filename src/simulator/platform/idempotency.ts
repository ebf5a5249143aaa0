import type { Call, Handler } from "./call.ts";
import type { Transaction } from "../engine/transaction.ts";
import { type Instant } from "../engine/instant.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { canonicalJson } from "../engine/json.ts";
import { type StoredRecord, collection, compositeKey } from "../engine/collection.ts";
import { invalidRequest } from "./refusals.ts";
import { Refusal } from "../engine/refusal.ts";
import { writtenCopy } from "./written-copy.ts";
import { later } from "./later.ts";

/** The first answer to a key, which a repeated request gets again (assumption: idempotency.replay). */
interface StoredAnswer extends StoredRecord {
  /** The SHA-256 of the written copy of the request. A recording has that copy and must get the same answer. */
  readonly fingerprint: string;
  readonly answer: object;
  /** From this instant on the key counts as new (assumption: idempotency.retention). */
  readonly forgottenAt: Instant;
}

const storedAnswers = collection<StoredAnswer>("idempotent-answers", {});

/** The length of an idempotency key (assumption: idempotency.format). */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 64;

export interface IdempotentAnswer {
  readonly answer: object;
  readonly isReplay: boolean;
}

/**
 * Runs an operation once for each key of a company: the same key with the same request gets the first answer again,
 * the same key with another request is refused. A refused request leaves its key free.
 */
export function runOnce(
  tx: Transaction,
  { operationId, call, handler }: { operationId: string; call: Call; handler: Handler<unknown, unknown> },
): IdempotentAnswer {
  if (call.idempotencyKey === null) return { answer: handler(tx, call), isReplay: false };
  const id = compositeKey(call.companyId, operationId, call.idempotencyKey);
  const fingerprint = fingerprintOf(tx, call);
  const stored = tx.get(storedAnswers, id);
  if (stored !== undefined && tx.now < stored.forgottenAt) {
    if (!isSameRequest(stored.fingerprint, fingerprint)) throw reusedKey(call.idempotencyKey);
    return { answer: stored.answer, isReplay: true };
  }
  const answer = handler(tx, call);
  if (answer instanceof Refusal) return { answer, isReplay: false };
  forgetOldAnswers(tx);
  const forgottenAt = later(tx.now, assumption(tx, "idempotency.retention"));
  tx.put(storedAnswers, { id, fingerprint, answer, forgottenAt });
  return { answer, isReplay: false };
}

/** Returns the same fingerprint for two requests if their parameters and bodies parse to the same values. */
function fingerprintOf(tx: Transaction, { params, body, sha256 }: Call): string {
  return sha256(writtenCopy(canonicalJson([params, body ?? null]), tx));
}

/** Fingerprints of version 0.1.0 cannot be compared. Their keys replay: to run again could pay twice. */
function isSameRequest(stored: string, fingerprint: string): boolean {
  return stored === fingerprint || stored.length !== fingerprint.length;
}

/**
 * Deletes the expired answers. They are in the order of their expiry, so this reads at most one answer that stays. It
 * needs no timer: an advance to the next due timer must not stop for housekeeping.
 */
function forgetOldAnswers(tx: Transaction): void {
  for (const { id, forgottenAt } of tx.all(storedAnswers)) {
    if (tx.now < forgottenAt) return;
    tx.delete(storedAnswers, id);
  }
}

function reusedKey(key: string): Error {
  return invalidRequest([
    {
      field: "idempotency-key",
      issue: "REUSED",
      description: `The key "${key}" was used for another request. Send a new key, or the same body again.`,
    },
  ]);
}
