import type { Context } from "hono";
import type { Answer, RequestEnvironment } from "./listen.ts";
import type { RequestHead } from "../worlds/inbound-request.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { CUT_STATUS } from "./answer.ts";
import { bearerIn, REQUEST_ID, requestIdOf, WORLD_HEADER } from "./request.ts";
import { DEFAULT_WORLD } from "../worlds/worlds.ts";
import { InboundRequest, UNKNOWN_PATH } from "../worlds/inbound-request.ts";
import { operationAt } from "../api/operations.ts";
import { performance } from "node:perf_hooks";

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/**
 * Gives each request to those who answer it as `env.inbound`, by which it gets into the journal of a world, and counts
 * the errors that the interface answers with. A request in process gets its id here.
 */
export function answerInbound(worlds: Worlds, answer: Answer): Answer {
  return async function answerFollowed(request, env: RequestEnvironment = {}) {
    const inbound = new InboundRequest(() => headOf(request), env.requestId ?? requestIdOf(request));
    env.inbound = inbound;
    const began = performance.now();
    const response = await answer(request, env);
    finish(worlds, inbound, { response, durationMs: performance.now() - began });
    if (env.requestId === undefined && response.type !== "error")
      response.headers.set(REQUEST_ID, inbound.id);
    return response;
  };
}

/** The request that a handler answers. */
export function inboundOf(c: Context): InboundRequest | undefined {
  return ((c.env ?? {}) as RequestEnvironment).inbound;
}

function headOf({ method, url, headers }: Request): RequestHead {
  const { origin } = new URL(url);
  return { method, path: url.slice(origin.length), origin, headers: Object.fromEntries(headers) };
}

interface Finished {
  readonly response: Response;
  readonly durationMs: number;
}

/** Only the status of the answer is read: reading anything else costs the server its fast path. */
function finish(worlds: Worlds, inbound: InboundRequest, { response, durationMs }: Finished): void {
  // A network error has the status 0.
  const wasDropped =
    response === RESPONSE_ALREADY_SENT || response.status === 0 || response.status === CUT_STATUS;
  const status = wasDropped ? null : response.status;
  inbound.ended(status, durationMs);
  const isRefused = status !== null && status >= 400;
  if (inbound.isJournaled && !isRefused) return;
  const { head } = inbound;
  if (head.path.startsWith("/sandbox/")) return;
  const world = worldOf(worlds, head);
  if (world === undefined) return;
  if (isRefused) world.coverage.refused(codeIn(inbound.answer) ?? CODES[status] ?? "INTERNAL_ERROR");
  const name = operationAt(head)?.operationId ?? (isLost(head, status) ? UNKNOWN_PATH : undefined);
  if (name !== undefined) world.note({ by: "call", name }, inbound);
}

/** Whether a client looked for an operation where there is none; what browsers fetch for a page is no call. */
function isLost({ path, headers }: RequestHead, status: number | null): boolean {
  return status === 404 && !path.startsWith("/pay/") && (headers["sec-fetch-dest"] ?? "empty") === "empty";
}

/** The code of an error; undefined where the answer has none, such as one in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

/** The world that a request names by its id or by its token; undefined where another server has it. */
function worldOf(worlds: Worlds, { headers }: RequestHead): World | undefined {
  const named = headers[WORLD_HEADER];
  if (named !== undefined) return worlds.get(named) ?? worlds.here(DEFAULT_WORLD);
  const token = bearerIn(headers["authorization"] ?? null);
  return (token === undefined ? undefined : worlds.ofCredential(token)) ?? worlds.here(DEFAULT_WORLD);
}
