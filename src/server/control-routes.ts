import {
  type AnyEndpoint,
  type Endpoints,
  type WorldAsked,
  isOfWorld,
  refuse,
  Reply,
} from "./control/endpoint.ts";
import type { Answering, Caller, Layer, NamedRequest } from "./environment.ts";
import { type Problem, Refusal } from "../simulator/engine/refusal.ts";
import type { InboundRequest } from "../simulator/worlds/inbound-request.ts";
import type { Router } from "./router.ts";
import type { Servers } from "../simulator/worlds/servers.ts";
import type { World } from "../simulator/worlds/world.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { FairLimit } from "./limits.ts";
import { adminGuard, foreignPageRefusal } from "./guards.ts";
import { endOfToken, removedToken } from "./caller.ts";
import { isReadable, JsonIndenter } from "./control/readable.ts";
import { firstQuery } from "./request.ts";
import { type ParsedBody, readJsonBody, readTextBody } from "./request-body.ts";
import { commonHeaders, jsonAnswer, refusalAnswer, type Clocked } from "./answer.ts";
import { controlProblems } from "../simulator/api/validation.ts";
import { deliveries } from "../simulator/platform/webhook-events/delivery.ts";
import { foundKind } from "../simulator/api/found-value.ts";
import { invalidRequest, unauthorized } from "../simulator/platform/refusals.ts";
import { isControlPath } from "../simulator/api/routes.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { largeAnswer, streamOf } from "./large-answer.ts";
import { objects } from "../simulator/platform/catalog.ts";
import { UUID_PATTERN } from "../simulator/engine/uuid.ts";

/** Mounts the endpoints of the sandbox's own API. */
export function mountControl(router: Router, worlds: Worlds, endpoints: Endpoints, servers: Servers): void {
  router.mount<AnyEndpoint>(endpoints, (endpoint) => {
    const limit = endpoint.limit && new FairLimit(endpoint.limit);
    return (named) => answerControl({ worlds, servers, endpoint, limit, named });
  });
}

/**
 * Returns the layer around all paths under `/sandbox`, also unknown ones. If there is an admin token, every request
 * must send it in the header `x-admin-token`.
 */
export function controlLayer(
  worlds: Worlds,
  endpoints: Endpoints,
  adminToken: string | undefined,
): Layer<NamedRequest> {
  const pathsOf = (kind: AnyEndpoint["access"]): ReadonlySet<string> =>
    new Set(Object.values(endpoints).flatMap(({ access, path }) => (access === kind ? [path] : [])));
  const open = { anyone: pathsOf("anyone"), company: pathsOf("company") };
  const admin = adminToken === undefined ? undefined : adminGuard(adminToken, open);
  return (answer) =>
    function answerUnderSandbox(named) {
      const { path, request, env } = named;
      if (path !== "/sandbox" && !isControlPath(path)) return answer(named);
      env.outgoing?.setHeader("x-content-type-options", "nosniff");
      const refusal = foreignPageRefusal(request, env.names) ?? admin?.(named);
      const answering = refusal === undefined ? answer(named) : refusalAnswer(worlds, refusal);
      return readable(request, answering);
    };
}

/** Indents a JSON answer for people. Ends the body of an answer to HEAD: a stream counts for its limit until its end. */
async function readable(request: Request, answering: Answering): Promise<Response> {
  const answer = await answering;
  const { body, status, headers } = answer;
  if (request.method === "HEAD") await body?.cancel();
  if (body === null || headers.get("content-type") !== "application/json") return answer;
  if (!isReadable(request.url, request.headers)) return answer;
  const indenter = new JsonIndenter();
  const write = (text: string): Buffer => Buffer.from(indenter.indent(text), "latin1");
  // Byte by byte: a piece may end in the middle of a character.
  const indented = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => controller.enqueue(write(Buffer.from(piece).toString("latin1"))),
    flush: (controller) => controller.enqueue(Buffer.from("\n")),
  });
  return new Response(body.pipeThrough(indented), { status, headers });
}

/** A request to an endpoint whose body was not read yet. */
interface ControlRequest {
  readonly worlds: Worlds;
  readonly servers: Servers;
  readonly endpoint: AnyEndpoint;
  readonly limit: FairLimit | undefined;
  readonly named: NamedRequest;
}

