import type { Call, Handler } from "./call.ts";
import type { StoredRecord } from "../core/collection.ts";
import type { Transaction } from "../core/transaction.ts";
import { addDuration } from "../core/instant.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { collection, compositeKey } from "../core/collection.ts";
import { invalidRequest } from "./refusals.ts";
import { Refusal } from "../core/refusal.ts";
import { saoPaulo } from "../brazil/calendar.ts";
import { timerKind } from "../core/timers.ts";

/** The first answer to a key, to be given again (assumption: idempotency.replay). */
interface RememberedAnswer extends StoredRecord {
  readonly fingerprint: string;
  readonly answer: object;
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
  const fingerprint = canonicalJson([call.params, call.body ?? null]);
  const remembered = tx.get(rememberedAnswers, id);
  if (remembered?.fingerprint === fingerprint) return { answer: remembered.answer, isReplay: true };
  if (remembered !== undefined) throw reusedKey(call.idempotencyKey);
  const answer = handler(tx, call);
  if (answer instanceof Refusal) return { answer, isReplay: false };
  tx.put(rememberedAnswers, { id, fingerprint, answer });
  const forgottenAt = addDuration(tx.now, assumption(tx, "idempotency.retention"), saoPaulo);
  tx.arm(forgetAnswer, forgottenAt, { id });
  return { answer, isReplay: false };
}

export const forgetAnswer = timerKind<{ id: string }>("idempotency.forget", (tx, { id }) => {
  tx.delete(rememberedAnswers, id);
});

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
