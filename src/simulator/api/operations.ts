import type { ErrorCode, ShapeName } from "./generated/shapes.ts";
import type { OperationDescription, StatusPlace } from "../platform/operations.ts";
import type { OperationId } from "./vocabulary.ts";
import { catalog } from "../platform/catalog.ts";

/** One endpoint of the platform API, as data for routes, contracts, OpenAPI and scenarios. */
export interface Operation extends Omit<OperationDescription, keyof Defaults>, Defaults {
  readonly operationId: OperationId;
}

/** The values that most operations share and leave out. */
interface Defaults {
  readonly access: "company" | "anyone";
  readonly parameters: NonNullable<OperationDescription["parameters"]>;
  readonly successStatus: 200 | 201;
  readonly isForm: boolean;
  readonly assumedErrors: readonly ErrorCode[];
  readonly errorForm: "common" | NonNullable<OperationDescription["errorForm"]>;
}

const issueToken: OperationDescription = {
  method: "POST",
  path: "/oauth2/v2.0/token",
  tag: "Authentication",
  summary: "Issue an access token",
  description:
    "OAuth 2.0 client credentials: the form-encoded client id and secret, in the body or as HTTP Basic, give a bearer token for the scope api://app-order-prd.",
  access: "anyone",
  isForm: true,
  request: "TokenRequest",
  response: "TokenResponse",
  errors: ["INVALID_REQUEST", "UNAUTHORIZED", "INTERNAL_ERROR"],
  errorForm: "oauth",
  assumption: "auth.token-endpoint",
};

/** Every operation of the API by its id: the token endpoint, and the operations of the catalog's resources. */
export const operations = Object.fromEntries(
  Object.entries<OperationDescription>(
    Object.assign({ issueToken }, ...catalog.map((resource) => resource.api.operations)),
  ).map(([operationId, description]) => [
    operationId,
    { operationId, ...defaultsOf(description), ...description },
  ]),
) as unknown as Readonly<Record<OperationId, Operation>>;

function defaultsOf({ errors, assumption }: OperationDescription): Defaults {
  const assumedErrors = assumption === undefined ? [] : errors;
  return {
    access: "company",
    parameters: {},
    successStatus: 200,
    isForm: false,
    assumedErrors,
    errorForm: "common",
  };
}

/** The paths that the operations answer at, with any values of their parameters. */
const patterns = Object.values(operations).map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
}));

/** Returns the operation at a method and path. Undefined if there is none. */
export function operationAt({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): Operation | undefined {
  const bare = path.split("?")[0] ?? "";
  return patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(bare))
    ?.operation;
}

/** Returns the places of statuses in answers and events, by the shape of their body. */
export function statusPlaces(shape: ShapeName): readonly StatusPlace[] {
  return catalog.flatMap(({ api }) => api.statuses?.[shape] ?? []);
}

/** The status of every error (assumption: http.statuses). */
export const errorStatuses = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN_ERROR: 403,
  NOT_FOUND: 404,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>;
