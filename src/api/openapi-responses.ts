import type { Problem } from "../engine/refusal.ts";
import type { AssumptionId } from "../platform/assumptions/assumptions.ts";
import type { ErrorCode } from "./generated/shapes.ts";
import { reference, type Json } from "./openapi-schemas.ts";
import { errorStatuses, takesPlan, type Operation, type ShapeName } from "./operations.ts";
import { definition, exampleOf } from "./schemas.ts";
import { bodyProblems, pathProblems, queryProblems } from "./validation.ts";

/** A body: its schema and its examples, numbered where there are several. */
export function bodyContent(shape: ShapeName): Json {
  const { schema } = definition(shape);
  const examples = schema.examples ?? [exampleOf(schema)];
  const named = examples.map((value, index) => [
    examples.length > 1 ? `example${index + 1}` : "example",
    { value },
  ]);
  return { schema: reference(shape), examples: Object.fromEntries(named) as Json };
}

/** Every answer of an operation, each with the assumption on which its status rests. */
export function responses(operation: Operation): Json {
  const headers = responseHeaders(operation);
  const success = {
    description: definition(operation.response).schema.description,
    "x-assumption": operation.assumption ?? statusAssumption(operation),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { "application/json": bodyContent(operation.response) },
  };
  const failures = operation.errors.map((code) => [errorStatuses[code], errorResponse(operation, code)]);
  return { [operation.successStatus]: success, ...(Object.fromEntries(failures) as Json) };
}

/** A POST that answers 200 creates nothing; that it does not answer 201 is an assumption of its own. */
function statusAssumption({ method, successStatus }: Operation): AssumptionId {
  return method === "POST" && successStatus === 200 ? "http.statuses-of-actions" : "http.statuses";
}

function responseHeaders(operation: Operation): Json {
  const replayed = {
    description: "true when this is the answer given to an earlier request with the same idempotency-key.",
    "x-assumption": "idempotency.replay",
    schema: { type: "string", enum: ["true"] },
  };
  const warning = {
    description: "Names the fields of the request that the platform does not know and ignored.",
    "x-assumption": "payloads.unknown-fields",
    schema: { type: "string" },
  };
  const plan = {
    description: "The plans of the request's header x-sandbox-plan, repeated. The sandbox alone sends it.",
    schema: { type: "string" },
  };
  return {
    ...(takesPlan(operation) && { "x-sandbox-plan": plan }),
    ...(operation.idempotencyKey !== undefined && { "idempotency-replayed": replayed }),
    ...(operation.request !== undefined && { "x-sandbox-warning": warning }),
  };
}

const meanings: Readonly<Record<ErrorCode, { readonly meaning: string; readonly message: string }>> = {
  INVALID_REQUEST: { meaning: "The request is not valid.", message: "The request is not valid" },
  UNAUTHORIZED: { meaning: "The token is missing, unknown or expired.", message: "Unauthorized Request" },
  FORBIDDEN_ERROR: {
    meaning: "The token does not allow it.",
    message: "The token lacks the scope of this operation",
  },
  NOT_FOUND: { meaning: "There is no such resource.", message: "Resource not found" },
  INTERNAL_ERROR: { meaning: "An unexpected server error.", message: "Unexpected server error" },
};

function errorResponse(operation: Operation, code: ErrorCode): Json {
  const assumed = operation.assumedErrors.includes(code);
  const [shape, example] = errorBody(operation, code);
  return {
    description: operation.errorForm === "oauth" ? oauthMeanings[code] : meanings[code].meaning,
    "x-assumption": operation.assumption ?? (assumed ? "auth.errors-everywhere" : "http.statuses"),
    content: { "application/json": { schema: reference(shape), examples: { example: { value: example } } } },
  };
}

function errorBody(operation: Operation, code: ErrorCode): [ShapeName, unknown] {
  const { message } = meanings[code];
  if (operation.errorForm === "oauth") {
    return ["OAuthErrorBody", { error: oauthCodes[code], error_description: oauthMeanings[code] }];
  }
  const details = code === "INVALID_REQUEST" ? exampleProblems(operation).slice(0, 2) : [];
  if (operation.errorForm === "common") return ["ErrorBody", { error: code, message, details }];
  const sentences = details.map(({ field, description }) => `${field} ${description}`);
  return ["ErrorSentences", sentences.length > 0 ? sentences : [message]];
}

const oauthCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  INVALID_REQUEST: "invalid_request",
  UNAUTHORIZED: "invalid_client",
  INTERNAL_ERROR: "server_error",
};

const oauthMeanings: Readonly<Partial<Record<ErrorCode, string>>> = {
  INVALID_REQUEST: "The request is not a valid client credentials request.",
  UNAUTHORIZED: "The client id or the client secret is not known.",
  INTERNAL_ERROR: "An unexpected server error.",
};

/** The real problems of an invalid request: one with an empty body, or with an invalid parameter. */
function exampleProblems(operation: Operation): readonly Problem[] {
  const { operationId } = operation;
  if (operation.request !== undefined) return bodyProblems(operationId, {});
  if (operation.query !== undefined) return queryProblems(operationId, { limit: "0" }).problems;
  const broken = Object.keys(operation.parameters).map((name) => [name, "1"]);
  return pathProblems(operationId, Object.fromEntries(broken) as Record<string, string>);
}
