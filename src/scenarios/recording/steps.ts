import type { SessionStep } from "./session-steps.ts";
import type { ScriptedReply } from "../receiver.ts";
import type { RecordedRequest, RecordedSession } from "../../server/control/recorded-session.ts";
import { checkUnknownWords } from "../unknown-words.ts";
import { escaped } from "../expression.ts";
import { operations } from "../vocabulary.ts";
import { excessOf, isRecord, parsed } from "../../simulator/engine/json.ts";
import { scriptedAnswer } from "./answers.ts";
import { serverRoutes } from "../schema.ts";
import { isControlPath } from "../../simulator/api/routes.ts";

/** A step as it will be written, and the answer it got, whose values later steps may name. */
export interface RecordedStep {
  readonly step: { readonly [key: string]: unknown };
  /**
   * Items of the list `receiver.<key>`. They are made while they are written, because there may be thousands with
   * bodies.
   */
  readonly items?: { readonly key: string; readonly values: () => IteratorObject<unknown> };
  /** The noun of the answer, used in the name for saving it. Undefined if the answer has no value to save. */
  readonly noun?: string;
  readonly answer?: unknown;
}

/**
 * Writes a step of the session as a step of a scenario. Expressions are added later, so texts that look like one are
 * escaped.
 */
export function stepOf(recorded: SessionStep, session: RecordedSession): RecordedStep {
  switch (recorded.kind) {
    case "hold":
      return { step: { receiver: { holds: true } } };
    case "replies": {
      const { replies } = recorded;
      const replyOf = ({ to, answer }: (typeof replies)[number]): ScriptedReply =>
        to === 1 ? scriptedAnswer(answer) : { to, answer: scriptedAnswer(answer) };
      return {
        step: {},
        items: { key: "replies", values: () => replies.values().map(replyOf).map(escaped) },
      };
    }
    case "answers": {
      const { answers } = recorded;
      return {
        step: {},
        items: { key: "answers", values: () => answers.values().map(scriptedAnswer).map(escaped) },
      };
    }
    case "move":
      return {
        step: {
          advance: recorded.written ?? { to: brasilia(recorded.to) },
          ...(!recorded.wait && { wait: false }),
        },
      };
    case "request":
      return requestStep(recorded.request, session);
  }
}

/** Writes an instant in the local time of Brasília. */
export function brasilia(instant: number): string {
  const text = new Date(instant - BRASILIA_BEHIND_MS).toISOString().replace("Z", "");
  return `${text.replace(/\.000$/, "")}-03:00`;
}

/** The default address for the calls of a scenario. */
export const DEFAULT_ORIGIN = "http://localhost";

/** The offset of Brasília, which applies all year since 2019. */
const BRASILIA_BEHIND_MS = 3 * 60 * 60 * 1000;

function requestStep(request: RecordedRequest, session: RecordedSession): RecordedStep {
  const body = jsonObject(request.text);
  const { pathname } = new URL(request.path, DEFAULT_ORIGIN);
  const act = /^\/sandbox\/acts\/([^/]+)$/.exec(pathname)?.[1];
  const isDone = (request.status ?? 500) < 400;
  if (request.method === "POST" && body !== undefined) {
    if (act !== undefined) return actStep(decodeURIComponent(act), body, request, session);
    if (pathname === "/sandbox/plans" && isDone) return made(body, "plan", request);
    if (pathname === "/sandbox/faults" && isDone) return made({ fault: body }, "fault", request);
  }
  return callStep(request, session);
}

function made(
  step: { readonly [key: string]: unknown },
  noun: string,
  { answer }: RecordedRequest,
): RecordedStep {
  return { step: escaped(step), noun, answer };
}

function actStep(
  act: string,
  // A step of a scenario always waits.
  { id, wait: _wait, ...fields }: { readonly [key: string]: unknown },
  request: RecordedRequest,
  session: RecordedSession,
): RecordedStep {
  const step = {
    act,
    ...(id !== undefined && { on: id }),
    ...(Object.keys(fields).length > 0 && { with: fields }),
    ...callerOf(request, session, true),
    ...(request.status !== 200 && { expect: { status: request.status } }),
  };
  return { step: escaped(step) };
}

