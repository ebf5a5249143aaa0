import type { Records } from "../engine/store.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { type Problem, Refusal } from "../engine/refusal.ts";

/** The error codes of the platform API, and the one of the sandbox's own acts (interface: Errors). */
export type ErrorCode =
  "INVALID_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN_ERROR" | "NOT_FOUND" | "INTERNAL_ERROR" | "ILLEGAL_ACT";

/** One or more fields of the request are wrong. */
export function invalidRequest(problems: readonly Problem[]): Refusal<ErrorCode> {
  const shown = problems.slice(0, PROBLEMS_MAX);
  const fields = [...new Set(shown.map(({ field }) => field))].join(", ");
  const more = problems.length - shown.length;
  const others = more === 0 ? "" : ` There are ${more} more problems.`;
  return new Refusal("INVALID_REQUEST", `The request is not valid: see ${fields}.${others}`, shown);
}

/** Problems that one answer shows. */
export const PROBLEMS_MAX = 100;

/** The object does not exist or belongs to another company: one answer for both, which discloses nothing. */
export function notFound(): Refusal<ErrorCode> {
  return new Refusal("NOT_FOUND", "Resource not found");
}

/**
 * Refuses an object of another company with its own error, if the platform does (assumption:
 * tenancy.foreign-resource).
 */
export function refuseForeign(
  tx: Records,
  found: { readonly companyId: string } | undefined,
  companyId: string,
): void {
  if (found === undefined || found.companyId === companyId) return;
  if (assumption(tx, "tenancy.foreign-resource") === "forbidden")
    throw forbidden("The resource belongs to another company.");
}

export function forbidden(message: string): Refusal<ErrorCode> {
  return new Refusal("FORBIDDEN_ERROR", message);
}

export function unauthorized(hint?: string): Refusal<ErrorCode> {
  return new Refusal("UNAUTHORIZED", "Unauthorized Request", [], hint);
}

/** The object's state does not allow the act. */
export function illegalAct(description: string): Refusal<ErrorCode> {
  return new Refusal("ILLEGAL_ACT", description, [{ field: "act", issue: "ILLEGAL_ACT", description }]);
}
