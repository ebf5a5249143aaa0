import type { Context } from "hono";
import type { Outcome } from "../../engine/simulation.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import type { InboundRequest } from "../../worlds/inbound-request.ts";
import type { RequestEnvironment } from "../environment.ts";
import { callerOf } from "../caller.ts";
import { type Masked, type ParsedBody, readJsonBody, readTextBody } from "../request.ts";
import { foundKind, foundValue } from "../../api/found-value.ts";
import { invalidRequest, unauthorized } from "../../platform/refusals.ts";
import { inboundOf } from "../inbound-requests.ts";
import { isRecord } from "../../engine/json.ts";
import { type Clocked, jsonAnswer, refusalAnswer } from "../answer.ts";
import { largeAnswer } from "../large-answer.ts";
import { deliveries } from "../../platform/webhook-events/delivery.ts";
import { objects } from "../../platform/catalog.ts";
import { withoutCards } from "../../worlds/masking.ts";
import { SEED_MAX } from "../../engine/random.ts";
import { type Problem, Refusal } from "../../engine/refusal.ts";
import { suggestion } from "../../engine/suggestion.ts";

/** A request to the sandbox's own API, with the world it acts on. */
export interface ControlRequest {
  readonly world: World;
  readonly worlds: Worlds;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON body; an empty object where none was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly companyId: string | null;
  /** The request as the journal keeps it, for the commands that it runs. */
  readonly inbound: InboundRequest | undefined;
  readonly c: Context;
}

/** A request whose body is a text with a format of its own, such as a scenario file. */
export interface TextRequest extends Omit<ControlRequest, "body"> {
  readonly text: string;
}

/** A request that is about no world, which any of several servers answers. */
export type ServerRequest = Omit<ControlRequest, "world" | "companyId">;

/** As `ServerRequest`, with the body as text. */
export type ServerTextRequest = Omit<ServerRequest, "body"> & Pick<TextRequest, "text">;

/** The JSON body of an answer with status 200, whose lists may be iterators, or a whole answer. */
export type ControlAnswer = object | Response;

type Answering<Request> = (request: Request) => ControlAnswer | Promise<ControlAnswer>;

/** An endpoint of the sandbox's own API: what it does, in a few words, and how it answers. */
export type ControlRoute =
  | { readonly summary: string; readonly answer: Answering<ControlRequest> }
  | { readonly summary: string; readonly answerText: Answering<TextRequest> }
  | { readonly summary: string; readonly answerServer: Answering<ServerRequest> }
  | { readonly summary: string; readonly answerServerText: Answering<ServerTextRequest> };

/** Endpoints by method and path below `/sandbox`: `GET /worlds/:id`. */
export type ControlRoutes = Readonly<Record<string, ControlRoute>>;

/**
 * Answers requests to one endpoint: in the world of the Bearer token, or in the default one without a token.
 * Refusals are answered with the common error body.
 */
export function control(worlds: Worlds, answer: Answering<ControlRequest>) {
  return async function answerControl(c: Context): Promise<Response> {
    const body = await readJsonBody(c.req.raw, inboundOf(c), withoutCardsIn(worlds));
    return answerRequest(worlds, c, (request) => answer({ ...request, body: objectBody(body) }));
  };
}

/** Answers requests to an endpoint as it is described. */
export function answerRoute(worlds: Worlds, route: ControlRoute) {
  if ("answer" in route) return control(worlds, route.answer);
  if ("answerText" in route) return textControl(worlds, route.answerText);
  return async function answerServerRoute(c: Context): Promise<Response> {
    const inbound = inboundOf(c);
    const read = await ("answerServer" in route
      ? readJsonBody(c.req.raw, inbound, withoutCardsIn(worlds))
      : readTextBody(c.req.raw, inbound));
    const { token, hasCredentials } = callerOf(c);
    if (token === undefined && hasCredentials) return refusalAnswer(worlds, unauthorized());
    const params = c.req.param() as Record<string, string>;
    const request = { worlds, params, query: c.req.query(), inbound, c };
    return answering(worlds, c, async () => {
      if ("answerServer" in route)
        return route.answerServer({ ...request, body: objectBody(read as ParsedBody) });
      if ("problem" in read) throw invalidRequest([read.problem]);
      return route.answerServerText({ ...request, text: (read as { text: string }).text });
    });
  };
}

function withoutCardsIn(worlds: Worlds): Masked {
  return (text) => withoutCards(text, worlds.isTestCard);
}

/** As `control`, for an endpoint that reads its body as text. */
function textControl(worlds: Worlds, answer: Answering<TextRequest>) {
  return async function answerTextControl(c: Context): Promise<Response> {
    const read = await readTextBody(c.req.raw, inboundOf(c));
    return answerRequest(worlds, c, (request) => {
      if ("problem" in read) throw invalidRequest([read.problem]);
      return answer({ ...request, text: read.text });
    });
  };
}