/**
 * Answers a request to an endpoint: in the world of the Bearer token, or in the default one without a token. Refusals
 * have the common error body. The functions below follow in the order of a request's life.
 */
async function answerControl(arrived: ControlRequest): Promise<Response> {
  const { worlds, endpoint, named } = arrived;
  const { caller, inbound } = named;
  const read = await readBody(arrived);
  // A header without a valid Bearer token, or with an unknown token, must not act on the default world.
  if (caller.token === undefined && caller.hasCredentials)
    return refusalAnswer(worlds, unauthorized(caller.hint));
  const ofWorld = isOfWorld(endpoint);
  const world = caller.world ?? (ofWorld ? worlds.default : undefined);
  const clock: Clocked = ofWorld && world !== undefined ? world : worlds;
  try {
    if ("problem" in read) throw invalidRequest([read.problem]);
    const asked = askedOf(arrived, world, read);
    if (ofWorld) await admit(asked, caller);
    check(endpoint, asked);
    if (ofWorld && endpoint.showsOutcomes === true && firstQuery(named.request)["wait"] !== "false")
      await asked.world.deliveries.answeredForRead();
    const answer = await written(inbound, clock, endpoint, await answerOf(endpoint, asked, arrived.limit));
    if (ofWorld && world?.stopped !== undefined) answer.headers.set("x-sandbox-warning", world.stopped);
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isLost = caller.token === undefined && ofWorld && error.code === "NOT_FOUND";
    const refusal = isLost && namesObjectElsewhere(worlds, named) ? ofAnotherWorld(error) : error;
    return refusalAnswer(clock, refusal, "common", inbound);
  }
}

/** The body of a request: JSON, or a text if the endpoint takes a text. */
type ReadBody = Awaited<ReturnType<typeof readTextBody>> | ParsedBody;

function readBody({ endpoint, named }: ControlRequest): Promise<ReadBody> {
  return endpoint.takes === undefined ? readJsonBody(named) : readTextBody(named);
}

function askedOf(
  { worlds, servers, named }: ControlRequest,
  world: World | undefined,
  read: Exclude<ReadBody, { problem: Problem }>,
): WorldAsked {
  const { request, caller, inbound, matched } = named;
  const { pretty: _pretty, ...query } = firstQuery(request);
  return {
    worlds,
    servers,
    world: world as World,
    companyId: caller.token?.companyId ?? null,
    endOfToken: () => endOfToken(caller),
    params: matched?.params ?? {},
    query,
    body: "value" in read ? objectBody(read.value) : {},
    text: "text" in read ? read.text : "",
    inbound,
    url: request.url,
    headers: request.headers,
    get signal() {
      return request.signal;
    },
  };
}

/** Waits until the world can answer, and refuses a token that was removed meanwhile. */
async function admit({ world }: WorldAsked, { world: ofToken, token }: Caller): Promise<void> {
  await world.clock.ready();
  const removed = token && ofToken && removedToken(ofToken, token);
  if (removed !== undefined) throw removed;
}

/** Refuses a request with the problems of its shape and of its endpoint. */
function check(endpoint: AnyEndpoint, asked: WorldAsked): void {
  const found = endpoint.problems?.(asked) ?? [];
  const ofShapes = [
    ...(endpoint.request === undefined ? [] : controlProblems(endpoint.request, asked.body)),
    ...(endpoint.query === undefined ? [] : controlProblems(endpoint.query, asked.query, "text")),
  ];
  // The endpoint's own problem with a field is more useful than the problem of its shape.
  const others = ofShapes.filter(({ field }) => found.every((problem) => problem.field !== field));
  if (others.length + found.length > 0) throw invalidRequest([...others, ...found]);
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
  inbound: InboundRequest,
  clock: Clocked,
  endpoint: AnyEndpoint,
  answered: object,
): Promise<Response> {
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
function namesObjectElsewhere(worlds: Worlds, { request, inbound }: NamedRequest): boolean {
  const text = `${request.url} ${inbound.body ?? ""}`;
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
