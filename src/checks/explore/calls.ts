import type { Lint, LoggedRequest } from "../../simulator/api/generated/shapes.ts";
import type { BaselineCall } from "./deviations.ts";
import { objectOf } from "../../partner/called-objects.ts";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import { Occurrences } from "./occurrences.ts";
import { nameText, type Naming } from "../../partner/states/naming.ts";
import { REQUEST_ID_HEADER } from "../../server/control/client.js";

/** A call of the platform API in a run. */
export interface PlayedCall {
  readonly id: string;
  readonly operation: string;
  /** The object of the call, by its caller's name for it. */
  readonly object: string;
  /** The idempotency key of the call. Null without one. */
  readonly key: string | null;
  readonly body: string | null;
  /** Null if no answer was sent. */
  readonly status: number | null;
  /** True if the platform executed the call, even if it answered with an error. */
  readonly isCarriedOut: boolean;
  readonly answer: unknown;
  /** The step of the scenario that made it. Undefined for the partner's system. */
  readonly step?: number;
  readonly objectNumber: number;
  readonly occurrence: number;
}

/** Returns the id of the calls that a step makes itself. */
export const stepRequestId = (step: number): string => `explore-step-${step}`;

const STEP_REQUEST = /^explore-step-(\d+)$/;

/** Returns true for a call of the partner's system, and false for a call of a step. */
export const isOfSystem = ({ id }: { readonly id: string }): boolean => !STEP_REQUEST.test(id);

export const isDisturbed = ({ injected }: { readonly injected: readonly string[] }): boolean =>
  injected.length > 0;

/**
 * Maps each id that the sandbox drew to an id that repeats in the same run. The sandbox draws an id for a call without
 * one.
 */
export function idsOfRun(log: readonly LoggedRequest[], run: string): Map<string, string> {
  return new Map(
    log.flatMap(({ id, requestHeaders }, index) =>
      requestHeaders[REQUEST_ID_HEADER] === undefined ? [[id, `${run}-call-${index + 1}`]] : [],
    ),
  );
}

/** Returns the calls of a run in the order of their arrival. */
export function playedCalls(log: readonly LoggedRequest[]): PlayedCall[] {
  const counted = new Occurrences();
  return log.flatMap((one) => {
    const { operationId: operation, status, requestBody: body } = one;
    if (operation === null) return [];
    const object = objectOf(operation, one);
    const step = STEP_REQUEST.exec(one.id)?.[1];
    return [
      {
        id: one.id,
        operation,
        object,
        key: one.requestHeaders["idempotency-key"] ?? null,
        body,
        status,
        isCarriedOut: one.carriedOut === true || (status !== null && status < 400),
        answer: parsed(one.responseBody ?? ""),
        ...(step !== undefined && { step: Number(step) }),
        ...counted.next(operation, object, operation),
      },
    ];
  });
}

/**
 * Returns the calls that were answered with 429 and sent again before the limit was over, each with its repetitions.
 */
export function hastyRepeats(calls: readonly PlayedCall[]): [PlayedCall, ...PlayedCall[]][] {
  const limited = calls.filter(({ status }) => status === 429);
  const same = Map.groupBy(limited, ({ operation, object, body }) =>
    JSON.stringify([operation, object, body]),
  );
  return Array.from(same.values()).flatMap(([first, ...again]) =>
    first === undefined || again.length === 0 ? [] : [[first, ...again]],
  );
}

/** Repetitions that come sooner are not suspicious yet: the first pauses of a system may be short. */
const HASTY_MAX = 2;

/** Finds suspicious reactions to a refusal with 429. */
export function hastyLints(calls: readonly PlayedCall[]): Lint[] {
  return hastyRepeats(calls)
    .filter(({ length }) => length > HASTY_MAX + 1)
    .map((same) => ({
      lint: "repeated-refusal",
      message: `${same[0].operation} was answered with 429 and sent again ${same.length - 1} times before Retry-After was over.`,
      fix: "Wait for the time in Retry-After, or with growing pauses, before you send the call again.",
      operation: same[0].operation,
      requests: same.map(({ id }) => id),
    }));
}

/** Returns the key that identifies a call in any run. */
export function callIdentity({ operation, objectNumber, occurrence }: PlayedCall | BaselineCall): string {
  return JSON.stringify([operation, objectNumber, occurrence]);
}

/** A call with names for the texts that only its run has. */
interface NamedCall extends PlayedCall {
  /** The name of its object. It is equal in every run if the scenario names the object. */
  readonly label: string;
  /** Its body without the name of its object. */
  readonly content: string;
}

/** Returns calls with names. `naming` has the names of the texts that the steps of their run saved and sent. */
export function namedCalls(calls: readonly PlayedCall[], naming: Naming): NamedCall[] {
  return calls.map((call) => ({
    ...call,
    label: nameText(call.object, naming),
    content: nameText(withoutName(call.body ?? ""), naming),
  }));
}

/** Returns the caller's name for the object in the body of a call. */
export function externalIdIn(body: string | null): string | undefined {
  const sent = parsed(body ?? "");
  const order = isRecord(sent) && isRecord(sent["order"]) ? sent["order"] : sent;
  const name = isRecord(order) ? order["externalId"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function withoutName(body: string): string {
  const name = externalIdIn(body);
  return name === undefined ? body : nameText(body, { names: new Map([[name, "its name"]]) });
}

/** The identities that find a call in any other run, the more reliable identity first. */
export const callIdentities: readonly ((call: NamedCall) => string)[] = [
  ({ operation, label, occurrence }) => JSON.stringify([operation, label, occurrence]),
  ({ operation, content, occurrence }) => JSON.stringify([operation, content, occurrence]),
  callIdentity,
];

/** Returns the calls of a baseline. `repeats` says if a step repeats its call. */
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

/** Returns the answer to a call for its texts. A token is left out. */
export function answerOf({ operation, answer }: PlayedCall): unknown {
  return operation === "issueToken" || !isRecord(answer) ? undefined : answer;
}
