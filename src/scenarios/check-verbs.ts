import type { Report } from "./context.ts";
import { hasExpression } from "./expression.ts";
import { isRecord } from "./fixture.ts";
import { list, suggestion } from "./mistake.ts";
import type { Path } from "./scenario.ts";
import { readScenarioSchema } from "./schema.ts";
import type { ScenarioOperations } from "./world.ts";

type Fields = { readonly [key: string]: unknown };

const address = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/\S*)$/;

/** A method and a path written out, or undefined for an operationId. */
export function parseAddress(call: string): { method: string; path: string } | undefined {
  const [, method, path] = address.exec(call) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/** The names in braces of a path; an expression `${…}` is none. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/(?<!\$)\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The operation has to exist, its path be filled in exactly, and a GET carries no body. */
export function checkCall(step: Fields, operations: ScenarioOperations, report: Report): void {
  const call = step["call"];
  if (typeof call !== "string") return;
  const target = parseAddress(call) ?? (Object.hasOwn(operations, call) ? operations[call] : undefined);
  if (target === undefined) {
    if (/^\w+ /.test(call) || call.startsWith("/")) {
      report(
        ["call"],
        `\`${call}\` cannot be called. Write a method and a path, such as \`GET /sandbox/inbox\`.`,
      );
    } else if (!hasExpression(call)) {
      report(["call"], `There is no operation \`${call}\`. ${suggestion(call, Object.keys(operations))}`);
    }
    return;
  }
  const wanted = pathParameters(target.path);
  const given = isRecord(step["path"]) ? Object.keys(step["path"]) : [];
  for (const name of wanted.filter((name) => !given.includes(name))) {
    const where = "path" in step ? ["path"] : ["call"];
    report(
      where,
      `The path parameter \`${name}\` is missing: the path is \`${target.path}\`. Write \`path: { ${name}: … }\`.`,
    );
  }
  for (const name of given.filter((name) => !wanted.includes(name))) {
    const right = wanted.length === 0 ? `\`${target.path}\` takes none.` : suggestion(name, wanted);
    report(["path", name], `\`${name}\` is no path parameter of \`${call}\`. ${right}`, true);
  }
  for (const part of ["path", "query", "body"]) checkOwnWords(step[part], [part], report);
  if (step["body"] !== undefined && (target.method === "GET" || target.method === "HEAD")) {
    report(
      ["body"],
      `\`${call}\` is a ${target.method}, which carries no body. Did you mean \`query\`?`,
      true,
    );
  }
}

/** Fixtures are put in by now: a `$` word that is left is one that nobody knows, or not where it means something. */
function checkOwnWords(value: unknown, path: Path, report: Report): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const below = [...path, Array.isArray(value) ? Number(key) : key];
    if (!key.startsWith("$") || Array.isArray(value)) checkOwnWords(item, below, report);
    else if (key === "$absent")
      report(below, "`$absent` leaves out a field of a fixture; it has to stand beside `$use`.", true);
    else {
      const right = suggestion(key, ["$use", "$absent"]);
      report(
        below,
        `\`${key}\` is not known here. ${right} Write the body as a text to send such a key.`,
        true,
      );
    }
  }
}

/** Every act is about an object, but for the one about the company itself. */
export function checkAct(step: Fields, report: Report): void {
  const others = step["with"];
  const hasId = "on" in step || (isRecord(others) && "id" in others);
  if (hasId || step["act"] === "webhook.set-url" || typeof step["act"] !== "string") return;
  report(["act"], `\`${step["act"]}\` does not say whom it is about. Write \`on: \${name.id}\`.`);
}

/** A field of one effect means nothing beside another one. */
export function checkFault(fault: unknown, operations: ScenarioOperations, report: Report): void {
  if (!isRecord(fault)) return;
  const schema = readScenarioSchema().$defs["fault"];
  const fields = (schema?.["x-fields-of-effects"] ?? {}) as { readonly [effect: string]: readonly string[] };
  const effect = String(fault["effect"]);
  const own = fields[effect] ?? [];
  const ofEffects = new Set(Object.values(fields).flat());
  for (const field of Object.keys(fault).filter((name) => ofEffects.has(name) && !own.includes(name))) {
    if (hasExpression(effect) || fault["effect"] === undefined) continue;
    const takes =
      own.length === 0 ? "takes no field of its own" : `takes ${list(own).replace(" or ", " and ")}`;
    report(["fault", field], `\`${field}\` does not go with the effect \`${effect}\`, which ${takes}.`, true);
  }
  const operation = fault["operation"];
  if (typeof operation === "string" && !hasExpression(operation) && !Object.hasOwn(operations, operation)) {
    report(
      ["fault", "operation"],
      `There is no operation \`${operation}\`. ${suggestion(operation, Object.keys(operations))}`,
    );
  }
}
