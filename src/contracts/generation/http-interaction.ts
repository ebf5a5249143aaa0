import type { Operation } from "../../simulator/api/operations.ts";
import { type Schema, definition } from "../../simulator/api/schemas.ts";
import { expectedBy } from "./matching-rules.ts";
import {
  type Generator,
  type HttpInteraction,
  type PactBody,
  type MatchingRules,
  references,
  rule,
} from "./pact-json.ts";
import { returnedName } from "../states/state-scenario.ts";
import { type RecordedCall, stateBefore } from "./recording.ts";

const JSON_TYPE = "application/json";

/** Returns the interaction of a pact for a call of a scenario. */
export function httpInteraction(call: RecordedCall, description: string): HttpInteraction {
  const { scenario, step, operation, response } = call;
  const { content, rules } = expectedBy(responseSchema(operation, response.status), response.body);
  return {
    type: "Synchronous/HTTP",
    description,
    providerStates: [stateBefore(scenario, step.number)],
    comments: references(scenario, step.number),
    request: requestOf(call),
    response: {
      status: response.status,
      headers: { "Content-Type": [JSON_TYPE] },
      body: { content, contentType: JSON_TYPE, encoded: false },
      matchingRules: {
        header: { "Content-Type": rule({ match: "regex", regex: `^${JSON_TYPE}(;.*)?$` }) },
        // A consumer decides by the code of a refusal, so no other code may replace it.
        body: { ...rules, ...(rules["$.error"] && { "$.error": rule({ match: "equality" }) }) },
      },
    },
  };
}

/** Returns the schema of answers with a status: the success shape, or the operation's form of errors. */
function responseSchema(operation: Operation, status: number): Schema {
  if (status === operation.successStatus) return definition(operation.response).schema;
  if (operation.errorForm === "sentences") return { type: "array", items: { type: "string" } };
  return definition(operation.errorForm === "oauth" ? "OAuthErrorBody" : "ErrorBody").schema;
}

function requestOf(call: RecordedCall): HttpInteraction["request"] {
  const { request, step, operation } = call;
  const [path = "", queryText = ""] = request.url.split("?");
  const query = Map.groupBy(new URLSearchParams(queryText), ([name]) => name);
  const { "user-agent": _agent, ...headers } = request.headers;
  const body = bodyOf(request.body, headers["content-type"] ?? JSON_TYPE);
  const generators = {
    ...pathGenerator(path, step.path, operation),
    ...grouped(
      "query",
      generatorsIn(step.query ?? {}, (name) => name),
    ),
    ...grouped("header", {
      ...generatorsIn(step.headers ?? {}, (name) => name),
      ...(step.as?.includes("${") && { authorization: generated(`Bearer ${step.as}`)! }),
    }),
    ...(body?.contentType === JSON_TYPE && grouped("body", generatorsIn(step.body, bodyPlace))),
  };
  return {
    method: request.method,
    path,
    ...(query.size > 0 && {
      query: Object.fromEntries(Array.from(query, ([name, all]) => [name, all.map(([, value]) => value)])),
    }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ...(body !== undefined && { body }),
    matchingRules: requestRules(call, headers),
    ...(Object.keys(generators).length > 0 && { generators }),
  };
}

function bodyOf(text: string | undefined, contentType: string): PactBody | undefined {
  if (text === undefined) return undefined;
  const content: unknown = contentType.startsWith(JSON_TYPE) ? JSON.parse(text) : text;
  return { content, contentType, encoded: false };
}

/** Returns the rules for values that a consumer may replace in the example: token and keys. */
function requestRules(
  { operation, request }: RecordedCall,
  headers: Readonly<Record<string, string>>,
): NonNullable<HttpInteraction["request"]["matchingRules"]> {
  const header: Record<string, MatchingRules> = {};
  if (headers["authorization"] !== undefined)
    header["authorization"] = rule({ match: "regex", regex: "^(Bearer|Basic) \\S+$" });
  if (headers["idempotency-key"] !== undefined) header["idempotency-key"] = rule({ match: "type" });
  const hasParameters = Object.keys(operation.parameters).length > 0;
  const pattern = operation.path.replaceAll(/\{[^}]+\}/g, "[^/]+").replaceAll(".", "\\.");
  return {
    ...(hasParameters && { path: rule({ match: "regex", regex: `^${pattern}$` }) }),
    header,
    ...(request.body !== undefined &&
      headers["content-type"] === JSON_TYPE && { body: { $: rule({ match: "type" }) } }),
  };
}

/** Returns a generator for the path if the scenario builds it from saved values. */
function pathGenerator(
  path: string,
  values: Readonly<Record<string, unknown>> = {},
  operation: Operation,
): { readonly path?: Generator } {
  if (!JSON.stringify(values).includes("${")) return {};
  const expression = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === "string" ? (generated(value)?.expression ?? value) : String(value);
  });
  return expression === path ? {} : { path: { type: "ProviderState", expression, dataType: "STRING" } };
}

function grouped(part: string, generators: Readonly<Record<string, Generator>>) {
  return Object.keys(generators).length === 0 ? {} : { [part]: generators };
}

/** Returns a generator for each value that the scenario builds from saved values. */
function generatorsIn(
  value: unknown,
  placeOf: (key: string, below: string) => string,
  at = "",
): Record<string, Generator> {
  if (typeof value === "string") {
    const generator = generated(value);
    return generator === undefined ? {} : { [at]: generator };
  }
  if (typeof value !== "object" || value === null) return {};
  const inner = Object.entries(value).map(([key, one]) =>
    generatorsIn(one, placeOf, placeOf(Array.isArray(value) ? `[${key}]` : key, at === "" ? "$" : at)),
  );
  return Object.assign({}, ...inner) as Record<string, Generator>;
}

function bodyPlace(key: string, below: string): string {
  return key.startsWith("[") ? below + key : `${below}.${key}`;
}

/** `${sub.id}` of the scenario is `${sub_id}` of the state. */
function generated(text: string): Generator | undefined {
  if (!text.includes("${")) return undefined;
  const expression = text.replaceAll(
    /\$\{([^}]+)\}/g,
    (_, inner: string) => `\${${returnedName(inner.trim())}}`,
  );
  return { type: "ProviderState", expression, dataType: "STRING" };
}
