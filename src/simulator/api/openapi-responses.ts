import type { Problem } from "../engine/refusal.ts";
import type { AssumptionId } from "../platform/assumptions/assumptions.ts";
import type { ErrorCode, ShapeName } from "./generated/shapes.ts";
import { reference, type Json } from "./openapi-schemas.ts";
import { errorStatuses, type Operation } from "./operations.ts";
import { definition, exampleOf } from "./schemas.ts";
import { bodyProblems, pathProblems, queryProblems } from "./validation.ts";

/** Returns a body: its schema and its examples, numbered if there are several. */
export function bodyContent(shape: ShapeName): Json {
  const { schema } = definition(shape);
  const examples = schema.examples ?? [exampleOf(schema)];
  const named = examples.map((value, index) => [
    examples.length > 1 ? `example${index + 1}` : "example",
    { value },
  ]);
  return { schema: reference(shape), examples: Object.fromEntries(named) as Json };
}

/** Returns the content of a refusal, with its only example. */
export function refusalContent([shape, value]: ErrorExample): Json {
  return { "application/json": { schema: reference(shape), examples: { example: { value } } } };
}

/** Returns the answer to a success, with the assumption behind its status. */
export function success(operation: Operation): Json {
  return {
    "x-assumption": operation.assumption ?? statusAssumption(operation),
    headers: successHeaders(operation),
    content: { "application/json": bodyContent(operation.response) },
  };
}

/** Returns every refusal of an operation, each with the assumption behind its status. */
export function refusals(operation: Operation): Json {
  const failures = operation.errors.map((code) => [errorStatuses[code], errorResponse(operation, code)]);
  return { ...(Object.fromEntries(failures) as Json), ...responsesBeforeOperation(operation) };
}

/**
 * Returns the assumption about the status of a success. A POST that answers 200 creates no object, and its 200 in
 * place of 201 is a separate assumption.
 */
function statusAssumption({ method, successStatus }: Operation): AssumptionId {
  return method === "POST" && successStatus === 200 ? "http.statuses-of-actions" : "http.statuses";
}

/** The headers of every answer to a request that could be read. */
const COMMON_HEADERS = ["Date", "X-Request-Id"] as const;

/** The headers of answers of the token endpoint (RFC 6749, 5.1). */
const NO_STORE_HEADERS = ["Cache-Control", "Pragma"] as const;

const headerDescriptions = {
  Date: {
    description: "The time of the sandbox's clock.",
    schema: { type: "string" },
    example: "Fri, 20 Nov 2026 12:00:00 GMT",
  },
  "X-Request-Id": {
    description: "The id of the request: its id in this header, otherwise an id that the server made.",
    schema: { type: "string" },
    example: "mi8k2v1c-1",
  },
  "WWW-Authenticate": {
    description:
      "How to authenticate: Bearer, or Basic at the token endpoint. Sent with every refused token or client.",
    "x-assumption": "auth.header",
    schema: { type: "string" },
    example: "Bearer",
  },
  "X-Sandbox-Hint": {
    description:
      "Why the token is unknown here, if the sandbox knows the reason: a header of the sandbox, not of the platform.",
    required: false,
    schema: { type: "string" },
    example: "The token is of the world w3, which was dropped.",
  },
  "Retry-After": {
    description: "After how many seconds to send the request again.",
    "x-assumption": "http.statuses",
    schema: { type: "string", pattern: String.raw`^\d+$` },
    example: "5",
  },
  "Cache-Control": {
    description: "no-store: a token is not to be kept by caches.",
    "x-assumption": "auth.token-endpoint",
    schema: { type: "string", enum: ["no-store"] },
    example: "no-store",
  },
  Pragma: {
    description: "no-cache, for caches of HTTP/1.0.",
    "x-assumption": "auth.token-endpoint",
    schema: { type: "string", enum: ["no-cache"] },
    example: "no-cache",
  },
} as const satisfies Record<string, Json>;

type HeaderName = keyof typeof headerDescriptions;

/**
 * Returns the headers that answers share, for `components.headers`. Headers that a document does not use are left
 * out.
 */
export function sharedHeaders(...unused: readonly HeaderName[]): Json {
  const used = Object.entries(headerDescriptions).filter(([name]) => !unused.includes(name as HeaderName));
  return Object.fromEntries(used.map(([name, header]) => [componentName(name), header]));
}

