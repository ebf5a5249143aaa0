import type { OperationId } from "../../simulator/api/vocabulary.ts";
import type { Context, Hono } from "hono";
import type { Answering, ServerEnv } from "../environment.ts";
import type { Cause } from "../../simulator/engine/journal.ts";
import type { Call, Handler } from "../../simulator/platform/call.ts";
import type { Transaction } from "../../simulator/engine/transaction.ts";
import type { Outcome, Simulation } from "../../simulator/engine/simulation.ts";
import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isRecord } from "../../simulator/engine/json.ts";
import { assumption } from "../../simulator/platform/assumptions/assumptions.ts";
import { checkOf } from "../../simulator/api/schema-compiler.ts";
import { LongWork } from "../../base/long-work.ts";
import { type CallFaultListener, withCallFaults } from "./call-faults.ts";
import { callerOf, removedToken } from "../caller.ts";
import {
  type CheckedQuery,
  type UnusedParameters,
  bodyProblems,
  pathProblems,
  queryProblems,
  unknownFields,
  unusedParameterProblems,
  unusedParameters,
  idempotencyKeyProblems,
} from "../../simulator/api/validation.ts";
import { isRepeated, PLAN_HEADER, type ParsedBody, readJsonBody } from "../request.ts";
import { forbidden, invalidRequest, unauthorized } from "../../simulator/platform/refusals.ts";
import { type Clocked, commonHeaders, internalError, jsonAnswer, refusalAnswer } from "../answer.ts";
import { handlers } from "../../simulator/platform/catalog.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds/worlds.ts";
import { describedServer } from "../control/worlds.ts";
import { openApiDocument } from "../../simulator/api/openapi.ts";
import { type Operation, operations } from "../../simulator/api/operations.ts";
import { honoPath } from "../../simulator/api/routes.ts";
import { inboundOf } from "../inbound-requests.ts";
import { type AccessToken, ORDER_SCOPE } from "../../simulator/platform/companies/access-token.ts";
import { type PlanHeader, readPlanHeader, withCallPlans } from "./plan-header.ts";
import { type Problem, Refusal } from "../../simulator/engine/refusal.ts";
import { type IdempotentAnswer, runOnce } from "../../simulator/platform/idempotency.ts";
import { TOKEN_PATHS } from "./client-credentials.ts";
import { tokenEndpoint } from "./token-endpoint.ts";
import { uses, withFreedoms } from "../../simulator/platform/freedoms.ts";
import { hiddenEntriesAt } from "../../simulator/platform/faults/visibility.ts";

/** Mounts the platform's interface: each operation at its path in `simulator/api/operations.ts`, and the description. */
export function mountInterface(app: Hono<ServerEnv>, worlds: Worlds, onCallFault?: CallFaultListener): void {
  app.on(
    "POST",
    TOKEN_PATHS,
    withCallFaults(worlds, operations.issueToken, tokenEndpoint(worlds), onCallFault),
  );
  for (const [operationId, handler] of Object.entries(handlers)) {
    const operation = operations[operationId as OperationId];
    const answer = answerCalls(worlds, operation, handler as Handler<unknown, unknown>);
    app.on(operation.method, honoPath(operation), withCallFaults(worlds, operation, answer, onCallFault));
  }
  app.get("/openapi.json", describeInterface(worlds));
}

/** Answers with the OpenAPI document of the interface, as the world of the request has it. */
function describeInterface(worlds: Worlds): (c: Context<ServerEnv>) => Promise<Response> {
  let last = { about: "", text: "" };
  return async (c) => {
    const world = callerOf(c).world ?? worlds.here(DEFAULT_WORLD);
    const server = describedServer(world, inboundOf(c).head.origin);
    const statusOf = (one: Operation): 200 | 201 =>
      world === undefined ? one.successStatus : successStatusOf(world.present.simulation.reading, one);
    const about = JSON.stringify([server, Object.values<Operation>(operations).map(statusOf)]);
    if (last.text === "") await compileChecks();
    if (last.about !== about) last = { about, text: JSON.stringify(openApiDocument(server, statusOf)) };
    const headers = { "content-type": "application/json", ...commonHeaders(worlds) };
    return new Response(last.text, { headers });
  };
}

