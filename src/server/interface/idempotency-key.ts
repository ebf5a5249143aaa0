import type { Operation } from "../../api/operations.ts";
import type { Problem } from "../../engine/refusal.ts";

const KEY_LENGTH_MAX = 64;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What is wrong with an idempotency key, where the operation wants one (assumption: idempotency.format). */
export function validateIdempotencyKey(kind: Operation["idempotencyKey"], key: string | null): Problem[] {
  if (kind === undefined || key === null) return [];
  const problem = (issue: string, description: string): Problem[] => [
    { field: "idempotency-key", issue, description },
  ];
  if (key === "") {
    return problem(
      "REQUIRED",
      "The header idempotency-key is required. Send a key of your own for each request.",
    );
  }
  if (key.length > KEY_LENGTH_MAX) {
    return problem("INVALID", `The key has at most ${KEY_LENGTH_MAX} characters; found ${key.length}.`);
  }
  if (kind === "uuid" && !UUID.test(key)) {
    return problem("INVALID", `The key must be a UUID; found "${key}".`);
  }
  return [];
}
