import type { Context } from "hono";
import type { Cause } from "../../engine/journal.ts";
import type { Call, Handler } from "../../platform/call.ts";
import type { Caller } from "../caller.ts";
import type { CheckedQuery } from "../../api/validation.ts";
import type { IdempotentAnswer } from "../../platform/idempotency.ts";
import type { Operation, OperationId } from "../../api/operations.ts";
import type { Outcome } from "../../engine/simulation.ts";
import type { ParsedBody } from "../request-body.ts";
import type { Problem } from "../../engine/refusal.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { after } from "../after.ts";
import { originOf } from "../request-url.ts";
import { assumption } from "../../platform/assumptions/assumptions.ts";
import { bodyProblems, pathProblems, queryProblems, unknownFields } from "../../api/validation.ts";
import { callerOf } from "../caller.ts";
import { forbidden, unauthorized } from "../../platform/refusals.ts";
import { hiddenChange } from "./hidden-change.ts";
import { internalError } from "../error-answer.ts";
import { inboundOf } from "../inbound-requests.ts";
import { jsonAnswer } from "../answer.ts";
import { validateIdempotencyKey } from "./idempotency-key.ts";
import { ORDER_SCOPE } from "../../platform/companies/access.ts";
import { readJsonBody } from "../request-body.ts";
import { Refusal } from "../../engine/refusal.ts";
import { refusalAnswer } from "../refusal-answer.ts";
import { runOnce } from "../../platform/idempotency.ts";

const NO_BODY: ParsedBody = { value: undefined };
const NO_QUERY: CheckedQuery = { value: {}, problems: [] };

/** One operation of the interface with what the platform does for it. */
export interface OperationRoute {
  readonly operation: Operation & { readonly operationId: OperationId };
  readonly handler: Handler<unknown, unknown>;
}

/**
 * Answers requests to one operation: who asks, what is wrong with the shape of what they ask, then the
 * platform's word as one command.
 */
export function operationRoute(worlds: Worlds, { operation, handler }: OperationRoute) {
  const form = operation.errorForm === "sentences" ? "sentences" : "common";
  const names = Object.keys(operation.parameters);
  const read = operation.request === undefined ? () => NO_BODY : readJsonBody;
  return function answerOperation(c: Context): Response | Promise<Response> {
    if (operation.operationId === "listUndeliveredEvents") {
      const settled = callerOf(worlds, c.req.raw)?.world.settledSoon();
      if (settled !== undefined) return settled.then(() => answerCall(c, NO_BODY));
    }
    return after<ParsedBody, Response>(read(c.req.raw, inboundOf(c)), (body) => answerCall(c, body));
  };

  function needsScope({ records }: World): boolean {
    return operation.scoped ?? assumption(records, "auth.scope-elsewhere");
  }

  function answerCall(c: Context, body: ParsedBody): Response {
    const inbound = inboundOf(c);
    const caller = callerOf(worlds, c.req.raw);
    if (caller === undefined) return refusalAnswer(worlds.default, unauthorized(), form, inbound);
    const { world, token } = caller;
    if (!token.scopes.includes(ORDER_SCOPE) && needsScope(world)) {
      return refusalAnswer(world, missingScope(), form, inbound);
    }
    const call = callOf(c, { operation, names, caller, body });
    const warnings = "value" in body ? unknownFields(operation.operationId, body.value) : [];
    const run = (tx: Transaction): IdempotentAnswer => {
      const strict = assumption(tx, "payloads.unknown-fields") === "strict";
      const problems = strict ? [...call.problems, ...warnings.map(unknownFieldProblem)] : call.problems;
      return runOnce(tx, { operationId: operation.operationId, call: { ...call, problems }, handler });
    };
    const cause: Cause = { by: "call", name: operation.operationId };
    const hidden = operation.method === "GET" ? hiddenChange(world, call.params) : undefined;
    let outcome: Outcome<IdempotentAnswer>;
    try {
      outcome =
        hidden === undefined ? world.execute(cause, run, inbound) : world.executeBefore(hidden, cause, run);
    } catch (bug) {
      return internalError({ world, error: bug as Error, c, form });
    }
    if (!outcome.ok) return refusalAnswer(world, outcome.refusal, form, inbound);
    const { answer, isReplay } = outcome.value;
    if (answer instanceof Refusal) return refusalAnswer(world, answer, form, inbound);
    const headers = {
      ...(isReplay && { "idempotency-replayed": "true" }),
      ...(warnings.length > 0 && { "x-sandbox-warning": warningHeader(warnings) }),
    };
    return jsonAnswer(world, operation.successStatus, answer, headers, inbound);
  }
}

interface Received {
  readonly operation: OperationRoute["operation"];
  /** The names of its path parameters. */
  readonly names: readonly string[];
  readonly caller: Caller;
  readonly body: ParsedBody;
}

/** The request as the platform takes it, with what is wrong with its shape. */
function callOf(c: Context, { operation, names, caller, body }: Received): Call {
  const { operationId } = operation;
  const params = pathParameters(c, names);
  const query = operation.query === undefined ? NO_QUERY : queryProblems(operationId, c.req.query());
  const idempotencyKey =
    operation.idempotencyKey === undefined ? null : (c.req.header("idempotency-key") ?? "");
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
    origin: originOf(c.req.raw.url),
    worldId: caller.world.id,
  };
}

/** Every path parameter is a UUID, which is written in lower case and read in either. */
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

/** Header values are ASCII; the names of unknown fields may be anything. */
function warningHeader(fields: readonly string[]): string {
  const shown = fields.slice(0, 20).map((field) => encodeURI(field));
  return `unknown fields ignored: ${shown.join(", ")}`;
}
