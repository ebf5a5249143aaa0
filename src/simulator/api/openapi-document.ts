import { Temporal } from "temporal-polyfill";
import { isRecord } from "../engine/json.ts";
import type { Json } from "./openapi-schemas.ts";
import type { Route } from "./routes.ts";

/** The server that a document describes: its address, a token that works at once, and its date. */
export interface DescribedServer {
  readonly url: string;
  readonly token: string;
  /** The date in the time zone of the platform. The examples are of this day. */
  readonly today: string;
}

/** The day of the examples as the schemas have them. */
const EXAMPLE_DAY = "2026-11-20";

/** A server with the defaults, on the day of the examples. */
export const DEFAULT_SERVER: DescribedServer = {
  url: "http://127.0.0.1:4010",
  token: "acme-token",
  today: EXAMPLE_DAY,
};

/** Returns the security scheme of a company's token. */
export function bearerScheme({ token }: DescribedServer, description: string): Json {
  return {
    type: "http",
    scheme: "bearer",
    description: `${description} The token \`${token}\` works at once.`,
    // Scalar fills its form with this token.
    "x-scalar-secret-token": token,
  };
}

const EXAMPLE_KEYS = new Set(["example", "examples"]);

/** Returns the OpenAPI 3.1 document with these parts. Its examples are of the day of the server. */
export function apiDocument(
  { title, ...about }: Readonly<Record<"title" | "summary" | "description", string>>,
  server: DescribedServer,
  parts: Json,
): Json {
  const contact = { name: "The maintainers of sandbank" };
  const license = { name: "MIT", identifier: "MIT" };
  const info = { title, version: "1.0.0", ...about, contact, license };
  const servers = [{ url: server.url, description: "The sandbox." }];
  return withCurrentDates({ openapi: "3.1.0", info, servers, ...parts }, server);
}

/** Returns the described operations by path and method. */
export function pathsOf(operations: Iterable<readonly [route: Route, description: Json]>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [{ path, method }, description] of operations)
    (paths[path.replaceAll("*}", "}")] ??= {})[method.toLowerCase()] = description;
  return paths;
}

/** Returns the document with the examples of that day. */
function withCurrentDates(document: Json, { today }: Pick<DescribedServer, "today">): Json {
  const entries = Object.entries(document).map(([key, value]) => {
    if (EXAMPLE_KEYS.has(key)) return [key, datedFrom(value, today)];
    return [key, partWithDates(value, today)];
  });
  return Object.fromEntries(entries) as Json;
}

function partWithDates(part: unknown, today: string): unknown {
  if (Array.isArray(part)) return part.map((item) => partWithDates(item, today));
  return isRecord(part) ? withCurrentDates(part, { today }) : part;
}

/**
 * Returns an example with the dates of that day. Its dates keep their distance from the day of the examples: a charge
 * that is due in five days stays due in five days. Dates before that day, such as a birth, stay.
 */
export function datedFrom(example: unknown, today: string): unknown {
  const { days } = Temporal.PlainDate.from(EXAMPLE_DAY).until(today);
  return JSON.parse(JSON.stringify(example), (_, value: unknown) =>
    typeof value === "string" ? movedDate(value, days) : value,
  ) as unknown;
}

function movedDate(text: string, days: number): string {
  const [, date, time = ""] = /^(\d{4}-\d\d-\d\d)(T\d.*)?$/.exec(text) ?? [];
  return date === undefined || date < EXAMPLE_DAY
    ? text
    : `${Temporal.PlainDate.from(date).add({ days }).toString()}${time}`;
}