/** Returns references to headers that are always sent, by their names in lower case. */
function headers(...names: readonly HeaderName[]): Json {
  return Object.fromEntries(
    names.map((name) => [name.toLowerCase(), { $ref: `#/components/headers/${componentName(name)}` }]),
  );
}

/** Returns references to the headers of every answer, and to the named headers. */
export function sharedHeaderReferences(...names: readonly HeaderName[]): Json {
  return headers(...COMMON_HEADERS, ...names);
}

function componentName(header: string): string {
  return header.replaceAll("-", "");
}

/**
 * Returns the headers of a success. Optional headers are written out: generators read no `required` in a reference.
 */
function successHeaders(operation: Operation): Json {
  const { idempotencyKey, errorForm } = operation;
  if (errorForm === "oauth") return headers(...COMMON_HEADERS, ...NO_STORE_HEADERS);
  return {
    ...headers(...COMMON_HEADERS),
    ...(idempotencyKey !== undefined && { "idempotency-replayed": replayed }),
    ...(operation.creates && { "x-sandbox-plan": plan }),
    "x-sandbox-warning": warning,
  };
}

const replayed = {
  description: "true when this is the answer given to an earlier request with the same idempotency-key.",
  "x-assumption": "idempotency.replay",
  required: false,
  schema: { type: "string", enum: ["true"] },
  example: "true",
};

const plan = {
  description: "The plans of the request's header x-sandbox-plan, repeated. Only the sandbox sends it.",
  required: false,
  schema: { type: "string" },
  example: "payout.settlement=ERROR",
};

const warning = {
  description:
    "Names the fields and query parameters of the request that the platform does not know and ignored, and the query parameters and headers that were repeated.",
  "x-assumption": "payloads.unknown-fields",
  required: false,
  schema: { type: "string" },
  example: "unknown fields ignored: colour",
};

function errorHeaders({ errorForm }: Operation, code?: ErrorCode): Json {
  return headers(
    ...COMMON_HEADERS,
    ...(code === "UNAUTHORIZED" ? (["WWW-Authenticate", "X-Sandbox-Hint"] as const) : []),
    ...(errorForm === "oauth" ? NO_STORE_HEADERS : []),
  );
}

/** The answers to requests that never reach an operation, the same for all of them. */
export const unreadableRequests = {
  408: {
    name: "RequestTimeout",
    message: "The request did not arrive within the time limit. Send it again.",
  },
  417: {
    name: "ExpectationFailed",
    message: 'The header Expect can only be 100-continue; found "100-maybe". Leave it out.',
  },
  431: { name: "HeadersTooLarge", message: "The headers are too large. Send fewer, or shorter ones." },
} as const;

/** Returns the answers that all operations share, for `components.responses`. */
export function sharedResponses(): Json {
  return Object.fromEntries(
    Object.values(unreadableRequests).map((unread) => [unread.name, unreadableResponse(unread)]),
  );
}

/**
 * Returns the answer to an unreadable request. The server answers in the common form. A fault with this status answers
 * in the form of the operation.
 */
function unreadableResponse(
  { message }: { readonly message: string },
  operation: Pick<Operation, "errorForm"> = { errorForm: "common" },
): Json {
  const description = message.slice(0, message.search(/[.;]/) + 1).replace(";", ".");
  const fault = errorExample(operation.errorForm, "INVALID_REQUEST", "Request refused");
  const content = eitherContent(fault, errorExample("common", "INVALID_REQUEST", message));
  return { description, "x-assumption": "http.statuses", content: { "application/json": content } };
}

/** Returns the content of an error in the form of the operation or in the common form. */
function eitherContent([shape, example]: ErrorExample, [common, value]: ErrorExample): Json {
  if (shape === common) return { schema: reference(common), examples: { [common]: { value } } };
  return {
    schema: { oneOf: [reference(shape), reference(common)] },
    examples: { [shape]: { value: example }, [common]: { value } },
  };
}

/** Returns the answers that come before the operation: from the server, or from a fault on the platform API. */
function responsesBeforeOperation(operation: Operation): Json {
  const unreadable = Object.entries(unreadableRequests).map(([status, unread]) => [
    status,
    operation.errorForm === "common"
      ? { $ref: `#/components/responses/${unread.name}` }
      : unreadableResponse(unread, operation),
  ]);
  return {
    ...(Object.fromEntries(unreadable) as Json),
    "503": {
      description:
        "The service is unavailable, or has too many requests to answer. Send the request again later.",
      "x-assumption": "http.statuses",
      headers: headers(...COMMON_HEADERS, "Retry-After"),
      content: { "application/json": unavailableContent(operation) },
    },
    default: faultResponse(operation),
  };
}

