import type { Context, Hono } from "hono";
import type { Cause } from "../../engine/journal.ts";
import type { Call, Handler } from "../../platform/call.ts";
import type { Outcome } from "../../engine/simulation.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { isRecord } from "../../engine/json.ts";
import { assumption } from "../../platform/assumptions/assumptions.ts";
import { CompiledChecks } from "./compiled-checks.ts";
import { type Route, withCallFaults } from "./call-faults.ts";
import {
  type CheckedQuery,
  type UnusedParameters,
  bodyProblems,
  pathProblems,
  queryProblems,
  unknownFields,
  unusedParameterProblems,
  unusedParameters,
  validateIdempotencyKey,
} from "../../api/validation.ts";
import { type Caller, PLAN_HEADER, type ParsedBody, callerOf, readJsonBody, siteOf } from "../request.ts";
import { forbidden, invalidRequest, unauthorized } from "../../platform/refusals.ts";
import { commonHeaders, internalError, jsonAnswer, refusalAnswer } from "../answer.ts";
import { handlers } from "../../platform/catalog.ts";
import { openApiDocument } from "../../api/openapi.ts";
import { type Operation, type OperationId, operations } from "../../api/operations.ts";
import { inboundOf } from "../inbound-requests.ts";
import { ORDER_SCOPE } from "../../platform/companies/access.ts";
import { readPlanHeader, withCallPlans } from "./plan-header.ts";
import { type Problem, Refusal } from "../../engine/refusal.ts";
import { type IdempotentAnswer, runOnce } from "../../platform/idempotency.ts";
import { withoutCardNumbers, withoutConfidential } from "../../worlds/masking.ts";
import { TOKEN_PATHS, tokenEndpoint } from "./token-endpoint.ts";
import { hiddenEntriesAt } from "../../platform/faults/visibility.ts";

/** Mounts the platform's interface: each operation at the path that `api/operations.ts` gives, and its description. */
export function mountInterface(app: Hono, worlds: Worlds): void {
  const checks = new CompiledChecks();
  app.on("POST", TOKEN_PATHS, withCallFaults(worlds, operations.issueToken, tokenEndpoint(worlds)));
  for (const [operationId, handler] of Object.entries(handlers)) {
    const operation = operations[operationId as OperationId];
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const route = operationRoute(worlds, {
      operation,
      handler: handler as Handler<unknown, unknown>,
      checks,
    });
    app.on(operation.method, path, withCallFaults(worlds, operation, route));
  }
  let document: string | undefined;
  app.get("/openapi.json", async () => {
    if (document === undefined) await checks.all();
    document ??= JSON.stringify(openApiDocument());
    const headers = { "content-type": "application/json", ...commonHeaders(worlds) };
    return new Response(document, { headers });
  });
}

const NO_BODY: ParsedBody = { value: undefined };
const NO_QUERY: CheckedQuery = { value: {}, problems: [] };

/** One operation of the interface with its handler. */
interface OperationRoute {
  readonly operation: Operation & { readonly operationId: OperationId };
  readonly handler: Handler<unknown, unknown>;
  readonly checks: CompiledChecks;
}

/**
 * Answers requests to one operation: identifies the caller, checks the shape of the request, then runs the
 * platform's handler as one command.
 */
function operationRoute(worlds: Worlds, { operation, handler, checks }: OperationRoute): Route {
  const form = operation.errorForm === "sentences" ? "sentences" : "common";
  const names = Object.keys(operation.parameters);
  const readsOutcomes = operation.operationId === "listUndeliveredEvents";
  const isPrompt = operation.request === undefined && !readsOutcomes;
  const masked = (text: string): string => withoutConfidential(text, worlds.isTestCard);
  return function answerOperation(c) {
    const compilation = checks.of(operation);
    return compilation === undefined && isPrompt ? answerReady(c, NO_BODY) : answerLater(c, compilation);
  };

  async function answerLater(c: Context, compilation: Promise<void> | undefined): Promise<Response> {
    if (compilation !== undefined) await compilation;
    if (readsOutcomes) await callerOf(worlds, c.req.raw)?.world.settledSoon();
    const received =
      operation.request === undefined ? NO_BODY : await readJsonBody(c.req.raw, inboundOf(c), masked);
    return answerReady(c, received);
  }

  /** Answers once the world of the caller can run a command: at once, and without a promise, where it can. */
  function answerReady(c: Context, received: ParsedBody): Response | Promise<Response> {
    const caller = callerOf(worlds, c.req.raw);
    const ready = caller?.world.ready();
    if (ready === undefined) return answerCall(c, { caller, received });
    // Meanwhile a token may expire, and a world may be reset.
    return ready.then(() => answerCall(c, { caller: callerOf(worlds, c.req.raw), received }));
  }

  function needsScope({ records }: World): boolean {
    return operation.scoped ?? assumption(records, "auth.scope-elsewhere");
  }

  function answerCall(c: Context, { caller, received }: ReceivedCall): Response | Promise<Response> {
    const inbound = inboundOf(c);
    if (caller === undefined) return refusalAnswer(worlds, unauthorized(), form, inbound);
    const { world, token } = caller;
    if (!token.scopes.includes(ORDER_SCOPE) && needsScope(world)) {
      return refusalAnswer(world, missingScope(), form, inbound);
    }
    const isLenient = assumption(world.records, "payloads.null-fields") === "absent";
    const body = isLenient && "value" in received ? { value: withoutNulls(received.value) } : received;
    const call = callOf(c, { operation, names, caller, body });
    const { operationId } = operation;
    const fields = "value" in body ? unknownFields(operationId, body.value) : [];
    const unused = unusedParameters(operationId, parameterNames(c.req.url));
    const warnings = warningsOf(fields, unused);
    const header = c.req.header(PLAN_HEADER);
    const planned = readPlanHeader(header, operation);
    const run = (tx: Transaction): IdempotentAnswer => {
      const strict = assumption(tx, "payloads.unknown-fields") === "strict";
      const problems = strict
        ? [
            ...call.problems,
            ...fields.map(unknownFieldProblem),
            ...unusedParameterProblems(operationId, unused),
          ]
        : call.problems;
      if (planned.problems.length > 0) throw invalidRequest([...planned.problems, ...problems]);
      const plannedHandler = withCallPlans(handler, planned.plans);
      return runOnce(tx, { operationId, call: { ...call, problems }, handler: plannedHandler });
    };
    const cause: Cause = { by: "call", name: operation.operationId };
    const hidden = operation.method === "GET" ? staleReadBefore(world, call.params) : undefined;
    if (hidden !== undefined) inbound?.touchedBy(["event-before-commit"]);
    let outcome: Outcome<IdempotentAnswer>;
    let early: Promise<unknown> | undefined;
    try {
      if (hidden === undefined) ({ outcome, early } = world.executeCall(cause, run, inbound));
      else outcome = world.executeBefore(hidden, cause, run);
    } catch (bug) {
      return internalError({ world, error: bug as Error, c, form });
    }
    return early === undefined ? answerOutcome() : early.then(answerOutcome);

    function answerOutcome(): Response {
      if (!outcome.ok) return refusalAnswer(world, outcome.refusal, form, inbound);
      const { answer, isReplay } = outcome.value;
      if (answer instanceof Refusal) return refusalAnswer(world, answer, form, inbound);
      const isPlain = !isReplay && header === undefined && warnings.length === 0;
      const headers = isPlain
        ? undefined
        : {
            ...(isReplay && { "idempotency-replayed": "true" }),
            ...(header !== undefined && { [PLAN_HEADER]: header }),
            ...(warnings.length > 0 && { "x-sandbox-warning": warnings.join("; ") }),
          };
      return jsonAnswer(world, operation.successStatus, answer, headers, inbound);
    }
  }
}