/** Compiles the checks of all bodies, in turns, because the OpenAPI document shows problems of these checks. */
export async function compileChecks(): Promise<void> {
  const work = new LongWork();
  for (const { request } of Object.values<Operation>(operations)) {
    if (request !== undefined) checkOf(request);
    if (work.isDue) await work.nextTurn();
  }
}

/** The delay of an answer (assumption: freedoms.slow-answers). */
const SLOW_MS = 2_000;

const NO_BODY: ParsedBody = { value: undefined };
const NO_QUERY: CheckedQuery = { value: {}, problems: [] };

/**
 * Answers the calls of one operation: checks their shape, then runs the platform's handler as one command. A call
 * without a wait is answered in its turn.
 */
function answerCalls(
  worlds: Worlds,
  operation: Operation,
  handler: Handler<unknown, unknown>,
): (c: Context<ServerEnv>) => Answering {
  const { operationId } = operation;
  const form = operation.errorForm === "sentences" ? "sentences" : "common";
  const cause: Cause = { by: "call", name: operationId };
  const showsOutcomes = operationId === "listUndeliveredEvents";

  return function answerCall(c) {
    if (operation.request === undefined && !showsOutcomes) return answerRead(c, NO_BODY);
    return readCall(c).then((received) => answerRead(c, received));
  };

  async function readCall(c: Context<ServerEnv>): Promise<ParsedBody> {
    const { world, token } = callerOf(c);
    if (showsOutcomes && token !== undefined) await world?.deliveries.answeredForRead();
    return operation.request === undefined ? NO_BODY : readJsonBody(c.req.raw, inboundOf(c));
  }

  function answerRead(c: Context<ServerEnv>, received: ParsedBody): Answering {
    const { world, token, hint } = callerOf(c);
    if (world === undefined || token === undefined)
      return refusalAnswer(worlds, unauthorized(hint), form, inboundOf(c));
    const ready = readyForCall(world);
    if (ready === undefined) return answerIn(c, world, token, received);
    return ready.then(() => answerIn(c, world, token, received));
  }

  function answerIn(
    c: Context<ServerEnv>,
    world: World,
    token: AccessToken,
    received: ParsedBody,
  ): Answering {
    const inbound = inboundOf(c);
    const removed = removedToken(world, token);
    if (removed !== undefined) return refusalAnswer(worlds, removed, form, inbound);
    const { present } = world;
    const { simulation } = present;
    const { reading } = simulation;
    const written = (answer: object): object => withFreedoms(reading, answer);
    const needsScope = operation.scoped ?? assumption(reading, "auth.scope-elsewhere");
    if (needsScope && !token.scopes.includes(ORDER_SCOPE))
      return refusalAnswer(simulation, missingScope(), form, inbound, written);
    const isLenient = assumption(reading, "payloads.null-fields") === "absent";
    const body = isLenient && "value" in received ? { value: withoutNulls(received.value) } : received;
    const call = callOf(c, operation, body, { companyId: token.companyId, worldId: world.id });
    const extras = extrasOf(c, operation, body);
    const command = commandOf(operationId, call, extras, handler);
    const hidden = operation.method === "GET" ? staleReadBefore(simulation, call.params) : undefined;
    if (hidden !== undefined) inbound.touchedBy(["event-before-commit"]);
    const answer = (clock: Clocked, outcome: Outcome<IdempotentAnswer>): Response => {
      if (!outcome.ok) return refusalAnswer(clock, outcome.refusal, form, inbound, written);
      const { answer: value, isReplay } = outcome.value;
      if (value instanceof Refusal) return refusalAnswer(clock, value, form, inbound, written);
      const status = successStatusOf(reading, operation);
      return jsonAnswer(clock, status, written(value), headersOf(extras, isReplay), inbound);
    };
    const failed = (bug: unknown): Response => internalError(c.env, bug as Error, world, form);
    try {
      if (hidden !== undefined) return answer(simulation, simulation.executeBefore(hidden, cause, command));
      if (showsOutcomes) return answer(simulation, world.executeShown(cause, command, inbound));
      const { outcome, early } = world.executeCall(cause, command, inbound, present);
      // The clock may move while the answer waits.
      return early?.then(() => answer(world, outcome)).catch(failed) ?? answer(simulation, outcome);
    } catch (bug) {
      return failed(bug);
    }
  }
}

