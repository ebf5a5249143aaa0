import type { LoggedRequest } from "../../api/generated/shapes.ts";
import type { BaselineCall } from "./deviations.ts";
import { calledObject } from "../../api/called-object.ts";
import { isRecord, parsed } from "../../engine/json.ts";
import { Occurrences } from "./occurrences.ts";
import { nameText, type Naming } from "../oracle/naming.ts";
import { operations } from "../../api/operations.ts";

/** A call of the interface in a run. */
export interface PlayedCall {
  readonly operation: string;
  /** What it is about, as its caller names it. */
  readonly object: string;
  /** The idempotency key. */
  readonly key: string | null;
  readonly body: string | null;
  /** Null where no answer was sent. */
  readonly status: number | null;
  /** Whether the platform did what the call asks for, whatever it answered. */
  readonly isCarriedOut: boolean;
  readonly answer: unknown;
  /** The step of the scenario that made it; undefined for the partner's system. */
  readonly step?: number;
  readonly objectNumber: number;
  readonly occurrence: number;
}

/** The id of the calls that a step makes itself. */
export const stepRequestId = (step: number): string => `explore-step-${step}`;

const STEP_REQUEST = /^explore-step-(\d+)$/;

/** The effects after which the caller does not know that its call was carried out. */
const HIDING = new Set(["reset", "error", "latency"]);

/** The calls of a run in the order in which they came. */
export function playedCalls(log: readonly LoggedRequest[]): PlayedCall[] {
  const counted = new Occurrences();
  return log.flatMap((one) => {
    const { operationId: operation, status, injected, requestBody: body } = one;
    if (operation === null) return [];
    const object = objectOf(operation, one);
    const step = STEP_REQUEST.exec(one.id)?.[1];
    const isHidden = injected.some((effect) => HIDING.has(effect)) && !injected.includes("unavailable");
    return [
      {
        operation,
        object,
        key: one.requestHeaders["idempotency-key"] ?? null,
        body,
        status,
        isCarriedOut: (status !== null && status < 400) || (isHidden && status !== 429),
        answer: parsed(one.responseBody ?? ""),
        ...(step !== undefined && { step: Number(step) }),
        ...counted.next(operation, object, operation),
      },
    ];
  });
}

function objectOf(operation: string, { path, requestBody }: LoggedRequest): string {
  const template = operations[operation as keyof typeof operations].path.split("/");
  const parts = (path.split("?")[0] ?? "").split("/");
  const params = template.flatMap((part, index) => (part.startsWith("{") ? [parts[index] ?? ""] : []));
  return calledObject(params, parsed(requestBody ?? ""));
}

/** Which call it is in any run. */
export function callIdentity({ operation, objectNumber, occurrence }: PlayedCall | BaselineCall): string {
  return JSON.stringify([operation, objectNumber, occurrence]);
}

/** The calls of a baseline; `repeats` says whether a step repeats its call. */
export function baselineCalls(
  calls: readonly PlayedCall[],
  naming: Naming,
  repeats: (step: number) => boolean,
): BaselineCall[] {
  return calls.map(({ operation, object, objectNumber, occurrence, step }, index) => ({
    index: index + 1,
    operation,
    object: object
      .split(" ")
      .map((name) => nameText(name, naming))
      .join(" "),
    objectNumber,
    occurrence,
    isRepeated: step === undefined || repeats(step),
  }));
}

/** The texts of the answer to a call, which no token is. */
export function answerOf({ operation, answer }: PlayedCall): unknown {
  return operation === "issueToken" || !isRecord(answer) ? undefined : answer;
}