interface ReceivedCall {
  /** Undefined where the request has no valid token. */
  readonly caller: Caller | undefined;
  readonly received: ParsedBody;
}

interface Received {
  readonly operation: OperationRoute["operation"];
  /** The names of its path parameters. */
  readonly names: readonly string[];
  readonly caller: Caller;
  readonly body: ParsedBody;
}

/** The request as a handler takes it, with what is wrong with its shape. */
function callOf(c: Context, { operation, names, caller, body }: Received): Call {
  const { operationId } = operation;
  const params = pathParameters(c, names);
  const query = operation.query === undefined ? NO_QUERY : queryProblems(operationId, c.req.query());
  const idempotencyKey =
    operation.idempotencyKey === undefined ? null : withoutCardNumbers(c.req.header("idempotency-key") ?? "");
  const problems: Problem[] = [
    ...validateIdempotencyKey(operation.idempotencyKey, idempotencyKey),
    ...pathProblems(operationId, params),
    ...query.problems,
    ...("problem" in body ? [body.problem] : bodyProblems(operationId, body.value)),
  ];
  return {
    companyId: caller.token.companyId,
    params,
    query: query.value,
    body: "value" in body ? body.value : undefined,
    problems,
    idempotencyKey,
    origin: siteOf(c.req.url).origin,
    worldId: caller.world.id,
  };
}

/** Every path parameter is a UUID, which is written in lower case and accepted in either. */
function pathParameters(c: Context, names: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of names) params[name] = (c.req.param(name) ?? "").toLowerCase();
  return params;
}

function missingScope(): ReturnType<typeof forbidden> {
  return forbidden(`The token lacks the scope ${ORDER_SCOPE}. Ask the token endpoint for one that has it.`);
}

function unknownFieldProblem(field: string): Problem {
  return { field, issue: "NOT_ALLOWED", description: `The field ${field} is not known. Leave it out.` };
}

/** The value without the fields that are null, at any depth (assumption: payloads.null-fields). */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(present.map(([name, field]) => [name, withoutNulls(field)]));
}

/** The names of all query parameters of an address, in their order. */
function parameterNames(url: string): readonly string[] {
  return url.includes("?") ? [...new URL(url).searchParams.keys()] : [];
}

const NO_WARNINGS: readonly string[] = [];

/** What the header x-sandbox-warning reports. Header values are ASCII; the names that clients choose may be anything. */
function warningsOf(fields: readonly string[], { unknown, repeated }: UnusedParameters): readonly string[] {
  if (fields.length + unknown.length + repeated.length === 0) return NO_WARNINGS;
  const found = {
    "unknown fields ignored": fields,
    "unknown query parameters ignored": unknown,
    "repeated query parameters read once": repeated,
  };
  return Object.entries(found)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.slice(0, 20).map(encodeURI).join(", ")}`);
}

/**
 * The journal entry before which a read has to be answered: the object that its path names was changed by a command
 * whose event was sent, while its change is not visible yet (fault: event-before-commit).
 */
function staleReadBefore(world: World, params: Readonly<Record<string, string>>): number | undefined {
  const hidden = hiddenEntriesAt(world.records, world.now);
  if (hidden.length === 0) return undefined;
  const named = Object.values(params).filter((value) => value !== "");
  return hidden.find((entry) =>
    world.journal.entry(entry)?.changes.some(({ id }) => named.some((value) => id.includes(value))),
  );
}