/** Resolves when a world can answer a call. Undefined if it can answer now. */
function readyForCall(world: World): Promise<void> | undefined {
  const ready = world.clock.ready();
  return ready === undefined && !isSlow(world) ? undefined : waitForCall(world, ready);
}

async function waitForCall(world: World, ready: Promise<void> | undefined): Promise<void> {
  await ready;
  if (isSlow(world)) await pause(SLOW_MS);
}

function isSlow({ simulation }: World): boolean {
  return uses(simulation.reading, "freedoms.slow-answers");
}

/** Returns the status of a success (assumptions: http.statuses, http.statuses-of-actions). */
function successStatusOf(reading: Simulation["reading"], { method, successStatus }: Operation): 200 | 201 {
  if (successStatus === 201) return assumption(reading, "http.statuses") === "created-201" ? 201 : 200;
  if (method !== "POST") return successStatus;
  return assumption(reading, "http.statuses-of-actions") === "201" ? 201 : 200;
}

/** Returns the request in the form for handlers, with the problems of its shape. */
function callOf(
  c: Context,
  operation: Operation,
  body: ParsedBody,
  { companyId, worldId }: Pick<Call, "companyId" | "worldId">,
): Call {
  const { operationId } = operation;
  const { head } = inboundOf(c);
  const params = pathParameters(c, Object.keys(operation.parameters));
  const query = operation.query === undefined ? NO_QUERY : queryProblems(operationId, c.req.query());
  const idempotencyKey = operation.idempotencyKey === undefined ? null : (head.headers[KEY_HEADER] ?? "");
  const problems: Problem[] = [
    ...idempotencyKeyProblems(operation.idempotencyKey, idempotencyKey),
    ...pathProblems(operationId, params),
    ...query.problems,
    ...("problem" in body ? [body.problem] : bodyProblems(operationId, body.value)),
  ];
  return {
    companyId,
    params,
    query: query.value,
    body: "value" in body ? body.value : undefined,
    problems,
    idempotencyKey,
    sha256,
    // Few calls need it in its normal form.
    get origin() {
      return new URL(head.origin).origin;
    },
    worldId,
  };
}

function sha256(text: string): string {
  return hash("sha256", text);
}

/** The parts of a request that the platform does not know, or that its API does not have. */
interface Extras {
  readonly fields: readonly string[];
  readonly parameters: UnusedParameters;
  /** The headers that the operation reads and that were sent more than once. */
  readonly repeatedHeaders: readonly string[];
  /** The header with plans. */
  readonly header: string | undefined;
  /** The content of the header. Undefined without it. */
  readonly planned: PlanHeader | undefined;
}

function extrasOf(c: Context, operation: Operation, body: ParsedBody): Extras {
  const { operationId } = operation;
  const { headers, path } = inboundOf(c).head;
  const header = headers[PLAN_HEADER];
  return {
    fields: "value" in body ? unknownFields(operationId, body.value) : [],
    parameters: unusedParameters(operationId, parameterNames(path)),
    repeatedHeaders:
      operation.idempotencyKey !== undefined &&
      isRepeated(KEY_HEADER, headers[KEY_HEADER], c.env as ServerEnv["Bindings"])
        ? [KEY_HEADER]
        : [],
    header,
    planned: header === undefined ? undefined : readPlanHeader(header, operation),
  };
}

