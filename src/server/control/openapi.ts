import type { ShapeName } from "../../simulator/api/generated/shapes.ts";
import type { Schema } from "../../simulator/api/schemas.ts";
import {
  bodyContent,
  refusalContent,
  sharedHeaderReferences,
  sharedHeaders,
  unreadableRequests,
} from "../../simulator/api/openapi-responses.ts";
import { componentSchema, flattened, type Json } from "../../simulator/api/openapi-schemas.ts";
import {
  bearerScheme,
  DEFAULT_SERVER,
  type DescribedServer,
  type DocumentInfo,
  openapiDocument,
} from "../../simulator/api/openapi-document.ts";
import { TAGS, type AnyEndpoint, type Endpoints } from "./endpoint.ts";
import { knownWords, vocabularySchemas } from "./openapi-vocabulary.ts";

/** The refusals of the API by their statuses, each with an example. */
const REFUSALS = {
  400: [
    "InvalidRequest",
    "INVALID_REQUEST",
    "The request is not valid: see seed.",
    "A field or the body is wrong. The answer names every wrong field.",
  ],
  401: [
    "Unauthorized",
    "UNAUTHORIZED",
    "Unauthorized Request",
    "The admin token is missing, or the Bearer token is unknown.",
  ],
  403: [
    "Forbidden",
    "FORBIDDEN_ERROR",
    "A web page of another origin must not change anything here.",
    "The request comes from a web page of another origin.",
  ],
  404: [
    "NotFound",
    "NOT_FOUND",
    'There is no snapshot "s9". GET /sandbox/snapshots lists them.',
    "There is no such object.",
  ],
  409: [
    "IllegalAct",
    "INVALID_REQUEST",
    "The act account.close is not possible: the account is CLOSED.",
    "The act is not possible from the state of the object.",
  ],
  408: unreadable(408),
  417: unreadable(417),
  431: unreadable(431),
  500: [
    "InternalError",
    "INTERNAL_ERROR",
    "The sandbox failed: this is a bug in sandbank.",
    "A bug of the sandbox.",
  ],
} as const;

function unreadable(status: keyof typeof unreadableRequests): readonly [string, string, string, string] {
  const { name, message } = unreadableRequests[status];
  return [name, "INVALID_REQUEST", message, "The request could not be read."];
}

const ADMIN = { adminToken: [] };
const WORLD = { world: [] };

/** The credentials of a request, by the allowed callers. */
const SECURITY = {
  anyone: [{}],
  admin: [{}, ADMIN],
  world: [{}, WORLD, ADMIN, { ...ADMIN, ...WORLD }],
  company: [{}, WORLD, ADMIN, { ...ADMIN, ...WORLD }],
} as const satisfies Readonly<Record<NonNullable<AnyEndpoint["access"]>, readonly object[]>>;

const INFO: DocumentInfo = {
  title: "The sandbox's own API",
  summary: "Worlds, time, acts, plans, faults, and the timeline.",
  description:
    "All paths are under `/sandbox`. A request acts on the world of its Bearer token, or without a token on `default`. Errors have the common error body, with every wrong field in one answer.",
  tags: TAGS,
};

/** The OpenAPI 3.1 description of the sandbox's own API. */
export function controlDocument(endpoints: Endpoints, server: DescribedServer = DEFAULT_SERVER): Json {
  const about =
    "A token of a company. The request acts on the world of the token, or without a token on the default world.";
  const adminToken = {
    type: "apiKey",
    in: "header",
    name: "x-admin-token",
    description: "Required if the server was started with --admin-token.",
  };
  const decorators = {
    marks: ({ access = "world" }: AnyEndpoint) => ({ security: SECURITY[access] }),
    parameterSchema,
    requestBody,
    success,
    refusals,
    schemas: vocabularySchemas(),
    components: {
      headers: sharedHeaders("Cache-Control", "Pragma"),
      responses: sharedRefusals(),
      securitySchemes: { adminToken, world: bearerScheme(server, about) },
    },
  };
  return openapiDocument<AnyEndpoint>(endpoints, INFO, decorators, server);
}

function sharedRefusals(): Json {
  const responses = Object.values(REFUSALS).map(([name, error, message, description]) => {
    const details =
      name === "InvalidRequest"
        ? [{ field: "seed", issue: "INVALID", description: "seed must be a whole number; found true." }]
        : [];
    const challenge = name === "Unauthorized" ? (["WWW-Authenticate", "X-Sandbox-Hint"] as const) : [];
    const headers = sharedHeaderReferences(...challenge);
    const content = refusalContent(["ControlError", { error, message, details }]);
    return [name, { description, headers, content }] as const;
  });
  const unavailable = {
    description: "The server has too many requests now, or no connection to its database.",
    headers: sharedHeaderReferences("Retry-After"),
    content: { "application/json": bodyContent("Unavailable") },
  };
  return { ...Object.fromEntries(responses), Unavailable: unavailable };
}

/** The refusals of some endpoints only, by their codes. */
const OWN_REFUSALS: Readonly<Record<string, "NOT_FOUND" | "ILLEGAL_ACT">> = {
  404: "NOT_FOUND",
  409: "ILLEGAL_ACT",
};

function refusals({ errors = [] }: AnyEndpoint): Json {
  const refused = Object.entries(REFUSALS).flatMap(([status, [name]]) => {
    const code = OWN_REFUSALS[status];
    return code === undefined || errors.includes(code) ? [[status, responseReference(name)] as const] : [];
  });
  return { ...Object.fromEntries(refused), 503: responseReference("Unavailable") };
}

function responseReference(name: string): Json {
  return { $ref: `#/components/responses/${name}` };
}

/** The body of a request. It is required if an empty object is not valid. */
function requestBody({ request, takes }: AnyEndpoint): Json | undefined {
  if (takes !== undefined) {
    const { type, example, json } = takes;
    const text = { [type]: { schema: { type: "string" }, example } };
    return { required: true, content: { ...text, "application/json": bodyContent(json) } };
  }
  if (request === undefined) return undefined;
  const { required, oneOf, minProperties } = vocabularyOrShape(request);
  const isRequired = [required, oneOf, minProperties].some((keyword) => keyword !== undefined);
  return { required: isRequired, content: { "application/json": bodyContent(request) } };
}

function vocabularyOrShape(shape: ShapeName): Json {
  return (vocabularySchemas()[shape] as Json | undefined) ?? componentSchema(shape);
}

/** The answer of a success. A parameter of the query may ask for another shape. */
function success({ response, alternative, gives }: AnyEndpoint): Json {
  const body = bodyContent(response);
  const other = alternative && bodyContent(alternative);
  const either = other && {
    schema: { oneOf: [body["schema"], other["schema"]] },
    examples: { [response]: exampleIn(body), [alternative]: exampleIn(other) },
  };
  return { headers: sharedHeaderReferences(), content: { [gives ?? "application/json"]: either ?? body } };
}

function exampleIn({ examples }: Json): unknown {
  return Object.values(examples as Json)[0];
}

function parameterSchema(schema: Schema, name: string, id: string): Json {
  const words = knownWords(id, name);
  return { ...flattened(schema), ...(words !== undefined && { enum: words }) };
}
