import type { ErrorCode, ShapeName } from "../api/generated/shapes.ts";

/** A path parameter: its schema with a description. */
export interface PathParameter {
  readonly type: "string";
  readonly format?: string;
  readonly description: string;
  readonly examples: readonly [string];
}

/** Returns a path parameter with its example, and with a format if it does not take every text. */
export function pathParameter(description: string, example: string, format?: "uuid"): PathParameter {
  return { type: "string", ...(format !== undefined && { format }), description, examples: [example] };
}

/**
 * One operation of an HTTP API as data. Routes, checks, OpenAPI, clients and docs follow from it. The platform API and
 * the sandbox's own API add their own fields.
 */
export interface HttpOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with its parameters in braces. A `*` at the end of one takes slashes too: `{name*}`. */
  readonly path: string;
  readonly tag: string;
  /** The purpose of the operation, in a few words. */
  readonly summary: string;
  /** Further facts that a caller needs. */
  readonly description?: string;
  /** The allowed callers. */
  readonly access?: "anyone" | "company" | "world" | "admin";
  /** The parameters of its path; none by default. */
  readonly parameters?: { readonly [name: string]: PathParameter };
  readonly query?: ShapeName;
  readonly request?: ShapeName;
  readonly response: ShapeName;
  /** 200 by default. */
  readonly successStatus?: 200 | 201;
  /** The codes of its refusals. */
  readonly errors?: readonly string[];
}

/** One operation of the platform API as data. */
export interface OperationDescription extends HttpOperation {
  readonly description: string;
  /** By default a company with a bearer token. */
  readonly access?: "anyone";
  /** Whether it makes an object: a plan may come with it, and a repeat shows the object as it was made. */
  readonly creates?: true;
  /** Whether the platform API asks for the scope (Authentication, rule 1), or `auth.scope-elsewhere` decides. */
  readonly scoped?: true;
  /** The form of the idempotency key, if the operation requires a key: a UUID, or any 1 to 64 characters. */
  readonly idempotencyKey?: "uuid" | "text";
  /** True if its body is a form. Default: JSON. */
  readonly isForm?: true;
  readonly errors: readonly ErrorCode[];
  /**
   * The codes of `errors` that the platform API does not name for this endpoint. Default: all, if it has an assumption.
   */
  readonly assumedErrors?: readonly ErrorCode[];
  /** Sentences: an array of strings. OAuth: the OAuthErrorBody. Default: the ErrorBody. */
  readonly errorForm?: "sentences" | "oauth";
  /** The assumption that the path or its shapes rest on, if the platform API shows none. */
  readonly assumption?: string;
}

/** A webhook event as data: its report and the possible shapes of its body. */
export interface EventDescription {
  readonly summary: string;
  readonly tag: string;
  /** The shape of its body, or two that `type` distinguishes, with how its example differs from the shape's. */
  readonly shapes: { readonly [Shape in ShapeName]?: object };
  /** The provider state of contracts that leads to it. If two bodies have its name, each `type` has its own state. */
  readonly state: string | Readonly<Record<string, { readonly state: string; readonly summary: string }>>;
  /** The assumption that its name or its body rests on, if the platform API shows none. */
  readonly assumption?: string;
}

/** A place in a body that shows the status of an object, in paths such as `data.status`. */
export interface StatusPlace {
  /** The resource, by the name that its lifecycle has. */
  readonly of: string;
  /** The list that the object is in; default: the body is the object. */
  readonly in?: string;
  readonly id: string;
  /** The status, or a list of statuses with the times of the changes. */
  readonly status: string | { readonly history: string };
}

/** The facts that the platform API states about one resource. */
export interface ResourceApi {
  /** The sections of the OpenAPI document that its operations and events bring along, by tag. */
  readonly tags?: Readonly<Record<string, string>>;
  /** By operationId. */
  readonly operations?: Readonly<Record<string, OperationDescription>>;
  /** The descriptions of the events, by name. */
  readonly events?: Readonly<Record<string, EventDescription>>;
  /** The places of statuses in answers and events, by the name of their shape. */
  readonly statuses?: { readonly [Shape in ShapeName]?: readonly StatusPlace[] };
}

/** Describes the events of one shape. */
export const described =
  <Shape extends ShapeName>(tag: string, shape: Shape, assumption?: string) =>
  (summary: string, state: string, example: object) => ({
    summary,
    tag,
    shapes: { [shape]: example } as { readonly [Name in Shape]: object },
    state,
    ...(assumption !== undefined && { assumption }),
  });

export const accountId = pathParameter(
  "An account of the authenticated company.",
  "11111111-1111-4111-8111-111111111111",
  "uuid",
);

/** The path parameter of an operation of one subscription. */
export const subscriptionId = pathParameter(
  "The subscription.",
  "3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01",
  "uuid",
);

/** The errors that the platform API names for most endpoints. */
export const everyError = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN_ERROR",
  "NOT_FOUND",
  "INTERNAL_ERROR",
] as const;
export const withoutNotFound = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN_ERROR",
  "INTERNAL_ERROR",
] as const;
