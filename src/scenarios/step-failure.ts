import type { Answer } from "../partner/partner-request.ts";
import { CommandFailure } from "../base/failures.ts";
import type { Difference } from "./expectation.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { type Place, shown } from "./source.ts";

/** The place of a failed step inside a round, and its title: `round 3: call createSubscription`. */
export interface RoundPlace extends Place {
  readonly title: string;
}

/** A step that failed. The message is whole sentences. */
export class StepFailure extends CommandFailure {
  override readonly name = "StepFailure";
  readonly differences: readonly Difference[];
  readonly answer: Answer | undefined;
  /** Undefined for a step outside of a `repeat`. */
  readonly at: RoundPlace | undefined;

  constructor(
    message: string,
    details: {
      differences?: readonly Difference[];
      answer?: Answer | undefined;
      at?: RoundPlace | undefined;
    } = {},
  ) {
    super(message);
    this.at = details.at;
    this.differences = details.differences ?? [];
    this.answer = details.answer;
  }
}

/** Returns the title of a failed step, with the round if the failure has one. */
export function failedTitle(title: string, error: unknown): string {
  return error instanceof StepFailure && error.at !== undefined ? `${title}, ${error.at.title}` : title;
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
