import type { Context } from "hono";
import type { Outcome } from "../../engine/simulation.ts";
import type { Problem } from "../../engine/refusal.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { bearerToken, callerOf } from "../caller.ts";
import { foundKind, foundValue } from "../../api/found-value.ts";
import { invalidRequest, unauthorized } from "../../platform/refusals.ts";
import { closest } from "fastest-levenshtein";
import { commonHeaders, jsonAnswer } from "../answer.ts";
import { readJsonBody, readTextBody } from "../request-body.ts";
import type { InboundRequest } from "../../worlds/inbound-request.ts";
import { inboundOf } from "../inbound-requests.ts";
import { Refusal } from "../../engine/refusal.ts";
import { refusalAnswer } from "../refusal-answer.ts";

/** A request to the sandbox's own API, in the world it acts on. */
export interface ControlRequest {
  readonly world: World;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON body; an empty object where none was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly companyId: string | null;
  /** The request itself, for the commands that it asks for. */
  readonly inbound: InboundRequest | undefined;
}

/** What a control answers with: a body, with status 200 unless it says otherwise. */
export type ControlAnswer = object | Created | Written;

/** An answer to a request that made something. */
export class Created {
  readonly body: object;

  constructor(body: object) {
    this.body = body;
  }
}

/** An answer that is a text of its own kind rather than JSON. */
export class Written {
  readonly text: string;
  readonly type: string;

  constructor(text: string, type: string) {
    this.text = text;
    this.type = type;
  }
}

/** A request whose body is a text of its own kind, such as a scenario file. */
export interface TextRequest extends Omit<ControlRequest, "body"> {
  readonly text: string;
}

type Answering<Request> = (request: Request) => ControlAnswer | Promise<ControlAnswer>;

/**
 * Answers requests to one control: in the world of the Bearer token, or in the default one without a token.
 * Whatever the control refuses comes out in the common error body.
 */
export function control(worlds: Worlds, answer: Answering<ControlRequest>) {
  return async function answerControl(c: Context): Promise<Response> {
    const body = await readJsonBody(c.req.raw, inboundOf(c));
    return answering(worlds, c, (request) => answer({ ...request, body: objectBody(body) }));
  };
}

/** Answers requests to a control that takes its body as it stands. */
export function textControl(worlds: Worlds, answer: Answering<TextRequest>) {
  return async function answerTextControl(c: Context): Promise<Response> {
    const read = await readTextBody(c.req.raw, inboundOf(c));
    return answering(worlds, c, (request) => {
      if ("problem" in read) throw invalidRequest([read.problem]);
      return answer({ ...request, text: read.text });
    });
  };
}

async function answering(
  worlds: Worlds,
  c: Context,
  answer: Answering<Omit<ControlRequest, "body">>,
): Promise<Response> {
  const caller = callerOf(worlds, c.req.raw);
  if (caller === undefined && bearerToken(c.req.raw) !== undefined) {
    return refusalAnswer(worlds.default, unauthorized());
  }
  const world = caller?.world ?? worlds.default;
  const inbound = inboundOf(c);
  try {
    const answered = await answer({
      world,
      params: c.req.param() as Record<string, string>,
      query: c.req.query(),
      companyId: caller?.token.companyId ?? null,
      inbound,
    });
    if (answered instanceof Written) return writtenAnswer(world, answered);
    return answered instanceof Created
      ? jsonAnswer(world, 201, answered.body, {}, inbound)
      : jsonAnswer(world, 200, answered, {}, inbound);
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(world, error, "common", inbound);
    throw error;
  }
}

function writtenAnswer(world: World, { text, type }: Written): Response {
  const headers = { "content-type": type, "cache-control": "no-store", ...commonHeaders(world) };
  return new Response(text, { headers });
}

/** Refuses with one problem. */
export function refuse(field: string, description: string, issue = "INVALID"): never {
  throw invalidRequest([{ field, issue, description }]);
}

/** Refuses what a request holds beside the fields that are known: a misspelt one would else be passed over. */
export function refuseOthers(given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((field) => !known.includes(field));
  refuseProblems(
    unknown.map((name) => {
      const field = name.slice(0, 100);
      const meant = closest(field, [...known]);
      const description = `There is no field ${foundValue(field)} here. Did you mean ${meant}?`;
      return { field, issue: "NOT_ALLOWED", description };
    }),
  );
}

/** Refuses where something is wrong. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

export function refuseUnknown(description: string): never {
  throw new Refusal("NOT_FOUND", description);
}

/** The value a command came to; its refusal becomes the answer. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw outcome.refusal;
  return outcome.value;
}

function objectBody(body: Awaited<ReturnType<typeof readJsonBody>>): Readonly<Record<string, unknown>> {
  if ("problem" in body) throw invalidRequest([body.problem]);
  const { value = {} } = body;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("body", `The body must be a JSON object; found ${foundKind(value)}.`);
  }
  return value as Record<string, unknown>;
}
