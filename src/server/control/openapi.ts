import type { ShapeName } from "../../simulator/api/generated/shapes.ts";
import { definition, exampleOf } from "../../simulator/api/schemas.ts";
import {
  bodyContent,
  refusalContent,
  sharedHeaderReferences,
  sharedHeaders,
  unreadableRequests,
} from "../../simulator/api/openapi-responses.ts";
import {
  componentSchema,
  componentSchemas,
  flattened,
  type Json,
} from "../../simulator/api/openapi-schemas.ts";
import {
  apiDocument,
  bearerScheme,
  DEFAULT_SERVER,
  type DescribedServer,
  pathsOf,
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

/** The OpenAPI 3.1 description of the sandbox's own API. */
export function controlDocument(endpoints: Endpoints, server: DescribedServer = DEFAULT_SERVER): Json {
  const paths = pathsOf(
    Object.entries(endpoints).map(([id, endpoint]) => [endpoint, operationObject(id, endpoint)] as const),
  );
  const responses = Object.fromEntries(
    Object.values(REFUSALS).map(([name, error, message, description]) => {
      const details =
        name === "InvalidRequest"
          ? [{ field: "seed", issue: "INVALID", description: "seed must be a whole number; found true." }]
          : [];
      const isUnauthorized = name === "Unauthorized";
      const headers = sharedHeaderReferences(
        ...(isUnauthorized ? (["WWW-Authenticate", "X-Sandbox-Hint"] as const) : []),
      );
      const content = refusalContent(["ControlError", { error, message, details }]);
      return [name, { description, headers, content }];
    }),
  );
  const unavailable = {
    description: "The server has too many requests now, or no connection to its database.",
    headers: sharedHeaderReferences("Retry-After"),
    content: { "application/json": bodyContent("Unavailable") },
  };
  const about = {
    title: "The sandbox's own API",
    summary: "Worlds, time, acts, plans, faults, and the timeline.",
    description:
      "All paths are under `/sandbox`. A request acts on the world of its Bearer token, or without a token on `default`. Errors have the common error body, with every wrong field in one answer.",
  };
  return apiDocument(about, server, {
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentSchemas([paths, responses, unavailable], vocabularySchemas()),
      headers: sharedHeaders("Cache-Control", "Pragma"),
      responses: { ...responses, Unavailable: unavailable },
      securitySchemes: {
        adminToken: {
          type: "apiKey",
          in: "header",
          name: "x-admin-token",
          description: "Required if the server was started with --admin-token.",
        },
        world: bearerScheme(
          server,
          "A token of a company. The request acts on the world of the token, or without a token on the default world.",
        ),
      },
    },
  });
}

function operationObject(operationId: string, endpoint: AnyEndpoint): Json {
  const { tag, summary, description, access = "world", errors = [] } = endpoint;
  const statuses = [
    400,
    401,
    403,
    ...(errors.includes("NOT_FOUND") ? [404] : []),
    408,
    ...(errors.includes("ILLEGAL_ACT") ? [409] : []),
    417,
    431,
    500,
  ] as (keyof typeof REFUSALS)[];
  const refused = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${REFUSALS[status][0]}` },
  ]);
  const body = requestBody(endpoint);
  return {
    operationId,
    tags: [tag],
    summary,
    description: description ?? `${summary}.`,
    security: SECURITY[access],
    parameters: parameters(operationId, endpoint),
    requestBody: body,
    responses: {
      [endpoint.successStatus ?? 200]: success(endpoint),
      ...Object.fromEntries(refused),
      503: { $ref: "#/components/responses/Unavailable" },
    },
  };
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
  const { description } = definition(response).schema;
  const body = bodyContent(response);
  const other = alternative && bodyContent(alternative);
  const either = other && {
    schema: { oneOf: [body["schema"], other["schema"]] },
    examples: { [response]: exampleIn(body), [alternative]: exampleIn(other) },
  };
  return {
    description,
    headers: sharedHeaderReferences(),
    content: { [gives ?? "application/json"]: either ?? body },
  };
}

function exampleIn({ examples }: Json): unknown {
  return Object.values(examples as Json)[0];
}

function parameters(operationId: string, { parameters: inPath = {}, query }: AnyEndpoint): Json[] {
  const { properties = {}, required = [] } = query === undefined ? {} : definition(query).schema;
  const known = (name: string): Json | undefined => {
    const words = knownWords(operationId, name);
    return words && { enum: words };
  };
  return [
    ...Object.entries(inPath).map(([name, { description, examples, ...schema }]) => ({
      name,
      in: "path",
      required: true,
      description,
      schema: { ...schema, ...known(name) },
      example: examples[0],
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.includes(name),
      description:
        schema.description ?? definition((schema.$ref ?? "").replace(/.*\//, "")).schema.description,
      schema: { ...flattened(schema), ...known(name) },
      example: exampleOf(schema),
    })),
  ];
}
