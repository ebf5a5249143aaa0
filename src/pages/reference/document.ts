import type { Schema } from "../../simulator/api/schemas.ts";
import type { Endpoints } from "../../server/control/endpoint.ts";
import { controlDocument } from "../../server/control/openapi.ts";
import { platformDocument } from "../../simulator/api/openapi.ts";

/** A body: its schema and its examples by name. */
export interface BodyContent {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ParameterObject {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
  readonly "x-assumption"?: string;
}

/** A header with its name. */
export type NamedHeader = Omit<ParameterObject, "in">;

export type HeaderObject = Omit<NamedHeader, "name">;

export interface ResponseObject {
  readonly description: string;
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, BodyContent>>;
  readonly "x-assumption"?: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** Without one the bearer token of a company is required. */
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, BodyContent>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly "x-assumption"?: string;
}

/** The OpenAPI document of the platform API, as far as the page reads it. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly summary: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

let document: OpenApi | undefined;

/**
 * Returns the documents that `/openapi.json` and `/sandbox/openapi.json` serve, as one document. The first call makes
 * it.
 */
export function openApi(endpoints: Endpoints = {}): OpenApi {
  document ??= together(
    platformDocument() as unknown as OpenApi,
    controlDocument(endpoints) as unknown as OpenApi,
  );
  return document;
}

/**
 * Joins two documents, the platform API first, then the sandbox's own API. Their operations and chapters have different
 * names.
 */
function together(one: OpenApi, other: OpenApi): OpenApi {
  const kinds = ["schemas", "parameters", "headers", "responses"] as const;
  const components = kinds.map((kind) => [kind, { ...other.components[kind], ...one.components[kind] }]);
  const paths = mapValues(other.paths, (item) =>
    mapValues(item, (operation) => ({ ...operation, tags: operation.tags.map(ownChapter) })),
  );
  return {
    ...one,
    tags: [...one.tags, ...other.tags.map(({ name, ...tag }) => ({ ...tag, name: ownChapter(name) }))],
    paths: { ...one.paths, ...paths },
    components: Object.fromEntries(components) as OpenApi["components"],
  };
}

function ownChapter(name: string): string {
  return `Sandbox: ${name}`;
}

/** An operation with its method and its path. */
export interface PlacedOperation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

/** Returns every operation of the document. Operations of one path stay together. */
export function placedOperations(): PlacedOperation[] {
  return Object.entries(openApi().paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters.map((parameter) => resolved("parameters", parameter)),
      responses: mapValues(operation.responses, resolvedResponse),
    })),
  );
}

function resolvedResponse(response: ResponseObject): ResponseObject {
  const { headers = {}, ...whole } = resolved("responses", response);
  return { ...whole, headers: mapValues(headers, (header) => resolved("headers", header)) };
}

/** Returns a part of the document, or the component that it refers to. */
function resolved<Part extends { readonly $ref?: string }>(
  kind: "parameters" | "headers" | "responses",
  part: Part,
): Part {
  if (part.$ref === undefined) return part;
  return (openApi().components[kind][nameIn(part.$ref)] as Part | undefined) ?? part;
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Returns the one content of a body, with its media type. */
export function onlyContent(
  content: Readonly<Record<string, BodyContent>> = {},
): readonly [mediaType: string, body: BodyContent] | undefined {
  return Object.entries(content)[0];
}

/** Returns the shape that a reference names; `#/components/schemas/Amount` names `Amount`. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
