import {
  type AnyEndpoint,
  type Endpoints,
  type WorldAsked,
  isOfWorld,
  refuse,
  Reply,
} from "./control/endpoint.ts";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { Refusal } from "../simulator/engine/refusal.ts";
import type { ServerEnv } from "./environment.ts";
import type { Servers } from "../simulator/worlds/servers.ts";
import type { World } from "../simulator/worlds/world.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { FairLimit } from "./limits.ts";
import { adminGuard, foreignPageGuard } from "./guards.ts";
import { callerOf, removedToken } from "./caller.ts";
import { isReadable, JsonIndenter } from "./control/readable.ts";
import { readJsonBody, readTextBody } from "./request.ts";
import { commonHeaders, jsonAnswer, refusalAnswer, replaceAnswer, type Clocked } from "./answer.ts";
import { controlProblems } from "../simulator/api/validation.ts";
import { deliveries } from "../simulator/platform/webhook-events/delivery.ts";
import { foundKind } from "../simulator/api/found-value.ts";
import { inboundOf } from "./inbound-requests.ts";
import { invalidRequest, unauthorized } from "../simulator/platform/refusals.ts";
import { honoPath } from "../simulator/api/routes.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { largeAnswer, streamOf } from "./large-answer.ts";
import { objects } from "../simulator/platform/catalog.ts";
import { UUID_PATTERN } from "../simulator/engine/uuid.ts";

/**
 * Mounts the endpoints of the sandbox's own API. If there is an admin token, every request must send it in the header
 * `x-admin-token`.
 */
export function mountControl(
  app: Hono<ServerEnv>,
  worlds: Worlds,
  endpoints: Endpoints,
  servers: Servers,
  adminToken: string | undefined,
): void {
  const pathsOf = (kind: AnyEndpoint["access"]): ReadonlySet<string> =>
    new Set(Object.values(endpoints).flatMap(({ access, path }) => (access === kind ? [path] : [])));
  app.use("/sandbox/*", neverSniffed, cancelBodyOfHead, readableAnswers(), foreignPageGuard(worlds));
  if (adminToken !== undefined)
    app.use(
      "/sandbox/*",
      adminGuard(worlds, adminToken, { anyone: pathsOf("anyone"), company: pathsOf("company") }),
    );
  for (const endpoint of Object.values(endpoints)) {
    const limit = endpoint.limit && new FairLimit(endpoint.limit);
    app.on(endpoint.method, honoPath(endpoint), (c) =>
      answerControl(c, worlds, servers, { endpoint, limit }),
    );
  }
}

/**
 * Answers a request to an endpoint: in the world of the Bearer token, or in the default one without a token. Refusals
 * have the common error body.
 */
async function answerControl(
  c: Context,
  worlds: Worlds,
  servers: Servers,
  { endpoint, limit }: { readonly endpoint: AnyEndpoint; readonly limit: FairLimit | undefined },
): Promise<Response> {
  const inbound = inboundOf(c);
  const { raw } = c.req;
  const read = await (endpoint.takes === undefined ? readJsonBody(raw, inbound) : readTextBody(raw, inbound));
  const { token, hasCredentials, hint, ...caller } = callerOf(c);
  // A header without a valid Bearer token, or with an unknown token, must not act on the default world.
  if (token === undefined && hasCredentials) return refusalAnswer(worlds, unauthorized(hint));
  const ofWorld = isOfWorld(endpoint);
  const world = caller.world ?? (ofWorld ? worlds.default : undefined);
  const clock: Clocked = ofWorld && world !== undefined ? world : worlds;
  const { pretty: _pretty, ...query } = c.req.query();
  try {
    if ("problem" in read) throw invalidRequest([read.problem]);
    const asked = {
      worlds,
      servers,
      world: world as World,
      companyId: token?.companyId ?? null,
      params: c.req.param() as Record<string, string>,
      query,
      body: "value" in read ? objectBody(read.value) : {},
      text: "text" in read ? read.text : "",
      inbound,
      url: c.req.url,
      headers: raw.headers,
      get signal() {
        return raw.signal;
      },
    };
    if (ofWorld) await asked.world.clock.ready();
    const removed = token && caller.world && removedToken(caller.world, token);
    if (removed !== undefined) throw removed;
    const found = endpoint.problems?.(asked) ?? [];
    const ofShapes = [
      ...(endpoint.request === undefined ? [] : controlProblems(endpoint.request, asked.body)),
      ...(endpoint.query === undefined ? [] : controlProblems(endpoint.query, asked.query, "text")),
    ];
    // The endpoint's own problem with a field is more useful than the problem of its shape.
    const others = ofShapes.filter(({ field }) => found.every((problem) => problem.field !== field));
    if (others.length + found.length > 0) throw invalidRequest([...others, ...found]);
    if (ofWorld && endpoint.showsOutcomes === true && c.req.query("wait") !== "false")
      await asked.world.deliveries.answeredForRead();
    const answer = await written(c, clock, endpoint, await answerOf(endpoint, asked, limit));
    if (ofWorld && world?.stopped !== undefined) answer.headers.set("x-sandbox-warning", world.stopped);
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isLost = token === undefined && ofWorld && error.code === "NOT_FOUND";
    const refusal = isLost && namesObjectElsewhere(worlds, c) ? ofAnotherWorld(error) : error;
    return refusalAnswer(clock, refusal, "common", inbound);
  }
}

