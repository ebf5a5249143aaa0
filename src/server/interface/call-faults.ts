import type { Answering, NamedRequest } from "../environment.ts";
import type { Operation } from "../../simulator/api/operations.ts";
import type { Transaction } from "../../simulator/engine/transaction.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { setTimeout as pause } from "node:timers/promises";
import { durationMs } from "../../simulator/engine/instant.ts";
import { accessTokens } from "../../simulator/platform/companies/access-token.ts";
import { appliedIn, appliedOf, applyFaults } from "../../simulator/platform/faults/selection.ts";
import { assert } from "../../simulator/engine/assertion.ts";
import { calledObject } from "../../simulator/api/called-object.ts";
import { type ParsedBody, readTextBody } from "../request-body.ts";
import { type AppliedFault, faults } from "../../simulator/platform/faults/fault.ts";
import { effectOf } from "../../simulator/platform/faults/effects.ts";
import { affects, slots } from "../../simulator/platform/faults/effect.ts";
import { dropConnection, failureAnswer, jsonAnswer, textAnswer, unavailable } from "../answer.ts";
import { withOtherAmount } from "../../simulator/platform/faults/other-amount.ts";
import { memory } from "../../base/memory.ts";
import { memoryFull } from "../limits.ts";

/**
 * Called with the ids of faults that affect a call: after the call was carried out, and after its answer was sent. The
 * answer waits for the first call.
 */
export type CallFaultListener = (
  faultIds: readonly string[],
  moment: "carried-out" | "answered",
) => Promise<void>;

/** A call that faults may affect. */
interface FaultyCall {
  readonly worlds: Worlds;
  readonly operation: Operation;
  readonly named: NamedRequest;
  /** The world whose faults apply. */
  readonly world: World;
  /** Reads the body. Undefined if the operation has no JSON body. */
  readonly reading: Promise<ParsedBody> | undefined;
}

/** Returns true if a world has faults, which may affect a call. */
export function hasFaults({ simulation }: World): boolean {
  return simulation.records.count(faults) > 0;
}

/**
 * Answers a call with the faults of its world, in three layers: faults before the call, a fault instead of the call,
 * and faults after the call.
 */
export async function answerWithFaults(
  call: FaultyCall,
  carryOut: () => Answering,
  listener?: CallFaultListener,
): Promise<Response> {
  const { world, named } = call;
  // A fault applies to a call with a wrong body as well.
  const body = await call.reading?.catch(() => undefined);
  // A fault that takes effect is stored, also by a call that only reads.
  if (memory.isFull) return unavailable(world, memoryFull());
  await world.clock.ready();
  const applied = decideFaults(call, body);
  named.inbound.touchedBy(applied.map(({ effect }) => effect));
  await before(applied);
  const fault = appliedIn(applied, "answer");
  if (fault !== undefined && !isCarriedOut(fault)) return instead(call, applied, fault, listener);
  const answer = await carriedOut(call, carryOut);
  return after(call, applied, answer, listener);
}

/** The faults that hold a call before it is carried out. */
async function before(applied: readonly AppliedFault[]): Promise<void> {
  const latency = appliedIn(applied, "pause");
  if (latency !== undefined && latency.fields["after"] !== true) await pauseOf(latency);
}

/** The fault that refuses a call, which is not carried out. */
async function instead(
  call: FaultyCall,
  applied: readonly AppliedFault[],
  fault: AppliedFault,
  listener: CallFaultListener | undefined,
): Promise<Response> {
  const { inbound } = call.named;
  // The log has the body of every call with a fault, also of an operation without a body.
  if (inbound.body === undefined) await readTextBody(call.named);
  if (listener !== undefined) whenSent(call, () => void listener(idsOf(applied), "answered"));
  await lateAfter(applied);
  return faultyAnswer(call, fault);
}

/** The faults that hold, change or lose the answer of a call. */
async function after(
  call: FaultyCall,
  applied: readonly AppliedFault[],
  answer: Response,
  listener: CallFaultListener | undefined,
): Promise<Response> {
  if (listener !== undefined && applied.length > 0) {
    whenSent(call, () => void listener(idsOf(applied), "answered"));
    await listener(idsOf(applied), "carried-out");
  }
  await lateAfter(applied);
  const fault = appliedIn(applied, "answer");
  if (fault === undefined) return answer;
  return fault.effect === "answer-other-amount" ? withOtherAmounts(call, answer) : faultyAnswer(call, fault);
}

function isCarriedOut({ effect, fields }: AppliedFault): boolean {
  return effectOf(effect).isCarriedOut === true || fields["after"] === true;
}

