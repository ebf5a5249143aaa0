import type { Call, Handler } from "./call.ts";
import type { Instant } from "../engine/instant.ts";
import type { StoredRecord } from "../engine/collection.ts";
import type { Transaction } from "../engine/transaction.ts";
import { addDuration } from "../engine/instant.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { fingerprint } from "../engine/fingerprint.ts";
import { collection, compositeKey } from "../engine/collection.ts";
import { invalidRequest } from "./refusals.ts";
import { Refusal } from "../engine/refusal.ts";
import { saoPaulo } from "../countries/brazil/calendar.ts";

/** The first answer to a key, to be given again (assumption: idempotency.replay). */
interface RememberedAnswer extends StoredRecord {
  readonly fingerprint: string;
  readonly answer: object;
  /** From this instant on the key counts as new (assumption: idempotency.retention). */
  readonly forgottenAt: Instant;
}

const rememberedAnswers = collection<RememberedAnswer>("idempotent-answers", {});

export interface IdempotentAnswer {
  readonly answer: object;
  readonly isReplay: boolean;
}

/**
 * Runs an operation once for each key of a company: the same key and body again give the first answer, the
 * same key with another body is refused. Refused requests are not remembered.
 */
export function runOnce(
  tx: Transaction,
  { operationId, call, handler }: { operationId: string; call: Call; handler: Handler<unknown, unknown> },
): IdempotentAnswer {
  if (call.idempotencyKey === null) return { answer: handler(tx, call), isReplay: false };
  const id = compositeKey(call.companyId, operationId, call.idempotencyKey);
  const print = fingerprint(canonicalJson([call.params, call.body ?? null]));
  const remembered = tx.get(rememberedAnswers, id);
  if (remembered !== undefined && tx.now < remembered.forgottenAt) {
    if (remembered.fingerprint !== print) throw reusedKey(call.idempotencyKey);
    return { answer: remembered.answer, isReplay: true };
  }
  const answer = handler(tx, call);
  if (answer instanceof Refusal) return { answer, isReplay: false };
  forgetOldAnswers(tx);
  const forgottenAt = addDuration(tx.now, assumption(tx, "idempotency.retention"), saoPaulo);
  tx.put(rememberedAnswers, { id, fingerprint: print, answer, forgottenAt });
  return { answer, isReplay: false };
}

/**
 * Drops the answers whose time is over. They stand in the order of that time, so this looks at no more than
 * one that stays. No timer does it: an advance to the next thing that happens must not stop for housekeeping.
 */
function forgetOldAnswers(tx: Transaction): void {
  for (const { id, forgottenAt } of tx.all(rememberedAnswers)) {
    if (tx.now < forgottenAt) return;
    tx.delete(rememberedAnswers, id);
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

/** JSON with its keys in order: two bodies that parse to the same value have the same text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}
