import { call } from "../server/control/client.js";
import type { CallOptions } from "../server/access/sandbox-interface.ts";
import type { OperationCalls, OperationId } from "../simulator/api/vocabulary.ts";
import { operations } from "../simulator/api/operations.ts";
import { parsed } from "../simulator/engine/json.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";

/** The sender of a call of the API. */
interface CallSender {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly token: string;
  /** Draws a key for an operation that requires one, if the call has no key. */
  readonly drawKey: () => string;
}

/** Calls an operation of the API like a company. Rejects with a `SandboxRefusal` if the call is refused. */
export async function callInterface<O extends OperationId>(
  { fetch, token, drawKey }: CallSender,
  operationId: O,
  input: OperationCalls[O]["input"] | undefined,
  { idempotencyKey, headers }: CallOptions,
): Promise<OperationCalls[O]["answer"]> {
  // A name that the compiler did not check.
  if (!Object.hasOwn(operations, operationId)) throw unknownOperation(operationId);
  const { method, path, idempotencyKey: keyForm, isForm } = operations[operationId];
  const key = idempotencyKey ?? (keyForm === undefined ? undefined : drawKey());
  // The client of a token request stands in its form, not in a token (RFC 6749, 4.4.2).
  const sent = isForm ? new URLSearchParams(Object.entries(input ?? {})).toString() : input;
  const response = await call(fetch, `${method} ${path}`, sent, {
    headers: {
      ...(isForm
        ? { "content-type": "application/x-www-form-urlencoded" }
        : { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...headers,
    },
  });
  return parsed(await response.text()) as OperationCalls[O]["answer"];
}

function unknownOperation(name: string): Error {
  const hint = suggestion(name, Object.keys(operations), { all: "/openapi.json" });
  return new Error(`Failed to call ${JSON.stringify(name)}: there is no such operation. ${hint}`);
}
