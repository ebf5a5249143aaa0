import type { Answer, RequestEnvironment } from "./listen.ts";
import type { RequestHead } from "../worlds/inbound.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { bearerIn } from "./request.ts";
import { Inbound, inbound } from "../worlds/inbound.ts";

/** Refusals at the door: the platform took no command, and still they belong to the story. */
const AT_THE_DOOR: ReadonlySet<number> = new Set([400, 401, 403]);

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/**
 * Lets the worlds know which request they work for, and counts the errors that the interface answers with. What a
 * request asks for in its turn, such as a provider state, is done by that request.
 */
export function answerInbound(worlds: Worlds, answer: Answer): Answer {
  return async function answerFollowed(request, env: RequestEnvironment = {}) {
    const followed = new Inbound(() => headOf(request), env.requestId);
    const response = await inbound.run(followed, answer, request, env);
    note(worlds, followed, response);
    return response;
  };
}

function headOf({ method, url, headers }: Request): RequestHead {
  const { origin } = new URL(url);
  return {
    method,
    path: url.slice(origin.length),
    origin,
    authorization: headers.get("authorization"),
    contentType: headers.get("content-type"),
    idempotencyKey: headers.get("idempotency-key"),
  };
}

/** Nothing of the answer is read but its status: whatever else is, costs the server its fast path. */
function note(worlds: Worlds, request: Inbound, response: Response): void {
  // A network error has the status 0.
  const wasDropped = response === RESPONSE_ALREADY_SENT || response.status === 0;
  const status = wasDropped ? null : response.status;
  request.ended(status);
  if (status === null || status < 400) return;
  const { path, authorization, answer } = request.record;
  if (path.startsWith("/sandbox/")) return;
  const world = worldOf(worlds, authorization);
  world.chronicle.coverage.refused(codeIn(answer) ?? CODES[status] ?? "INTERNAL_ERROR");
  if (AT_THE_DOOR.has(status)) world.chronicle.requested(world.now, request);
}

/** The code of an error; undefined where the answer has none, as that of sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

function worldOf(worlds: Worlds, authorization: string | null): World {
  const token = bearerIn(authorization);
  return (token === undefined ? undefined : worlds.ofCredential(token)) ?? worlds.default;
}
