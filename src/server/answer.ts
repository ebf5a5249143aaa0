import type { ErrorCode } from "../simulator/platform/refusals.ts";
import type { InboundRequest } from "../simulator/worlds/inbound-request.ts";
import type { NamedRequest, ReceivedRequest } from "./environment.ts";
import type { World } from "../simulator/worlds/world.ts";
import { type Problem, Refusal } from "../simulator/engine/refusal.ts";
import { errorStatuses } from "../simulator/api/operations.ts";
import { formatHttpDate } from "../simulator/engine/instant.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds/worlds.ts";
import { HTTPException } from "hono/http-exception";
import { StorageFailure, WorldLost } from "./storage/storage.ts";
import { withQrImages } from "../simulator/qr-images/qr-images.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/** The source of the world's time for the `Date` header of its answers. */
export interface Clocked {
  readonly now: number;
}

/** The form of an operation's errors: the common body, or an array of sentences (interface: Errors). */
type ErrorForm = "common" | "sentences";

/** Returns the headers of every answer: the world's time. */
export function commonHeaders({ now }: Clocked): { readonly date: string } {
  return { date: formatHttpDate(now) };
}

/**
 * Returns a JSON answer to `inbound`, which keeps it for the journal. All headers are set when the response is created,
 * because setting a header later makes the server several times slower.
 */
export function jsonAnswer(
  world: Clocked,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
  inbound?: InboundRequest,
): Response {
  return textAnswer(world, status, JSON.stringify(body), headers, inbound);
}

/** Returns an answer like `jsonAnswer`, for a JSON text. */
export function textAnswer(
  world: Clocked,
  status: number,
  text: string,
  headers?: Readonly<Record<string, string>>,
  inbound?: InboundRequest,
): Response {
  const { date } = commonHeaders(world);
  const common = { "content-type": "application/json", date };
  const all = headers === undefined ? common : { ...common, ...headers };
  const drawn = withQrImages(text);
  inbound?.answered(status, text, all);
  return new Response(drawn, { status, headers: all });
}

/** HTTP requires this header with every 401 (assumption: auth.header). */
const CHALLENGE = { "www-authenticate": "Bearer" };

/** The header with a hint for callers. It does not belong to the platform's API. */
export const HINT = "x-sandbox-hint";

/** Turns a refusal into the answer of an operation. */
export function refusalAnswer(
  world: Clocked,
  refusal: Refusal,
  form: ErrorForm = "common",
  inbound?: InboundRequest,
  written: (body: object) => object = (body) => body,
): Response {
  const code = refusal.code as ErrorCode;
  const [status, error] =
    code === "ILLEGAL_ACT" ? [409, "INVALID_REQUEST"] : ([errorStatuses[code], code] as const);
  const { message, problems: details, hint } = refusal;
  const body = form === "common" ? { error, message, details } : sentences(message, details);
  const headers = { ...(status === 401 && CHALLENGE), ...(hint !== undefined && { [HINT]: hint }) };
  return jsonAnswer(world, status, written(body), headers, inbound);
}

/** Returns the answer 503 to a request, because the server or its world has no room now. */
export function unavailable(
  clock: Clocked,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonAnswer(clock, 503, { error: "INTERNAL_ERROR", message, details: [] }, headers);
}

/**
 * Returns the problems as sentences. Each names its field once, because sentences about a shape already begin with it.
 */
function sentences(message: string, problems: readonly Problem[]): string[] {
  return problems.length === 0
    ? [message]
    : problems.map(({ field, description }) =>
        description.startsWith(`${field} `) ? description : `${field}: ${description}`,
      );
}

/**
 * Returns the answer to a bug of the sandbox, in the error form of the operation. It has no stack, but the seed and
 * the journal's position, which reproduce the bug. `world` is undefined if this server does not have the world.
 */
export function internalError(
  { id: requestId, env: { log }, inbound }: ReceivedRequest & Partial<NamedRequest>,
  error: Error,
  world: Pick<World, "simulation" | "stopped"> | undefined,
  form?: ErrorForm,
): Response {
  const { seed, journal, now = Date.now() } = world?.simulation ?? {};
  const entry = journal === undefined ? undefined : journal.nextNumber - 1;
  const position = world === undefined ? "" : ` with seed ${seed} and journal position ${entry}`;
  const stopped = error === world?.simulation.failure ? world.stopped : undefined;
  const message = `${stopped ?? "The sandbox failed: this is a bug in sandbank."} Report it${position}.`;
  // The failure of a stopped world was logged when the world stopped.
  if (stopped !== undefined)
    return refusalAnswer({ now }, new Refusal("INTERNAL_ERROR", message), form, inbound);
  if (log === undefined) process.stderr.write(`${error.stack ?? error.message}\n`);
  else log.error({ err: error, requestId, seed, entry }, message);
  return refusalAnswer({ now }, new Refusal("INTERNAL_ERROR", message), form, inbound);
}

/**
 * Returns the answer to a request that failed. Throws the error again if the layer that stores worlds answers it, such
 * as for a new world that could not be stored.
 */
export function failureAnswer(
  worlds: Worlds,
  error: Error,
  request: ReceivedRequest & Partial<NamedRequest>,
): Response {
  if (error instanceof StorageFailure || error instanceof WorldLost) throw error;
  if (error instanceof HTTPException) return unavailable(worlds, error.message, { "retry-after": "1" });
  return internalError(request, error, request.caller?.world ?? worlds.here(DEFAULT_WORLD));
}

/** The status for another server that passed on a request: it must cut the client's connection. */
export const CUT_STATUS = 599;

/** The status of the answer if there is no connection to drop: that of a network error. */
export const DROPPED_STATUS = 0;

/** Resets the connection. In process there is no connection, and the answer is a network error. */
export function dropConnection({ env, isForwarded }: ReceivedRequest): Response {
  if (isForwarded === true) return new Response(null, { status: CUT_STATUS });
  if (env.incoming === undefined) return Response.error();
  env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}
