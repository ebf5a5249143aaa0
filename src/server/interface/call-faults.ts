import type { Context } from "hono";
import type { AppliedFault } from "../../platform/faults/fault.ts";
import type { Operation } from "../../api/operations.ts";
import type { World } from "../../worlds/world.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { setTimeout as pause } from "node:timers/promises";
import { after } from "../after.ts";
import { addDuration } from "../../engine/instant.ts";
import { appliedOf, applyFaults } from "../../platform/faults/selection.ts";
import { bearerToken } from "../caller.ts";
import { assert } from "../../engine/assertion.ts";
import { clientIdOf } from "./token-client.ts";
import { faults } from "../../platform/faults/fault.ts";
import type { InboundRequest } from "../../worlds/inbound-request.ts";
import { inboundOf } from "../inbound-requests.ts";
import { jsonAnswer } from "../answer.ts";

type Route = (c: Context) => Response | Promise<Response>;

/** Lets the faults of the caller's world at the requests to one operation, before anything else is looked at. */
export function withCallFaults(
  worlds: Worlds,
  operation: Operation & { operationId: string },
  route: Route,
): Route {
  const worldOf = operation.operationId === "issueToken" ? worldOfClient : worldOfToken;
  return function answerWithFaults(c: Context): Response | Promise<Response> {
    return after<World, Response>(worldOf(worlds, c.req.raw), (world) =>
      world.simulation.records.count(faults) === 0 ? route(c) : answerFaultily(world, c),
    );
  };

  async function answerFaultily(world: World, c: Context): Promise<Response> {
    const applied = callFaults(world, operation.operationId, c);
    const latency = appliedOf(applied, "latency");
    if (latency !== undefined) await pause(addDuration(0, String(latency.fields["by"]), "UTC"));
    const fault = appliedOf(applied, "error", "unavailable", "reset");
    if (fault === undefined) return route(c);
    if (fault.effect !== "reset")
      return errorAnswer({ world, inbound: inboundOf(c) }, operation, statusOf(fault));
    await route(c);
    return dropConnection(c);
  }
}

/** The world of the token that a request carries; without one, the default world. */
function worldOfToken(worlds: Worlds, request: Request): World {
  const token = bearerToken(request);
  return (token === undefined ? undefined : worlds.ofCredential(token)) ?? worlds.default;
}

/** The world of the client that asks for a token. */
async function worldOfClient(worlds: Worlds, request: Request): Promise<World> {
  return worlds.ofCredential(await clientIdOf(request.clone())) ?? worlds.default;
}

function callFaults(world: World, operation: string, c: Context): readonly AppliedFault[] {
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

/** Words for the statuses that the interface has words for (assumption: http.statuses). */
const ERRORS: Readonly<Record<number, readonly [error: string, message: string]>> = {
  400: ["INVALID_REQUEST", "The request is not valid"],
  401: ["UNAUTHORIZED", "Unauthorized Request"],
  403: ["FORBIDDEN_ERROR", "Forbidden"],
  404: ["NOT_FOUND", "Resource not found"],
  503: ["INTERNAL_ERROR", "The service is unavailable. Try again later."],
};

interface Failing {
  readonly world: World;
  readonly inbound: InboundRequest | undefined;
}

function errorAnswer({ world, inbound }: Failing, { errorForm }: Operation, status: number): Response {
  const [error, message] =
    ERRORS[status] ??
    (status < 500 ? ["INVALID_REQUEST", "Request refused"] : ["INTERNAL_ERROR", "Unexpected error"]);
  const headers = status === 503 ? { "retry-after": "5" } : {};
  if (errorForm === "sentences") return jsonAnswer(world, status, [message], headers, inbound);
  if (errorForm === "oauth") {
    const oauth =
      status < 500 ? "invalid_request" : status === 503 ? "temporarily_unavailable" : "server_error";
    return jsonAnswer(world, status, { error: oauth, error_description: message }, headers, inbound);
  }
  return jsonAnswer(world, status, { error, message, details: [] }, headers, inbound);
}

/** Ends the connection with a reset; in process, where there is none, the answer is a network error. */
function dropConnection(c: Context): Response {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket: { resetAndDestroy(): void } } };
  if (incoming === undefined) return Response.error();
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}
