import type { Context } from "hono";
import type { Answering, ServerEnv } from "../environment.ts";
import type { Operation } from "../../simulator/api/operations.ts";
import type { Transaction } from "../../simulator/engine/transaction.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { setTimeout as pause } from "node:timers/promises";
import { durationMs } from "../../simulator/engine/instant.ts";
import { accessTokens } from "../../simulator/platform/companies/access-token.ts";
import { appliedIn, appliedOf, applyFaults } from "../../simulator/platform/faults/selection.ts";
import { assert, assertDefined } from "../../simulator/engine/assertion.ts";
import { calledObject } from "../../simulator/api/called-object.ts";
import { callerOf } from "../caller.ts";
import { clientIdOf } from "./client-credentials.ts";
import { readTextBody } from "../request.ts";
import { inboundOf } from "../inbound-requests.ts";
import { type AppliedFault, faults } from "../../simulator/platform/faults/fault.ts";
import { effectOf } from "../../simulator/platform/faults/effects.ts";
import { affects, slots } from "../../simulator/platform/faults/effect.ts";
import { parsed } from "../../simulator/engine/json.ts";
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

/** Answers calls of an operation. */
type CallHandler = (c: Context<ServerEnv>) => Answering;

/** Applies the faults of the caller's world to the calls of an operation, before `answer` checks the calls. */
export function withCallFaults(
  worlds: Worlds,
  operation: Operation,
  answer: CallHandler,
  listener?: CallFaultListener,
): CallHandler {
  if (operation.operationId !== "issueToken")
    return (c) => {
      const world = callerOf(c).world ?? worlds.default;
      return hasFaults(world) ? answerFaulty(world, c) : answer(c);
    };
  return async function answerTokenRequest(c) {
    const world = worlds.ofCredential(await clientIdOf(c.req.raw.clone())) ?? worlds.default;
    return hasFaults(world) ? answerFaulty(world, c) : answer(c);
  };

  async function answerFaulty(world: World, c: Context<ServerEnv>): Promise<Response> {
    // A fault that takes effect is stored, also by a call that only reads.
    if (memory.isFull) return unavailable(world, memoryFull());
    const object = await objectOf(world, c);
    await world.clock.ready();
    const applied = applicableFaults(world, operation.operationId, c, object);
    const inbound = inboundOf(c);
    inbound.touchedBy(applied.map(({ effect }) => effect));
    const latency = appliedIn(applied, "pause");
    const fault = appliedIn(applied, "answer");
    const isLateAfterwards = latency?.fields["after"] === true;
    if (latency !== undefined && !isLateAfterwards) await pauseOf(latency);
    const isCarriedOut =
      fault === undefined || effectOf(fault.effect).isCarriedOut === true || fault.fields["after"] === true;
    const carriedOut = isCarriedOut ? await carryOut(c) : undefined;
    if (!isCarriedOut && inbound.body === undefined) await readTextBody(c.req.raw, inbound);
    if (listener !== undefined && applied.length > 0) {
      const ids = applied.map(({ faultId }) => faultId);
      const answered = (): void => void listener(ids, "answered");
      if (c.env.outgoing === undefined) inbound.onEnd(answered);
      else c.env.outgoing.once("finish", answered);
      if (isCarriedOut) await listener(ids, "carried-out");
    }
    if (latency !== undefined && isLateAfterwards) await pauseOf(latency);
    if (carriedOut !== undefined && fault === undefined) return carriedOut;
    if (carriedOut !== undefined && fault?.effect === "answer-other-amount")
      return withOtherAmounts(carriedOut, c, world);
    return faultyAnswer(c, world, operation, assertDefined(fault, "the fault of an answer"));
  }

  /** Carries out a call. A fault applies to the answer of a failed call as well. */
  async function carryOut(c: Context<ServerEnv>): Promise<Response> {
    try {
      return await answer(c);
    } catch (error) {
      return failureAnswer(worlds, error as Error, c.env);
    }
  }
}

function hasFaults({ simulation }: World): boolean {
  return simulation.records.count(faults) > 0;
}

/** Returns the answer with other amounts if the call succeeded, otherwise the unchanged answer. */
function withOtherAmounts(answer: Response, c: Context<ServerEnv>, world: World): Response {
  const inbound = inboundOf(c);
  const { status, headers } = answer;
  if (status >= 400 || inbound.answer === undefined) return answer;
  const text = JSON.stringify(withOtherAmount(JSON.parse(inbound.answer)));
  return textAnswer(world, status, text, Object.fromEntries(headers), inbound);
}

function pauseOf({ fields }: AppliedFault): Promise<unknown> {
  return pause(durationMs(String(fields["by"])));
}

/** Returns the object of a call. Its body is read first only if a fault selects by the number of the object. */
async function objectOf(world: World, c: Context): Promise<string | undefined> {
  const isSelected = Array.from(world.simulation.records.all(faults)).some(
    ({ effect, selectors }) => selectors.objectNumber !== null && affects(effectOf(effect), "call"),
  );
  if (!isSelected) return undefined;
  const read = await readTextBody(c.req.raw.clone());
  return calledObject(paramsOf(c), "text" in read ? parsed(read.text) : undefined);
}

function paramsOf(c: Context): string[] {
  return Object.values(c.req.param() as Readonly<Record<string, string>>);
}

function applicableFaults(
  world: World,
  operation: string,
  c: Context,
  object: string | undefined,
): readonly AppliedFault[] {
  const params = paramsOf(c);
  const apply = (tx: Transaction): readonly AppliedFault[] => {
    const applied = applyFaults(tx, {
      slots: slots.call,
      operation,
      objectId: params[0] ?? null,
      object,
      isAbout: (objectId) => params.includes(objectId),
    });
    const { token } = callerOf(c);
    if (appliedOf(applied, "token-expired") && token !== undefined)
      tx.put(accessTokens, { ...token, isDead: true });
    return applied;
  };
  const outcome = world.execute({ by: "call", name: operation }, apply, inboundOf(c));
  assert(outcome.ok, "the faults of a call were refused");
  return outcome.value;
}

/** The codes and messages of the statuses that the interface names (assumption: http.statuses). */
const ERRORS: Readonly<Record<number, readonly [error: string, message: string]>> = {
  400: ["INVALID_REQUEST", "The request is not valid"],
  401: ["UNAUTHORIZED", "Unauthorized Request"],
  403: ["FORBIDDEN_ERROR", "Forbidden"],
  404: ["NOT_FOUND", "Resource not found"],
  503: ["INTERNAL_ERROR", "The service is unavailable. Try again later."],
};

/** The seconds of Retry-After if a fault does not set them. */
const RETRY_AFTER: Readonly<Record<number, number>> = { 429: 1, 503: 5 };

function faultyAnswer(c: Context, world: World, operation: Operation, fault: AppliedFault): Response {
  const { answers: status = Number(fault.fields["status"]) } = effectOf(fault.effect);
  if (status === null) return dropConnection(c.env);
  const [error, message] =
    ERRORS[status] ??
    (status < 500 ? ["INVALID_REQUEST", "Request refused"] : ["INTERNAL_ERROR", "Unexpected error"]);
  const retryAfter = fault.fields["retryAfter"] ?? RETRY_AFTER[status];
  const headers = {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...(fault.effect === "token-expired" && { "www-authenticate": "Bearer" }),
  };
  const answer = (body: unknown): Response => jsonAnswer(world, status, body, headers, inboundOf(c));
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
