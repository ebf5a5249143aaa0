import type { OperationId } from "../simulator/api/vocabulary.ts";
import type { NoteMistake, ScenarioContext } from "./context.ts";
import { eventNames, operationIds, operations } from "./vocabulary.ts";
import { hasExpression } from "./expression.ts";
import { type Path, hint } from "./source.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import { parseAddress } from "./check-step.ts";
import { type Route, routeAdvice, routesAt } from "../simulator/api/routes.ts";
import { knownParameters, unknownFieldsExpected, unknownFieldsOf } from "../simulator/api/validation.ts";

/**
 * Reports names in a step that the platform API does not have: paths, methods, fields of a body, query parameters, events.
 * The platform ignores most of them, so a misspelt word would test something different. A step with `allowUnknown` is
 * not checked.
 */
export function checkUnknownWords(
  step: JsonObject,
  routes: ScenarioContext["routes"],
  report: NoteMistake,
): void {
  if (step["allowUnknown"] === true) return;
  if (typeof step["call"] === "string") checkCalled(step["call"], step, { routes, report });
  const { expect } = step;
  if (!isRecord(expect)) return;
  for (const key of ["webhooks", "deliveries", "happened"]) checkEvents(expect[key], ["expect", key], report);
}

function checkCalled(
  call: string,
  step: JsonObject,
  { routes, report }: { readonly routes: ScenarioContext["routes"]; readonly report: NoteMistake },
): void {
  const address = parseAddress(call);
  const problem = address && routes && routeProblem(routes, address);
  if (problem !== undefined) return report(["call"], `${problem} ${ALLOWED}`);
  const id = operationOf(call);
  if (id === undefined) return;
  const operation = operations[id];
  const body = "request" in operation ? unknownFieldsOf(operation.request, step["body"]) : [];
  for (const { path, known } of body) {
    const name = String(path.at(-1));
    // A name that begins with a dollar is a word of the language, which has a separate check.
    if (name.startsWith("$")) continue;
    const message = `\`${name}\` is not a field of \`${id}\`. ${hint(name, known, "/docs")} ${ALLOWED}`;
    report(["body", ...path], message, true);
  }
  checkExpectedBody(id, step["expect"], report);
  const query = isRecord(step["query"]) ? Object.keys(step["query"]) : [];
  const known = knownParameters(id);
  for (const name of query.filter((one) => !known.includes(one) && one !== "$use")) {
    const meant = known.length === 0 ? "It has none." : hint(name, known);
    report(["query", name], `\`${name}\` is not a query parameter of \`${id}\`. ${meant} ${ALLOWED}`, true);
  }
}

/** Checks the names of fields in the expected answer of an operation, a success or an error. */
function checkExpectedBody(id: OperationId, expect: unknown, report: NoteMistake): void {
  const expected = isRecord(expect) ? expect["body"] : undefined;
  const shapes = [operations[id].response, "ErrorBody", "OAuthErrorBody"];
  for (const { path, known } of unknownFieldsExpected(shapes, expected)) {
    const name = String(path.at(-1));
    const message = `\`${name}\` is not a field of the answer of \`${id}\`. ${hint(name, known, "/docs")} ${ALLOWED}`;
    report(["expect", "body", ...path], message, true);
  }
}

/** Says why a method and path is unknown to the server. */
function routeProblem(routes: readonly Route[], { method, path: written }: Route): string | undefined {
  const path = written.replace(/[?#].*$/s, "");
  const isThere = routesAt(routes, path, isOpenOrSame).some(
    (route) => route.method === (method === "HEAD" ? "GET" : method),
  );
  if (isThere) return undefined;
  return `There is nothing at \`${method} ${path}\`. ${routeAdvice(routes, { method, path }, isOpenOrSame)}`;
}

/** Returns true if two words are the same, or if the written word has an expression, which may be any word. */
function isOpenOrSame(written: string, word: string): boolean {
  return written === word || hasExpression(written);
}

/** Returns the operation of the platform API that a step calls, by its name or by its method and path. */
function operationOf(call: string): OperationId | undefined {
  const address = parseAddress(call);
  return operationIds.find((one) => {
    if (address === undefined) return one === call;
    const { method, path } = operations[one];
    const isAt = routesAt([{ method, path }], address.path.replace(/[?#].*$/s, ""), isOpenOrSame).length > 0;
    return address.method === method && isAt;
  });
}

/** Checks the events that a list of webhooks, deliveries or timeline entries is compared with. */
function checkEvents(value: unknown, path: Path, report: NoteMistake): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkEvents(item, [...path, index], report);
  } else if (isRecord(value)) {
    checkEventName(value["event"], [...path, "event"], report);
    for (const [key, inner] of Object.entries(value)) {
      if (key.startsWith("$")) checkEvents(inner, [...path, key], report);
    }
  }
}

/** Checks the name of an event, which may be inside `$not` and `$oneOf`. */
function checkEventName(value: unknown, path: Path, report: NoteMistake): void {
  if (typeof value === "string" && !hasExpression(value) && !eventNames.includes(value)) {
    report(path, `There is no event \`${value}\`. ${hint(value, eventNames, "docs/webhooks.md")} ${ALLOWED}`);
  } else if (isRecord(value)) {
    for (const key of ["$not", "$oneOf"]) {
      for (const [index, one] of [value[key]].flat().entries()) {
        const below = Array.isArray(value[key]) ? [...path, key, index] : [...path, key];
        checkEventName(one, below, report);
      }
    }
  }
}

const ALLOWED = "If this is intended, set `allowUnknown: true` at the step.";