function callStep(request: RecordedRequest, session: RecordedSession): RecordedStep {
  const { pathname, search, searchParams } = new URL(request.path, DEFAULT_ORIGIN);
  const found = Object.entries(operations)
    .map(([operationId, operation]) => ({
      operationId,
      operation,
      path: operation.method === request.method ? parametersOf(operation.path, pathname) : undefined,
    }))
    .find(({ path }) => path !== undefined);
  const { status = null, answer } = request;
  const expect = { status, ...(status !== null && status < 400 && statusIn(answer)) };
  if (found === undefined) {
    const step = {
      call: `${request.method} ${pathname}${search}`,
      ...callerOf(request, session, isControlPath(pathname)),
      ...headersOf(request),
      ...bodyOf(request),
      expect,
    };
    return { step: escaped({ ...step, ...unknownIn(step) }) };
  }
  const { operation, operationId, path = {} } = found;
  const { isForm } = operation;
  const plan = request.headers["x-sandbox-plan"];
  const caller: ReturnType<typeof callerOf> =
    operation.access === "anyone" ? authorizationOf(request) : callerOf(request, session);
  const step = {
    call: operationId,
    ...(Object.keys(path).length > 0 && { path }),
    ...(searchParams.size > 0 && { query: queryOf(searchParams) }),
    ...caller,
    ...(operation.idempotencyKey !== undefined && { key: request.headers["idempotency-key"] ?? null }),
    ...(plan !== undefined && { headers: { ...caller.headers, "x-sandbox-plan": plan } }),
    ...(isForm ? formOf(request) : bodyOf(request)),
    expect,
  };
  return {
    step: escaped({ ...step, ...unknownIn(step) }),
    ...(status !== null && status < 400 && { noun: nounOf(operationId), answer }),
  };
}

/**
 * Finds out if the client called a path or used a field that the platform API does not have. The recording repeats such
 * calls.
 */
function unknownIn(step: object): { allowUnknown?: true } {
  let isUnknown = false;
  checkUnknownWords({ ...step }, serverRoutes(), () => (isUnknown = true));
  return isUnknown ? { allowUnknown: true } : {};
}

/** Returns the noun of an operation: `scheduledPayment` for `createScheduledPayment`. */
function nounOf(operationId: string): string {
  if (operationId === "refundOrder") return "refund";
  const noun = operationId.replace(/^[a-z]+/, "").replace(/^Transparent|V\d+$/g, "");
  return noun.charAt(0).toLowerCase() + noun.slice(1);
}

function statusIn(answer: unknown): { body?: { status: string } } {
  const status = isRecord(answer) ? answer["status"] : undefined;
  return typeof status === "string" ? { body: { status } } : {};
}

function parametersOf(template: string, pathname: string): { [name: string]: string } | undefined {
  const names = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const values = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]+)")}$`).exec(pathname)?.slice(1);
  return values && Object.fromEntries(names.map((name, index) => [name, decoded(values[index] ?? "")]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function queryOf(parameters: URLSearchParams): { [name: string]: string | string[] } {
  return Object.fromEntries(
    Array.from(new Set(parameters.keys()), (name) => {
      const all = parameters.getAll(name);
      return [name, all.length === 1 ? (all[0] ?? "") : all];
    }),
  );
}

/**
 * Returns the caller: left out for the first company, the name of another company, or the token of any other caller.
 */
function callerOf(
  { headers: { authorization: header } }: RecordedRequest,
  { companies }: RecordedSession,
  isSandboxOwn = false,
): { as?: string | null; headers?: object } {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  if (token === undefined && header !== undefined) return { as: null, headers: { authorization: header } };
  if (token === undefined) return isSandboxOwn ? {} : { as: null };
  const company = companies.get(token);
  const [first] = companies.values();
  return company === undefined ? { as: token } : company === first ? {} : { as: company };
}

function authorizationOf({ headers: { authorization } }: RecordedRequest): { headers?: object } {
  return authorization === undefined ? {} : { headers: { authorization } };
}

/** Returns the headers that the step would not send by default. */
function headersOf({ headers, text }: RecordedRequest): { headers?: object } {
  const { "content-type": type, "idempotency-key": key } = headers;
  const isUsual =
    type === undefined || text === undefined || text === "" || type.startsWith("application/json");
  const sent = {
    ...(!isUsual && { "content-type": type }),
    ...(key !== undefined && { "idempotency-key": key }),
  };
  return Object.keys(sent).length === 0 ? {} : { headers: sent };
}

function bodyOf({ text }: RecordedRequest): { body?: unknown } {
  if (text === undefined || text === "") return {};
  // A list or an object is written as YAML, unless it contains words of the scenario language.
  const value = parsed(text);
  const isPlain =
    typeof value === "object" && value !== null && !/"\$[^"]*"\s*:/.test(text) && !excessOf(value);
  return { body: isPlain ? value : text };
}

function formOf(request: RecordedRequest): { headers?: object; body?: unknown } {
  const type = request.headers["content-type"] ?? "";
  const { text = "" } = request;
  if (text === "") return {};
  const fields = queryOf(new URLSearchParams(text));
  const isSimple = Object.values(fields).every((value) => typeof value === "string");
  if (isSimple && type.startsWith("application/x-www-form-urlencoded")) return { body: fields };
  return { headers: { ...authorizationOf(request).headers, "content-type": type }, body: text };
}

function jsonObject(text: string | undefined): { readonly [key: string]: unknown } | undefined {
  const value = text === undefined ? undefined : parsed(text);
  return isRecord(value) ? value : undefined;
}
