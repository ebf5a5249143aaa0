import type { Answer } from "./durable-answers.ts";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import type { Log } from "./log.ts";
import type { ServerResponse } from "node:http";
import { jsonAnswer, REQUEST_ID } from "./answer.ts";
import { memory } from "../worlds/memory.ts";
import { pathOf } from "./request-url.ts";

/** What a request carries beside itself: where its bugs are told of, and by which id. */
export interface RequestEnvironment {
  log?: Log;
  requestId?: string;
  /** The request as the journals of worlds take it. */
  inbound?: InboundRequest;
  /** The answer on the wire, where there is one. */
  outgoing?: ServerResponse;
}

/** Requests that are answered at a time; who comes while so many are in hand is told to come again. */
const IN_HAND_MAX = 1_000;

/** An id of the caller's own, if it is one that can stand in a log. */
const OWN_REQUEST_ID = /^[\w.:/+=-]{1,64}$/;

interface ServedOptions {
  readonly log: Log;
  readonly clock: { readonly now: number };
  readonly inHandMax?: number;
}

/**
 * Answers requests from a port: gives each an id, tells of it, and turns away those that are too many. `clock`
 * gives the world's time for the answers made here.
 */
export function served(answer: Answer, { log, clock, inHandMax = IN_HAND_MAX }: ServedOptions): Answer {
  const start = Date.now().toString(36);
  let count = 0;
  let inHand = 0;
  return function answerServed(request, env: RequestEnvironment = {}) {
    const own = request.headers.get(REQUEST_ID);
    const requestId = own !== null && OWN_REQUEST_ID.test(own) ? own : `${start}-${++count}`;
    if (inHand >= inHandMax) return tooMany({ clock, requestId }, inHandMax);
    const isTight = memory.isFull;
    if (isTight && !letsGo(request) && !KEEPS_NOTHING.has(request.method))
      return noMemory({ clock, requestId });
    inHand++;
    const began = performance.now();
    env.log = log;
    env.requestId = requestId;
    const finished = (response: Response): Response => {
      inHand--;
      // A header that is set here costs the server its fast path, so the answers asked for most bring it themselves.
      if (env.inbound?.isAnswerNamed !== true && env.outgoing?.headersSent === false)
        env.outgoing.setHeader(REQUEST_ID, requestId);
      if (isTight && letsGo(request)) memory.freed();
      tell(log, { request, requestId, status: response.status, durationMs: performance.now() - began });
      return response;
    };
    const failed = (error: unknown): never => {
      inHand--;
      throw error;
    };
    let answered: Response | Promise<Response>;
    try {
      answered = answer(request, env);
    } catch (error) {
      return failed(error);
    }
    return answered instanceof Promise ? answered.then(finished, failed) : finished(answered);
  };
}

/** What leaves nothing behind is answered as ever, however little memory is left. */
const KEEPS_NOTHING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/** Whether a request lets go of a world, or of what has come of one. */
function letsGo({ method, url }: Request): boolean {
  return /^(POST \/sandbox\/(reset|snapshots\/[^/]+\/restore)|DELETE \/sandbox\/worlds\/[^/]+)$/.test(
    `${method} ${pathOf(url)}`,
  );
}

interface Answered {
  readonly request: Request;
  readonly requestId: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Tells what was asked and how it went; never what was in it. */
function tell(log: Log, { request, requestId, status, durationMs }: Answered): void {
  if (log.tellsDebug === false) return;
  const { method, url } = request;
  const path = pathOf(url).slice(0, 200);
  const rounded = Math.round(durationMs * 10) / 10;
  log.debug(
    { requestId, method, path, status, durationMs: rounded },
    `${method} ${path} ${status} in ${rounded} ms`,
  );
}

/** A request that is turned away, and the time. */
interface Refused {
  readonly clock: ServedOptions["clock"];
  readonly requestId: string;
}

function noMemory({ clock, requestId }: Refused): Response {
  const message = `The memory of ${memory.limitMb} MB is nearly used up, so nothing more is taken in. Reset (POST /sandbox/reset), drop worlds (DELETE /sandbox/worlds/{id}), or start with more: NODE_OPTIONS=--max-old-space-size=${memory.limitMb * 2}.`;
  const body = { error: "INTERNAL_ERROR", message, details: [] };
  return jsonAnswer(clock, 503, body, { [REQUEST_ID]: requestId });
}

function tooMany({ clock, requestId }: Refused, inHandMax: number): Response {
  const message = `More than ${inHandMax} requests are being answered at this moment. Send it again in a second.`;
  const body = { error: "INTERNAL_ERROR", message, details: [] };
  return jsonAnswer(clock, 503, body, { "retry-after": "1", [REQUEST_ID]: requestId });
}
