import { definition, exampleOf } from "../api/schemas.ts";
import { bodyContent, refusalContent } from "../api/openapi-responses.ts";
import { componentSchemas, flattened, type Json } from "../api/openapi-schemas.ts";
import { TAGS, type AnyEndpoint, type Endpoints } from "./endpoint.ts";

/** The refusals of the API by their statuses, each with an example. */
const REFUSALS = {
  400: [
    "InvalidRequest",
    "INVALID_REQUEST",
    "The request is not valid: see seed.",
    "A field or the body is wrong; every wrong field is named.",
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
    "Failed to take account.close: the account is CLOSED.",
    "The act is not possible from the state of the object.",
  ],
  500: [
    "InternalError",
    "INTERNAL_ERROR",
    "The sandbox failed: this is a bug in sandbank.",
    "A bug of the sandbox.",
  ],
} as const;

const ADMIN = { adminToken: [] };
const WORLD = { world: [] };

/** The OpenAPI 3.1 description of the sandbox's own API. */
export function controlDocument(endpoints: Endpoints): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const item = (paths[endpoint.path.replaceAll("*}", "}")] ??= {});
    item[endpoint.method.toLowerCase()] = operationObject(operationId, endpoint);
  }
  const responses = Object.fromEntries(
    Object.values(REFUSALS).map(([name, error, message, description]) => {
      const details =
        name === "InvalidRequest"
          ? [{ field: "seed", issue: "INVALID", description: "seed must be a whole number; found true." }]
          : [];
      return [name, { description, content: refusalContent(["ControlError", { error, message, details }]) }];
    }),
  );
  const unavailable = {
    description: "There is no room for the request at present, or no database.",
    content: { "application/json": bodyContent("Unavailable") },
  };
  return {
    openapi: "3.1.1",
    info: {
      title: "The sandbox's own API",
      version: "1.0.0",
      summary: "Worlds, time, acts, plans, faults, and what happened.",
      description:
        "Everything under `/sandbox`. A request acts on the world of its Bearer token, or on `default` without one. Errors have the common error body, with every wrong field in one answer.",
      contact: { name: "The maintainers of sandbank" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server that this description was read from." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentSchemas([paths, responses, unavailable], {}),
      responses: { ...responses, Unavailable: unavailable },
      securitySchemes: {
        adminToken: {
          type: "apiKey",
          in: "header",
          name: "x-admin-token",
          description: "Required if the server was started with --admin-token.",
        },
        world: {
          type: "http",
          scheme: "bearer",
          description: "A token of a company: the request acts on its world, otherwise on the default one.",
        },
      },
    },
  };
}

function operationObject(operationId: string, endpoint: AnyEndpoint): Json {
  const { tag, summary, description, access = "world", method, request, takes, errors = [] } = endpoint;
  const statuses = [
    400,
    401,
    ...(method === "GET" ? [] : [403]),
    ...(errors.includes("NOT_FOUND") ? [404] : []),
    ...(errors.includes("ILLEGAL_ACT") ? [409] : []),
    500,
  ] as (keyof typeof REFUSALS)[];
  const refused = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${REFUSALS[status][0]}` },
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    description: description ?? `${summary}.`,
    security: { anyone: [{}], admin: [{}, ADMIN], world: [{}, WORLD, ADMIN, { ...ADMIN, ...WORLD }] }[access],
    parameters: parameters(endpoint),
    ...(request !== undefined && { requestBody: { content: { "application/json": bodyContent(request) } } }),
    ...(takes !== undefined && {
      requestBody: { content: { [takes.type]: { schema: { type: "string" }, example: takes.example } } },
    }),
    responses: {
      [endpoint.successStatus ?? 200]: {
        description: definition(endpoint.response).schema.description,
        content: { [endpoint.gives ?? "application/json"]: bodyContent(endpoint.response) },
      },
      ...Object.fromEntries(refused),
      503: { $ref: "#/components/responses/Unavailable" },
    },
  };
}

function parameters({ parameters: inPath = {}, query }: AnyEndpoint): Json[] {
  const { properties = {}, required = [] } = query === undefined ? {} : definition(query).schema;
  return [
    ...Object.entries(inPath).map(([name, [description, example]]) => ({
      name,
      in: "path",
      required: true,
      description,
      schema: { type: "string" },
      example,
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.includes(name),
      description:
        schema.description ?? definition((schema.$ref ?? "").replace(/.*\//, "")).schema.description,
      schema: flattened(schema),
      example: exampleOf(schema),
    })),
  ];
}
