import type { PlacedOperation } from "./document.ts";
import { onlyContent } from "./document.ts";

/** How a command goes on in the next line. */
export const NEXT_LINE = " \\\n  ";

/** What fills a request: where it goes and its values. */
export interface Filling {
  /** Scheme, host and port, as the reader's browser wrote them. */
  readonly origin: string;
  readonly token: string;
  readonly body: unknown;
  /** Which example of the operation it is: no two of them share an idempotency key. */
  readonly index: number;
  /** Values of the path's parameters. */
  readonly path: Readonly<Record<string, string>>;
}

/** A command that makes the request, ready for a POSIX shell. */
export function curlLine(operation: PlacedOperation, { origin, token, body, path, index }: Filling): string {
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const [mediaType] = onlyContent(operation.requestBody?.content) ?? [];
  const headers = [
    ...(operation.security?.length === 0 ? [] : [`authorization: Bearer ${token}`]),
    ...operation.parameters
      .filter((parameter) => parameter.in === "header")
      .map(({ name, example }) => `${name}: ${keyOf(String(example), index)}`),
    ...(mediaType === "application/json" ? ["content-type: application/json"] : []),
  ];
  return [
    `curl -i ${operation.method === "GET" ? "" : `-X ${operation.method} `}${quoted(origin + address + query(operation))}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...bodyArguments(mediaType, body),
  ].join(NEXT_LINE);
}

/** The key of one example: the documented one for the first, another UUID for each after it. */
function keyOf(example: string, index: number): string {
  return index === 0 ? example : example.slice(0, -1) + String(index);
}

/** The query parameters that leave the answer whole: how many, in which order. */
function query({ parameters }: PlacedOperation): string {
  const shown = parameters.filter(
    ({ in: place, name }) => place === "query" && (name === "limit" || name === "sort"),
  );
  return shown.length === 0
    ? ""
    : `?${shown.map(({ name, example }) => `${name}=${String(example)}`).join("&")}`;
}

function bodyArguments(mediaType: string | undefined, body: unknown): string[] {
  if (mediaType === undefined) return [];
  if (mediaType === "application/json") return [`-d ${quoted(JSON.stringify(body, null, 2))}`];
  return Object.entries(body as Readonly<Record<string, string>>).map(
    ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
  );
}

/** In single quotes, where a shell reads nothing but the text itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
