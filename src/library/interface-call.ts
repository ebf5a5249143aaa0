import { SandboxRefusal, requestOf } from "../server/control/client.js";
import type { CallOptions } from "../server/access/sandbox-interface.ts";
import type { OperationCalls } from "../simulator/api/vocabulary.ts";
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
export async function callInterface<O extends keyof OperationCalls>(
  { fetch, token, drawKey }: CallSender,
  operationId: O,
  input: OperationCalls[O]["input"] | undefined,
  { idempotencyKey, headers }: CallOptions,
): Promise<OperationCalls[O]["answer"]> {
  // A name that the compiler did not check.
  if (!Object.hasOwn(operations, operationId)) throw unknownOperation(operationId);
  const { method, path: pattern, idempotencyKey: keyForm, errorForm } = operations[operationId];
  const isOAuth = errorForm === "oauth";
  const { path, ...request } = isOAuth ? formOf(pattern, input) : requestOf(`${method} ${pattern}`, input);
  const key = idempotencyKey ?? (keyForm === undefined ? undefined : drawKey());
  const response = await fetch(path, {
    ...request,
    headers: {
      ...request.headers,
      ...(!isOAuth && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...headers,
    },
  });
  const answer = parsed(await response.text());
  if (!response.ok) throw refusalOf(answer, response.status);
  return answer as OperationCalls[O]["answer"];
}

/** Returns the request of the token endpoint. Its client stands in the form, not in a token (RFC 6749, 4.4.2). */
function formOf(path: string, input: object = {}) {
  const body = new URLSearchParams(Object.entries(input)).toString();
  return { method: "POST", path, headers: { "content-type": "application/x-www-form-urlencoded" }, body };
}

function unknownOperation(name: string): Error {
  const hint = suggestion(name, Object.keys(operations), { all: "/openapi.json" });
  return new Error(`Failed to call ${JSON.stringify(name)}: there is no such operation. ${hint}`);
}

/** Returns the refusal of an error body. Refunds have a list of sentences as their error body. */
function refusalOf(answer: unknown, status: number): SandboxRefusal {
  const body = Array.isArray(answer) ? { message: answer.join(" ") } : answer;
  return new SandboxRefusal(body ?? { message: `The sandbox answered with ${status}.` }, status);
}