async function answerRequest(
  worlds: Worlds,
  c: Context,
  answer: Answering<Omit<ControlRequest, "body">>,
): Promise<Response> {
  const caller = callerOf(c);
  // A header that is no Bearer token, or an unknown one, must not act on the default world.
  if (caller.token === undefined && caller.hasCredentials) return refusalAnswer(worlds, unauthorized());
  const world = caller.world ?? worlds.default;
  const inbound = inboundOf(c);
  return answering(world, c, async () => {
    try {
      await world.ready();
      return await answer({
        world,
        worlds,
        params: c.req.param() as Record<string, string>,
        query: c.req.query(),
        companyId: caller.token?.companyId ?? null,
        inbound,
        c,
      });
    } catch (error) {
      const isLost = caller.token === undefined && error instanceof Refusal && error.code === "NOT_FOUND";
      throw isLost && namesObjectElsewhere(worlds, c) ? ofAnotherWorld(error) : error;
    }
  });
}

/** Turns what an endpoint comes to into the answer, with the time of a world. */
async function answering(
  world: Clocked,
  c: Context,
  answer: () => Promise<ControlAnswer>,
): Promise<Response> {
  const inbound = inboundOf(c);
  try {
    const answered = await answer();
    if (answered instanceof Response) return answered;
    if (!hasLongList(answered)) return jsonAnswer(world, 200, answered, {}, inbound);
    const { take } = (c.env ?? {}) as RequestEnvironment;
    if (take === undefined) return await largeAnswer(world, answered, inbound);
    take(answered);
    return new Response(null);
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(world, error, "common", inbound);
    throw error;
  }
}

/** Whether a request without a token, which is for the default world, names an object that only another world has. */
function namesObjectElsewhere(worlds: Worlds, c: Context): boolean {
  const text = `${c.req.url} ${inboundOf(c)?.body ?? ""}`;
  const ids = [...new Set(text.match(UUID))].slice(0, NAMED_IDS_MAX);
  return worlds
    .all()
    .some(({ simulation: { records } }) =>
      ids.some(
        (id) =>
          records.get(deliveries, id) !== undefined ||
          [...objects.values()].some((list) => list.get(records, id) !== undefined),
      ),
    );
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

const NAMED_IDS_MAX = 10;

function ofAnotherWorld({ code, message, problems }: Refusal): Refusal {
  const hint = "This object belongs to another world; send that world's token.";
  return new Refusal(code, `${message} ${hint}`, problems);
}

/** Shorter lists are written at once; deliveries, with their bodies, are the largest items. */
const SHORT_LIST_MAX = 20;

function hasLongList(body: object): boolean {
  return Object.values(body).some(
    (value) => value instanceof Iterator || (Array.isArray(value) && value.length > SHORT_LIST_MAX),
  );
}

/** The answer to a request that created something. */
export function created(
  { inbound, worlds, ...request }: Pick<ControlRequest, "worlds" | "inbound"> & { readonly world?: Clocked },
  body: object,
): Response {
  return jsonAnswer(request.world ?? worlds, 201, body, {}, inbound);
}

/** Waits a moment for webhook attempts in flight before a read that shows their outcomes; not with `wait=false`. */
export function withOutcomes(answer: Answering<ControlRequest>): Answering<ControlRequest> {
  return async function answerWithOutcomes(request) {
    if (request.query["wait"] === "false") await request.world.takeInOutcomes();
    else await request.world.settledSoon();
    return answer(request);
  };
}

/** Refuses with one problem. */
export function refuse(field: string, description: string, issue = "INVALID"): never {
  throw invalidRequest([{ field, issue, description }]);
}

/** Refuses fields that are not known: a misspelt field would otherwise be ignored. */
export function refuseOthers(given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(given)
    .filter((field) => !known.includes(field))
    .slice(0, UNKNOWN_MAX);
  refuseProblems(
    unknown.map((name) => {
      const field = name.slice(0, 100);
      const description = `There is no field ${foundValue(field)} here. ${suggestion(field, known)}`;
      return { field, issue: "NOT_ALLOWED", description };
    }),
  );
}

/** Unknown fields that are named: the nearest known word is searched for each. */
const UNKNOWN_MAX = 20;

/** Refuses where there are problems. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

export function refuseUnknown(description: string): never {
  throw new Refusal("NOT_FOUND", description);
}

/** The value that a command returned; its refusal becomes the answer. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw outcome.refusal;
  return outcome.value;
}

/** The seed in a body; refuses any other value. */
export function readSeed(seed: unknown): number {
  if (typeof seed === "number" && Number.isInteger(seed) && seed >= 0 && seed <= SEED_MAX) return seed;
  return refuse("seed", `seed must be a whole number from 0 to ${SEED_MAX}; found ${foundValue(seed)}.`);
}

/** The whole number in the text of a query parameter; refuses any other text. */
export function wholeNumber(field: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    refuse(field, `${field} must be a whole number such as 100; found ${foundValue(text)}.`);
  }
  return Number(text);
}

function objectBody(body: Awaited<ReturnType<typeof readJsonBody>>): Readonly<Record<string, unknown>> {
  if ("problem" in body) throw invalidRequest([body.problem]);
  const { value = {} } = body;
  return isRecord(value)
    ? value
    : refuse("body", `The body must be a JSON object; found ${foundKind(value)}.`);
}