/** Returns the content of a 503. A fault answers in the form of the operation, and a busy server in the common form. */
function unavailableContent({ errorForm }: Operation): Json {
  const busy =
    "More than 1000 requests are being answered at the moment. Send the request again in a second.";
  const own = "The service is unavailable. Try again later.";
  return eitherContent(
    errorExample(errorForm, "UNAVAILABLE", own),
    errorExample("common", "INTERNAL_ERROR", busy),
  );
}

/** Returns the answer of a fault with another status. The sandbox sends it only if a fault asks for it. */
function faultResponse({ errorForm }: Operation): Json {
  return {
    description: "Any other status, which only a fault on the platform API sends.",
    "x-assumption": "http.rate-limits",
    headers: {
      ...headers(...COMMON_HEADERS),
      // A 429 always has this header. Other statuses have it only if the fault sets it.
      "retry-after": { ...headerDescriptions["Retry-After"], required: false },
    },
    content: refusalContent(errorExample(errorForm, "INTERNAL_ERROR", "Unexpected error")),
  };
}

/** The meaning of an error, and its message. */
const meanings: Readonly<Record<ErrorCode, readonly [meaning: string, message: string]>> = {
  INVALID_REQUEST: ["The request is not valid.", "The request is not valid"],
  UNAUTHORIZED: ["The token is missing, unknown or expired.", "Unauthorized Request"],
  FORBIDDEN_ERROR: ["The token does not allow it.", "The token lacks the scope of this operation"],
  NOT_FOUND: ["There is no such resource.", "Resource not found"],
  INTERNAL_ERROR: ["An unexpected server error.", "Unexpected server error"],
};

const oauthMeanings: Readonly<Partial<Record<ErrorCode, string>>> = {
  INVALID_REQUEST: "The request is not a valid client credentials request.",
  UNAUTHORIZED: "The client id or the client secret is not known.",
  INTERNAL_ERROR: "An unexpected server error.",
};

const oauthCodes: Readonly<Record<string, string>> = {
  INVALID_REQUEST: "invalid_request",
  UNAUTHORIZED: "invalid_client",
  INTERNAL_ERROR: "server_error",
  UNAVAILABLE: "temporarily_unavailable",
};

function errorResponse(operation: Operation, code: ErrorCode): Json {
  const { errorForm, assumedErrors, assumption } = operation;
  const [meaning, message] = meanings[code];
  const oauth = errorForm === "oauth" ? oauthMeanings[code] : undefined;
  const details = code === "INVALID_REQUEST" ? exampleProblems(operation).slice(0, 2) : [];
  return {
    description: oauth ?? meaning,
    "x-assumption": assumption ?? (assumedErrors.includes(code) ? "auth.errors-everywhere" : "http.statuses"),
    headers: errorHeaders(operation, code),
    content: refusalContent(errorExample(errorForm, code, oauth ?? message, details)),
  };
}

type ErrorExample = readonly [shape: ShapeName, value: unknown];

/** Returns the body of an error in one of the forms. */
function errorExample(
  form: Operation["errorForm"],
  error: ErrorCode | "UNAVAILABLE",
  message: string,
  details: readonly Problem[] = [],
): ErrorExample {
  if (form === "oauth") return ["OAuthErrorBody", { error: oauthCodes[error], error_description: message }];
  if (form === "common") return ["ErrorBody", { error, message, details }];
  const sentences = details.map(({ field, description }) => `${field} ${description}`);
  return ["ErrorSentences", sentences.length > 0 ? sentences : [message]];
}

/** Returns the real problems of an invalid request. Its body is empty, or one parameter is invalid. */
function exampleProblems(operation: Operation): readonly Problem[] {
  const { operationId } = operation;
  if (operation.request !== undefined) return bodyProblems(operationId, {});
  if (operation.query !== undefined) return queryProblems(operationId, { limit: "0" }).problems;
  const broken = Object.keys(operation.parameters).map((name) => [name, "1"]);
  return pathProblems(operationId, Object.fromEntries(broken) as Record<string, string>);
}