/** The command of a call, which is run once for each idempotency key. */
function commandOf(
  operationId: OperationId,
  call: Call,
  { fields, parameters, planned }: Extras,
  handler: Handler<unknown, unknown>,
) {
  return (tx: Transaction): IdempotentAnswer => {
    const isStrict = assumption(tx, "payloads.unknown-fields") === "strict";
    const unknown = isStrict
      ? [...fields.map(unknownFieldProblem), ...unusedParameterProblems(operationId, parameters)]
      : [];
    const checked = unknown.length === 0 ? call : { ...call, problems: [...call.problems, ...unknown] };
    if (planned === undefined) return runOnce(tx, { operationId, call: checked, handler });
    if (planned.problems.length > 0) throw invalidRequest([...planned.problems, ...checked.problems]);
    return runOnce(tx, { operationId, call: checked, handler: withCallPlans(handler, planned.plans) });
  };
}

/** Returns the headers of this answer, in addition to the headers of every answer. */
function headersOf(
  { header, fields, parameters, repeatedHeaders }: Extras,
  isReplay: boolean,
): Readonly<Record<string, string>> | undefined {
  const warnings = warningsOf(fields, parameters, repeatedHeaders);
  if (!isReplay && header === undefined && warnings.length === 0) return undefined;
  return {
    ...(isReplay && { "idempotency-replayed": "true" }),
    ...(header !== undefined && { [PLAN_HEADER]: header }),
    ...(warnings.length > 0 && { "x-sandbox-warning": warnings.join("; ") }),
  };
}

/** Returns the path parameters. Each is a UUID, which is accepted in upper case and written in lower case. */
function pathParameters(c: Context, names: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of names) params[name] = (c.req.param(name) ?? "").toLowerCase();
  return params;
}

function missingScope(): ReturnType<typeof forbidden> {
  return forbidden(`The token lacks the scope ${ORDER_SCOPE}. Request a token with this scope.`);
}

function unknownFieldProblem(field: string): Problem {
  return { field, issue: "NOT_ALLOWED", description: `The field ${field} is not known. Leave it out.` };
}

/** Returns the value without null fields, at any depth (assumption: payloads.null-fields). */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(present.map(([name, field]) => [name, withoutNulls(field)]));
}

/** Returns the names of all query parameters of an address, in order. */
function parameterNames(path: string): readonly string[] {
  const start = path.indexOf("?");
  return start === -1 ? [] : [...new URLSearchParams(path.slice(start)).keys()];
}

const KEY_HEADER = "idempotency-key";

const NO_WARNINGS: readonly string[] = [];

/** Returns the texts of the header x-sandbox-warning. Header values are ASCII, but clients may choose any names. */
function warningsOf(
  fields: readonly string[],
  { unknown, repeated }: UnusedParameters,
  headers: readonly string[],
): readonly string[] {
  if (fields.length + unknown.length + repeated.length + headers.length === 0) return NO_WARNINGS;
  const found = {
    "unknown fields ignored": fields,
    "unknown query parameters ignored": unknown,
    "repeated query parameters read once": repeated,
    "repeated headers read as one value": headers,
  };
  return Object.entries(found)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.slice(0, 20).map(encodeURI).join(", ")}`);
}

/**
 * Returns the journal entry that a read must not show yet. A command changed the object in the path and its event was
 * sent, but its change is not visible yet (fault: event-before-commit).
 */
function staleReadBefore(
  { records, now, journal }: Simulation,
  params: Readonly<Record<string, string>>,
): number | undefined {
  const hidden = hiddenEntriesAt(records, now);
  if (hidden.length === 0) return undefined;
  const named = Object.values(params).filter((value) => value !== "");
  return hidden.find((entry) =>
    journal.entry(entry)?.changes.some(({ id }) => named.some((value) => id.includes(value))),
  );
}
