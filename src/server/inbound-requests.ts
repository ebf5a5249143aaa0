import type { Context } from "hono";
import type { Answer, RequestEnvironment } from "./listen.ts";
import type { RequestHead } from "../worlds/inbound-request.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { bearerIn, PLAN_HEADER } from "./request.ts";
import { InboundRequest } from "../worlds/inbound-request.ts";

/** Refusals of requests that no command was run for; they belong to a recording all the same. */
const REFUSED_EARLY: ReadonlySet<number> = new Set([400, 401, 403]);

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/**
 * Gives each request to those who answer it as `env.inbound`, by which it gets into the journal of a world, and counts
 * the errors that the interface answers with.
 */
export function answerInbound(worlds: Worlds, answer: Answer): Answer {
  return async function answerFollowed(request, env: RequestEnvironment = {}) {
    const inbound = new InboundRequest(() => headOf(request), env.requestId);
    env.inbound = inbound;
    const response = await answer(request, env);
    finish(worlds, inbound, response);
    return response;
  };
}

/** The request that a handler answers. */
export function inboundOf(c: Context): InboundRequest | undefined {
  return ((c.env ?? {}) as RequestEnvironment).inbound;
}

function headOf({ method, url, headers }: Request): RequestHead {
  const { origin } = new URL(url);
  const plan = headers.get(PLAN_HEADER);
  return {
    method,
    path: url.slice(origin.length),
    origin,
    authorization: headers.get("authorization"),
    contentType: headers.get("content-type"),
    idempotencyKey: headers.get("idempotency-key"),
    ...(plan !== null && { plan }),
  };
}

/** Only the status of the answer is read: reading anything else costs the server its fast path. */
function finish(worlds: Worlds, inbound: InboundRequest, response: Response): void {
  // A network error has the status 0.
  const wasDropped = response === RESPONSE_ALREADY_SENT || response.status === 0;
  const status = wasDropped ? null : response.status;
  inbound.ended(status);
  if (status === null || status < 400) return;
  const { path, authorization } = inbound.head;
  if (path.startsWith("/sandbox/")) return;
  const world = worldOf(worlds, authorization);
  world.coverage.refused(codeIn(inbound.answer) ?? CODES[status] ?? "INTERNAL_ERROR");
  if (REFUSED_EARLY.has(status)) world.note({ by: "call", name: "refused" }, inbound);
}

/** The code of an error; undefined where the answer has none, such as one in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

function worldOf(worlds: Worlds, authorization: string | null): World {
  const token = bearerIn(authorization);
  return (token === undefined ? undefined : worlds.ofCredential(token)) ?? worlds.default;
}
