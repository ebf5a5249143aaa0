import { platformDocument } from "../../../src/simulator/api/openapi.ts";
import { type Operation, operations } from "../../../src/simulator/api/operations.ts";

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, Response | undefined>> }>>
    >
  >;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const document = platformDocument() as unknown as Document;

/** What a connection needs, and the media type, which `content` documents. */
const TRANSPORT_HEADERS = new Set([
  "connection",
  "content-length",
  "content-type",
  "keep-alive",
  "transfer-encoding",
]);

/** The operation that a request is for; undefined for one to another path. */
export function operationAt(method: string, path: string): Operation | undefined {
  const [pathname = ""] = path.replace(/^https?:\/\/[^/]+/, "").split("?");
  return Object.values(operations).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
  );
}

interface Answer {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
}

/** What an answer has that the document does not show for its operation. */
export function undocumentedIn(
  { method, path, operationId }: Operation,
  { status, headers }: Answer,
): string[] {
  const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const found = responses[status] ?? responses["default"];
  if (found === undefined) return [`${operationId} ${status}`];
  const response = document.components.responses[found.$ref?.split("/").at(-1) ?? ""] ?? found;
  return [...headers]
    .map(([name]) => name.toLowerCase())
    .filter((name) => !TRANSPORT_HEADERS.has(name) && !Object.hasOwn(response.headers ?? {}, name))
    .map((name) => `${operationId} ${status} ${name}`);
}
