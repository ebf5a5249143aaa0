import type { Context, MiddlewareHandler } from "hono";
import { type InboundRequest, UNKNOWN_PATH } from "../worlds/inbound-request.ts";
import type { RequestHead } from "../worlds/masking.ts";
import type { World } from "../worlds/world.ts";
import type { RequestEnvironment, ServerEnv } from "./environment.ts";
import { assertDefined } from "../engine/assertion.ts";
import { callerOf } from "./caller.ts";
import { CUT_STATUS } from "./answer.ts";
import { DEFAULT_WORLD, type Worlds } from "../worlds/worlds.ts";
import { operationAt } from "../api/operations.ts";
import { performance } from "node:perf_hooks";
import { REQUEST_ID } from "./request.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/** Learns of each request once it is answered: with the status null its connection was dropped. */
export type AnsweredListener = (
  request: InboundRequest,
  answered: {
    /** Undefined for what is no operation of the interface. */
    readonly operation: string | undefined;
    readonly world: World;
    readonly status: number | null;
    readonly durationMs: number;
  },
) => void;

/**
 * Puts each request, once it is answered, into the journal of the world that it is about, and counts the errors that the
 * interface answers with.
 */
export function noteRequests(worlds: Worlds, listener?: AnsweredListener): MiddlewareHandler<ServerEnv> {
  return async function noteRequest(c, next) {
    const { inbound: ofEarlierTry, log } = c.env;
    const began = performance.now();
    try {
      await next();
    } finally {
      c.env.inbound?.close();
    }
    if (c.env.inbound === ofEarlierTry) return;
    finish(worlds, c, { durationMs: performance.now() - began, listener });
    const { id, namedIn } = inboundOf(c);
    if (log === undefined && namedIn !== c.res && c.res.type !== "error") c.res.headers.set(REQUEST_ID, id);
  };
}

/** The request that a handler answers, as the journal keeps it. */
export function inboundOf(c: Context): InboundRequest {
  return assertDefined((c.env as RequestEnvironment).inbound, "the request of a context");
}

/** Only the status of the answer is read: reading anything else costs the server its fast path. */
function finish(
  worlds: Worlds,
  c: Context<ServerEnv>,
  { durationMs, listener }: { readonly durationMs: number; readonly listener: AnsweredListener | undefined },
): void {
  const { res: response } = c;
  const inbound = inboundOf(c);
  // A network error has the status 0.
  const wasDropped =
    response === RESPONSE_ALREADY_SENT || response.status === 0 || response.status === CUT_STATUS;
  const status = wasDropped ? null : response.status;
  inbound.ended(status, durationMs);
  const isRefused = status !== null && status >= 400;
  const { head } = inbound;
  if (listener === undefined && inbound.isJournaled && !isRefused) return;
  // A storage that failed may have made the worlds again.
  const world = worlds.here(callerOf(c).world?.id ?? DEFAULT_WORLD) ?? worlds.here(DEFAULT_WORLD);
  if (world === undefined) return;
  listener?.(inbound, { operation: operationAt(head)?.operationId, world, status, durationMs });
  if ((inbound.isJournaled && !isRefused) || head.path.startsWith("/sandbox/")) return;
  if (isRefused) world.coverage.refused(codeIn(inbound.answer) ?? CODES[status] ?? "INTERNAL_ERROR");
  const name = operationAt(head)?.operationId ?? (isLost(head, status) ? UNKNOWN_PATH : undefined);
  if (name !== undefined) world.note({ by: "call", name }, inbound);
}

/** Whether a client called an operation that does not exist; what browsers fetch for a page is no call. */
function isLost({ path, headers }: RequestHead, status: number | null): boolean {
  return status === 404 && !path.startsWith("/pay/") && (headers["sec-fetch-dest"] ?? "empty") === "empty";
}

/** The code of an error; undefined if the answer has none, such as one in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}
