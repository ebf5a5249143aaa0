import type { Answer } from "../partner/partner-request.ts";
import { CommandFailure } from "../base/failures.ts";
import type { Difference } from "./expectation.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { shown } from "./source.ts";

/** A step that failed. The message is whole sentences. */
export class StepFailure extends CommandFailure {
  override readonly name = "StepFailure";
  readonly differences: readonly Difference[];
  readonly answer: Answer | undefined;

  constructor(
    message: string,
    details: { differences?: readonly Difference[]; answer?: Answer | undefined } = {},
  ) {
    super(message);
    this.differences = details.differences ?? [];
    this.answer = details.answer;
  }
}

/** Returns an id, or the id of a saved answer. */
export function idOf(value: unknown): string {
  const id = isRecord(value) ? value["id"] : value;
  if (typeof id === "string" || typeof id === "number") return String(id);
  throw new StepFailure(`${shown(value)} is not an id and has no id. Write \`\${name.id}\`.`);
}

/** Writes a sentence about a refusal, with the details of the common error body. */
export function refused(what: string, answer: Answer): string {
  if (answer.status === null) return `${what} got no answer: ${String(answer.body)}.`;
  const { message, details } = (answer.body ?? {}) as { message?: unknown; details?: unknown };
  const problems = Array.isArray(details) ? (details as { field?: string; description?: string }[]) : [];
  const others = problems.filter(({ description }) => description !== message);
  const detailed = others.map(({ field, description }) => `${field ?? "?"}: ${description ?? "?"}`);
  const parts = typeof message === "string" ? [message, ...detailed] : [shown(answer.body)];
  const sentence = parts.map((part) => part.replace(/\.$/, "")).join("; ");
  const hint = answer.headers["x-sandbox-hint"];
  return `${what} was answered with ${answer.status}: ${sentence}.${hint === undefined ? "" : ` ${hint}`}`;
}