/** Carries out a call. A fault applies to the answer of a failed call as well. */
async function carriedOut({ worlds, named }: FaultyCall, carryOut: () => Answering): Promise<Response> {
  try {
    return await carryOut();
  } catch (error) {
    return failureAnswer(worlds, error as Error, named);
  }
}

function idsOf(applied: readonly AppliedFault[]): string[] {
  return applied.map(({ faultId }) => faultId);
}

/** Calls the listener once the answer was sent. */
function whenSent({ named: { env, end } }: FaultyCall, listener: () => void): void {
  if (env.outgoing === undefined) end.on(listener);
  else env.outgoing.once("finish", listener);
}

async function lateAfter(applied: readonly AppliedFault[]): Promise<void> {
  const latency = appliedIn(applied, "pause");
  if (latency?.fields["after"] === true) await pauseOf(latency);
}

/** Returns the answer with other amounts if the call succeeded, otherwise the unchanged answer. */
function withOtherAmounts({ world, named }: FaultyCall, answer: Response): Response {
  const { inbound } = named;
  const { status, headers } = answer;
  if (status >= 400 || inbound.answer === undefined) return answer;
  const text = JSON.stringify(withOtherAmount(JSON.parse(inbound.answer)));
  return textAnswer(world, status, text, Object.fromEntries(headers), inbound);
}

async function pauseOf({ fields }: AppliedFault): Promise<void> {
  const ms = durationMs(String(fields["by"]));
  // A timer of 0 ms takes one.
  if (ms > 0) await pause(ms);
}

/** Returns the object of a call, if a fault selects by the number of the object. */
function objectOf(world: World, params: readonly string[], body: unknown): string | undefined {
  const isSelected = Array.from(world.simulation.records.all(faults)).some(
    ({ effect, selectors }) => selectors.objectNumber !== null && affects(effectOf(effect), "call"),
  );
  return isSelected ? calledObject(params, body) : undefined;
}

/** Decides the faults of a call as a command. */
function decideFaults(
  { world, operation, named }: FaultyCall,
  body: ParsedBody | undefined,
): readonly AppliedFault[] {
  const { caller, inbound, matched } = named;
  const params = Object.values(matched?.params ?? {});
  const { operationId } = operation;
  const object = objectOf(world, params, body !== undefined && "value" in body ? body.value : undefined);
  const apply = (tx: Transaction): readonly AppliedFault[] => {
    const applied = applyFaults(tx, {
      slots: slots.call,
      operation: operationId,
      objectId: params[0] ?? null,
      object,
      isAbout: (objectId) => params.includes(objectId),
    });
    const { token } = caller;
    if (appliedOf(applied, "token-expired") && token !== undefined)
      tx.put(accessTokens, { ...token, isDead: true });
    return applied;
  };
  const outcome = world.execute({ by: "call", name: operationId }, apply, inbound);
  assert(outcome.ok, "the faults of a call were refused");
  return outcome.value;
}

/** The codes and messages of the statuses that the platform API names (assumption: http.statuses). */
const ERRORS: Readonly<Record<number, readonly [error: string, message: string]>> = {
  400: ["INVALID_REQUEST", "The request is not valid"],
  401: ["UNAUTHORIZED", "Unauthorized Request"],
  403: ["FORBIDDEN_ERROR", "Forbidden"],
  404: ["NOT_FOUND", "Resource not found"],
  503: ["INTERNAL_ERROR", "The service is unavailable. Try again later."],
};

/** The seconds of Retry-After if a fault does not set them. */
const RETRY_AFTER: Readonly<Record<number, number>> = { 429: 1, 503: 5 };

/** Answers in place of the platform, or cuts the connection. */
function faultyAnswer({ world, operation, named }: FaultyCall, fault: AppliedFault): Response {
  const { answers: status = Number(fault.fields["status"]) } = effectOf(fault.effect);
  if (status === null) {
    named.inbound.isDropped = true;
    return dropConnection(named);
  }
  const [error, message] =
    ERRORS[status] ??
    (status < 500 ? ["INVALID_REQUEST", "Request refused"] : ["INTERNAL_ERROR", "Unexpected error"]);
  const retryAfter = fault.fields["retryAfter"] ?? RETRY_AFTER[status];
  const headers = {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...(fault.effect === "token-expired" && { "www-authenticate": "Bearer" }),
  };
  const answer = (body: unknown): Response => jsonAnswer(world, status, body, headers, named.inbound);
  if (operation.errorForm === "sentences") return answer([message]);
  if (operation.errorForm === "common") return answer({ error, message, details: [] });
  const oauth =
    fault.effect === "token-expired"
      ? "invalid_client"
      : status < 500
        ? "invalid_request"
        : status === 503
          ? "temporarily_unavailable"
          : "server_error";
  return answer({ error: oauth, error_description: message });
}
