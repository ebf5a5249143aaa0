import type { Context, MiddlewareHandler, Next } from "hono";
import type { ServerEnv } from "../environment.ts";
import type { Operation } from "../../api/operations.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { setTimeout as pause } from "node:timers/promises";
import { addDuration } from "../../engine/instant.ts";
import { appliedIn, applyFaults } from "../../platform/faults/selection.ts";
import { assert } from "../../engine/assertion.ts";
import { callerOf } from "../caller.ts";
import { clientIdOf } from "./client-credentials.ts";
import { readTextBody } from "../request.ts";
import { inboundOf } from "../inbound-requests.ts";
import { type AppliedFault, faults } from "../../platform/faults/fault.ts";
import { dropConnection, jsonAnswer, replaceAnswer } from "../answer.ts";
import { memory } from "../../process/memory.ts";
import { memoryFull, unavailable } from "../unavailable.ts";

/** Applies the faults of the caller's world to the calls of an operation, before anything of them is checked. */
export function applyCallFaults(worlds: Worlds, operation: Operation): MiddlewareHandler<ServerEnv> {
  return async function applyFaultsOfCall(c, next) {
    const world =
      operation.operationId === "issueToken"
        ? worlds.ofCredential(await clientIdOf(c.req.raw.clone()))
        : callerOf(c).world;
    return answerIn(world ?? worlds.default, c, next);
  };

  async function answerIn(world: World, c: Context<ServerEnv>, next: Next): Promise<Response | void> {
    if (world.simulation.records.count(faults) === 0) return next();
    // A fault that takes effect is stored, also by a call that only reads.
    if (memory.isFull) return unavailable(world, memoryFull());
    await world.ready();
    const applied = applicableFaults(world, operation.operationId, c);
    const inbound = inboundOf(c);
    inbound.touchedBy(applied.map(({ effect }) => effect));
    const latency = appliedIn(applied, "pause");
    if (latency !== undefined) await pause(addDuration(0, String(latency.fields["by"]), "UTC"));
    const fault = appliedIn(applied, "answer");
    if (fault === undefined) return next();
    if (fault.effect !== "reset") {
      if (inbound.body === undefined) await readTextBody(c.req.raw, inbound);
      return errorAnswer(c, world, { operation, status: statusOf(fault) });
    }
    await next();
    replaceAnswer(c, dropConnection(c.env));
    return undefined;
  }
}

function applicableFaults(world: World, operation: string, c: Context): readonly AppliedFault[] {
  const params = c.req.param() as Readonly<Record<string, string>>;
  const apply = (tx: Transaction): readonly AppliedFault[] =>
    applyFaults(tx, {
      stage: "call",
      operation,
      objectId: Object.values(params)[0] ?? null,
      isAbout: (objectId) => Object.values(params).includes(objectId),
    });
  const outcome = world.execute({ by: "call", name: operation }, apply, inboundOf(c));
  assert(outcome.ok, "the faults of a call were refused");
  return outcome.value;
}

function statusOf({ effect, fields }: AppliedFault): number {
  return effect === "unavailable" ? 503 : Number(fields["status"]);
}

/** The codes and messages of the statuses that the interface names (assumption: http.statuses). */
const ERRORS: Readonly<Record<number, readonly [error: string, message: string]>> = {
  400: ["INVALID_REQUEST", "The request is not valid"],
  401: ["UNAUTHORIZED", "Unauthorized Request"],
  403: ["FORBIDDEN_ERROR", "Forbidden"],
  404: ["NOT_FOUND", "Resource not found"],
  503: ["INTERNAL_ERROR", "The service is unavailable. Try again later."],
};

interface FaultyAnswer {
  readonly operation: Operation;
  readonly status: number;
}

function errorAnswer(c: Context, world: World, { operation, status }: FaultyAnswer): Response {
  const [error, message] =
    ERRORS[status] ??
    (status < 500 ? ["INVALID_REQUEST", "Request refused"] : ["INTERNAL_ERROR", "Unexpected error"]);
  const headers = status === 503 ? { "retry-after": "5" } : {};
  const answer = (body: unknown): Response => jsonAnswer(world, status, body, headers, inboundOf(c));
  if (operation.errorForm === "sentences") return answer([message]);
  if (operation.errorForm === "common") return answer({ error, message, details: [] });
  const oauth =
    status < 500 ? "invalid_request" : status === 503 ? "temporarily_unavailable" : "server_error";
  return answer({ error: oauth, error_description: message });
}