/** Forbids a browser to take an answer for anything but its content type, for example for a page. */
const neverSniffed: MiddlewareHandler<ServerEnv> = (c, next) => {
  c.env.outgoing?.setHeader("x-content-type-options", "nosniff");
  return next();
};

/** Ends the body of an answer to HEAD. Nobody reads it, and a stream counts for its limit until its end. */
const cancelBodyOfHead: MiddlewareHandler<ServerEnv> = async (c, next) => {
  await next();
  if (c.req.method === "HEAD") await c.res.body?.cancel();
};

/** Indents JSON answers for people. The journal and the request log keep the original answers. */
function readableAnswers(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { body, status, headers } = c.res;
    if (body === null || headers.get("content-type") !== "application/json") return;
    if (!isReadable(c.req.url, c.req.raw.headers)) return;
    const indenter = new JsonIndenter();
    const write = (text: string): Buffer => Buffer.from(indenter.indent(text), "latin1");
    // Byte by byte: a piece may end in the middle of a character.
    const indented = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => controller.enqueue(write(Buffer.from(piece).toString("latin1"))),
      flush: (controller) => controller.enqueue(Buffer.from("\n")),
    });
    replaceAnswer(c, new Response(body.pipeThrough(indented), { status, headers }));
  };
}

/** Answers a request. If the endpoint has a limit, its answer counts until the client has all of it. */
async function answerOf(endpoint: AnyEndpoint, asked: WorldAsked, limit?: FairLimit): Promise<object> {
  const release = limit?.take(asked.world.id);
  if (release === undefined) return endpoint.answer(asked);
  if (typeof release === "string") {
    const { refusal: message = "", headers = {} } = endpoint.limit ?? {};
    return new Reply({ error: "INTERNAL_ERROR", message, details: [] }, { status: 503, headers });
  }
  try {
    const reply = (await endpoint.answer(asked)) as Reply;
    const ended = (): void => {
      release();
      reply.ended?.();
    };
    return new Reply(reply.body, { headers: reply.headers, ended });
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns the answer of an endpoint, with the time of a world. */
async function written(
  c: Context,
  clock: Clocked,
  endpoint: AnyEndpoint,
  answered: object,
): Promise<Response> {
  const inbound = inboundOf(c);
  const successStatus = endpoint.successStatus ?? 200;
  if (answered instanceof Reply) {
    const { body, status = successStatus, headers, ended } = answered;
    if (typeof body === "string")
      return new Response(body, { headers: { ...headers, ...commonHeaders(clock) } });
    if (!isText(body)) return jsonAnswer(clock, status, body, headers, inbound);
    const stream = streamOf(body, ended === undefined ? {} : { ended });
    return new Response(stream, { headers: { ...headers, ...commonHeaders(clock) } });
  }
  if (!hasLongList(answered)) return jsonAnswer(clock, successStatus, answered, {}, inbound);
  return largeAnswer(clock, answered, inbound);
}

/** Returns true if a body is a text that is written piece by piece. */
function isText(body: object): body is Iterator<string> | AsyncIterator<string> {
  return "next" in body && typeof body.next === "function";
}

/**
 * Returns true if a request without a token names an object that only another world has. It goes to the default world.
 */
function namesObjectElsewhere(worlds: Worlds, c: Context): boolean {
  const text = `${c.req.url} ${inboundOf(c)?.body ?? ""}`;
  const ids = [...new Set(text.match(IDS))].slice(0, NAMED_IDS_MAX);
  const isIn = ({ records }: World, id: string): boolean =>
    records.get(deliveries, id) !== undefined || [...objects.values()].some((list) => list.has(records, id));
  return ids.some((id) => !isIn(worlds.default, id) && worlds.all().some((world) => isIn(world, id)));
}

const IDS = new RegExp(UUID_PATTERN, "gi");

const NAMED_IDS_MAX = 10;

function ofAnotherWorld({ code, message, problems }: Refusal): Refusal {
  const hint = "This object belongs to another world. Send the token of that world.";
  return new Refusal(code, `${message} ${hint}`, problems);
}

/** Shorter lists are written at once. The largest items are deliveries with their bodies. */
const SHORT_LIST_MAX = 20;

function hasLongList(body: object): boolean {
  return Object.values(body).some(
    (value) => value instanceof Iterator || (Array.isArray(value) && value.length > SHORT_LIST_MAX),
  );
}

function objectBody(value: unknown = {}): Readonly<Record<string, unknown>> {
  return isRecord(value)
    ? value
    : refuse("body", `The body must be a JSON object; found ${foundKind(value)}.`);
}
