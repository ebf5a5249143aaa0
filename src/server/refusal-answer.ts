import type { ErrorCode } from "../platform/refusals.ts";
import type { Problem, Refusal } from "../engine/refusal.ts";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import { jsonAnswer } from "./answer.ts";

/** How an operation writes its errors: the common body, or an array of sentences (interface: Errors). */
export type ErrorForm = "common" | "sentences";

/** The status and the code of each refusal (assumption: http.statuses). */
const ANSWERS: Readonly<Record<ErrorCode, { readonly status: number; readonly error: string }>> = {
  INVALID_REQUEST: { status: 400, error: "INVALID_REQUEST" },
  UNAUTHORIZED: { status: 401, error: "UNAUTHORIZED" },
  FORBIDDEN_ERROR: { status: 403, error: "FORBIDDEN_ERROR" },
  NOT_FOUND: { status: 404, error: "NOT_FOUND" },
  ILLEGAL_ACT: { status: 409, error: "INVALID_REQUEST" },
  INTERNAL_ERROR: { status: 500, error: "INTERNAL_ERROR" },
};

/** What HTTP wants beside every 401: how to come in (assumption: auth.header). */
const CHALLENGE = { "www-authenticate": "Bearer" };

/** Turns a refusal into the answer of an operation. */
export function refusalAnswer(
  world: { readonly now: number },
  refusal: Refusal,
  form: ErrorForm = "common",
  inbound?: InboundRequest,
): Response {
  const { status, error } = ANSWERS[refusal.code as ErrorCode];
  const { message, problems: details } = refusal;
  const body = form === "common" ? { error, message, details } : sentences(message, details);
  return jsonAnswer(world, status, body, status === 401 ? CHALLENGE : {}, inbound);
}

/** Each sentence names its field once: those about a shape begin with it already. */
function sentences(message: string, problems: readonly Problem[]): string[] {
  return problems.length === 0
    ? [message]
    : problems.map(({ field, description }) =>
        description.startsWith(`${field} `) ? description : `${field}: ${description}`,
      );
}
