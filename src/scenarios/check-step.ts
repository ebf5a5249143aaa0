import type { NoteMistake } from "./context.ts";
import { acts, eventNames, operationIds, operationNamed, statuses } from "./vocabulary.ts";
import { hasExpression } from "./expression.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import { type Path, hint, quoted, shown } from "./source.ts";
import { measure } from "./expectation.ts";
import { postedPatternProblem } from "./pattern.ts";
import { isDuration, durationMs } from "../simulator/engine/instant.ts";
import { readIgnoredPath } from "../partner/states/ignored-paths.ts";
import { readFault } from "../simulator/platform/faults/reading.ts";
import { type Problem, Refusal } from "../simulator/engine/refusal.ts";
import { shapeProblems } from "../simulator/api/validation.ts";

const ADDRESS = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/\S*)$/;

/** Returns the method and the path of a call that names no operation. Undefined for an operationId. */
export function parseAddress(call: string): { method: string; path: string } | undefined {
  const [, method, path] = ADDRESS.exec(call) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/** Returns the names in braces of a path, without expressions `${…}`. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/(?<!\$)\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Checks a call: the operation has to exist, its path has exactly its parameters, and a GET has no body. */
export function checkCall(step: JsonObject, report: NoteMistake): void {
  const call = step["call"];
  if (typeof call !== "string") return;
  const target = parseAddress(call) ?? operationNamed(call);
  if (target === undefined) {
    if (/^\w+ /.test(call) || call.startsWith("/")) {
      report(
        ["call"],
        `\`${call}\` cannot be called. Write a method and a path, such as \`GET /sandbox/inbox\`.`,
      );
    } else if (!hasExpression(call)) {
      report(["call"], `There is no operation \`${call}\`. ${hint(call, operationIds, "/openapi.json")}`);
    }
    return;
  }
  const required = pathParameters(target.path);
  const given = isRecord(step["path"]) ? Object.keys(step["path"]) : [];
  for (const name of required.filter((name) => !given.includes(name))) {
    const where = "path" in step ? ["path"] : ["call"];
    report(
      where,
      `The path parameter \`${name}\` is missing: the path is \`${target.path}\`. Write \`path: { ${name}: … }\`.`,
    );
  }
  for (const name of given.filter((name) => !required.includes(name))) {
    const known = required.length === 0 ? `\`${target.path}\` has none.` : hint(name, required);
    report(["path", name], `\`${name}\` is not a path parameter of \`${call}\`. ${known}`, true);
  }
  for (const part of ["path", "query", "body"]) checkFixtureKeys(step[part], [part], report);
  if (step["body"] !== undefined && (target.method === "GET" || target.method === "HEAD")) {
    report(["body"], `\`${call}\` is a ${target.method}, which has no body. Did you mean \`query\`?`, true);
  }
}

/** Returns the method and the URL of a request to the partner's own system. */
export function parseRequest(request: string): { method: string; url: string } | undefined {
  const [, method, url] = /^([A-Z]+) (\S+)$/.exec(request) ?? [];
  if (method === undefined || url === undefined) return undefined;
  return isHttpUrl(url) || url.startsWith(PARTNER_URL) ? { method, url } : undefined;
}

/** The beginning of the URLs that a client in this process answers. */
export const PARTNER_URL = "partner:";

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** A request goes anywhere, so a server does not make it for any caller that posts a scenario. */
const NOT_POSTED = "A posted scenario cannot send requests elsewhere. Run the file with `sandbank run`.";

/** Checks the request of a step: its URL if that is known already, and that a GET has no body. */
export function checkRequest(step: JsonObject, isPosted: boolean, report: NoteMistake): void {
  if (isPosted) report(["request"], NOT_POSTED, true);
  const { request, timeout, body } = step;
  if (typeof request !== "string") return;
  if (isWritten(request) && parseRequest(request) === undefined) {
    const wanted = "Write a method and a URL, such as `POST http://127.0.0.1:3000/members`";
    report(["request"], `\`${request}\` cannot be requested. ${wanted}.`);
  }
  if (body !== undefined && /^(?:GET|HEAD) /.test(request))
    report(
      ["body"],
      `\`${request}\` is a ${request.replace(/ .*/s, "")}, which has no body. Leave the body out.`,
      true,
    );
  checkWallDuration(timeout, ["timeout"], report);
}

function checkWallDuration(value: unknown, path: Path, report: NoteMistake): void {
  if (isWritten(value) && isDuration(value) && durationMs(value) > WALL_MAX_MS)
    report(path, `\`${String(path.at(-1))}\` must be ten minutes at most; found ${value}.`);
}

/** The longest time that a step may wait for another program. */
const WALL_MAX_MS = 600_000;

/** Checks the `waitFor` of a step: its JSONPath, and that there is a probe to read. */
export function checkAwaited(
  step: JsonObject,
  { isPosted, isProbed }: { readonly isPosted: boolean; readonly isProbed: boolean },
  report: NoteMistake,
): void {
  const { waitFor } = step;
  if (waitFor === undefined) return;
  if (isPosted) report(["waitFor"], NOT_POSTED, true);
  else if (!isProbed)
    report(
      ["waitFor"],
      "`waitFor` needs a probe, the URL of your system's state. Write `probe: { url: … }` at the top of the file.",
      true,
    );
  if (!isRecord(waitFor)) return;
  checkJsonPaths({ probe: waitFor["probe"] }, ["waitFor"], report);
  checkExpectation(waitFor["is"], ["waitFor", "is"], { report, isPosted });
}

/** Checks the `probe` before the scenario runs: every part of it has to be readable. */
export function checkProbe(probe: unknown, isPosted: boolean, report: NoteMistake): void {
  if (!isRecord(probe)) return;
  if (isPosted) report([], NOT_POSTED, true);
  const { url, ignore, state, settle, books } = probe;
  if (isWritten(url) && !isHttpUrl(url))
    report(["url"], `\`${url}\` is not a URL. Write one such as http://127.0.0.1:3000/members.`);
  if (state !== undefined && url === undefined)
    report(["state"], "`state` needs `url`, the URL of the state.", true);
  checkWallDuration(settle, ["settle"], report);
  if (isRecord(books)) {
    if (url === undefined) report(["books"], "`books` needs `url`, the URL of the books.", true);
    const { totals, rows } = books;
    checkJsonPaths(totals, ["books", "totals"], report);
    for (const [index, row] of Array.isArray(rows) ? rows.entries() : [])
      if (isRecord(row)) checkRow(row, ["books", "rows", index], report);
  }
  checkJsonPaths(ignore, ["ignore"], report);
}

/** Checks a row: its JSONPath, and that `status` has words for statuses that its objects can have. */
function checkRow({ of, at, status }: JsonObject, below: Path, report: NoteMistake): void {
  checkJsonPaths({ at }, below, report);
  const known = statuses[String(of)];
  if (known === undefined || !isRecord(status)) return;
  for (const name of Object.keys(status))
    if (name !== "field" && !known.includes(name))
      report(
        [...below, "status", name],
        `Objects of ${String(of)} have no status \`${name}\`. ${hint(name, known)}`,
        true,
      );
}

/** Checks that the items of a list, or the fields of an object, are JSONPaths. */
function checkJsonPaths(paths: unknown, below: Path, report: NoteMistake): void {
  if (typeof paths !== "object" || paths === null) return;
  for (const [key, path] of Object.entries(paths)) {
    const read = isWritten(path) ? readIgnoredPath(path) : undefined;
    if (read !== undefined && "mistake" in read) report([...below, key], read.mistake);
  }
}

/** Returns true if a value is a text that is known before the scenario runs. */
function isWritten(value: unknown): value is string {
  return typeof value === "string" && !hasExpression(value);
}

/**
 * Checks the keys of fixtures. Their `$use` is already replaced, so a remaining `$` key is unknown, or in the wrong
 * place.
 */
function checkFixtureKeys(value: unknown, path: Path, report: NoteMistake): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const below = [...path, Array.isArray(value) ? Number(key) : key];
    if (!key.startsWith("$") || Array.isArray(value)) checkFixtureKeys(item, below, report);
    else if (key === "$absent")
      report(below, "`$absent` leaves out a field of a fixture. Write it next to `$use`.", true);
    else {
      const known = hint(key, ["$use", "$absent"]);
      report(
        below,
        `\`${key}\` is not known here. ${known} To send such a key, write the body as a string.`,
        true,
      );
    }
  }
}

/**
 * Checks the act of a step. Every act names its object, except an act on the company itself. If the step is valid by
 * the schema, its fields are checked as the sandbox checks them.
 */
export function checkAct(step: JsonObject, isValid: boolean, report: NoteMistake): void {
  const { act: name, with: fields } = step;
  if (typeof name !== "string") return;
  const hasId = "on" in step || (isRecord(fields) && "id" in fields);
  if (!hasId && name !== "webhook.set-url")
    report(["act"], `\`${name}\` does not name its object. Write \`on: \${name.id}\`.`);
  const act = acts.get(name);
  if (!isValid || act === undefined || expectsRefusal(step) || (fields !== undefined && !isRecord(fields)))
    return;
  const { id: _, ...own } = fields ?? {};
  const problems = shapeProblems(act.fields ?? "NoFields", act.normalize(own));
  reportProblems(problems, { fields: own, below: ["with"], report });
}

/** Reports each part of a fault that the sandbox would refuse. Some refusals show only during a run. */
export function checkFault(step: JsonObject, report: NoteMistake): void {
  const { fault } = step;
  if (!isRecord(fault)) return;
  const { object: _, ...fields } = fault;
  if (expectsRefusal(step) || isOpen(fields["effect"]) || isOpen(fields["on"])) return;
  reportProblems(faultProblems(fields), { fields, below: ["fault"], report });
}

function faultProblems(fault: JsonObject): readonly Problem[] {
  try {
    readFault(fault, { events: eventNames, operations: operationIds });
    return [];
  } catch (error) {
    if (error instanceof Refusal) return error.problems;
    throw error;
  }
}

function reportProblems(
  problems: readonly Problem[],
  {
    fields,
    below,
    report,
  }: { readonly fields: JsonObject; readonly below: Path; readonly report: NoteMistake },
): void {
  for (const { field, description } of problems) {
    const path = field.replaceAll("[", ".").replaceAll("]", "").split(".");
    if (isOpen(fields[path[0] ?? ""])) continue;
    report([...below, ...path], description);
  }
}

/** Returns true if any part of a value is filled in only when the scenario runs. */
function isOpen(value: unknown): boolean {
  return hasExpression(JSON.stringify(value) ?? "");
}

/** Returns true if a step names its answer, which may then be a refusal. */
export function expectsRefusal({ expect }: JsonObject): boolean {
  return isRecord(expect) && ("status" in expect || "body" in expect);
}

const COMPARISONS = new Set(["$gt", "$gte", "$lt", "$lte"]);

/**
 * Checks an expectation: an object has matchers or plain fields, not both, and a comparison needs a value with an
 * order.
 */
export function checkExpectation(
  value: unknown,
  path: Path,
  checking: { readonly report: NoteMistake; readonly isPosted: boolean },
): void {
  if (typeof value !== "object" || value === null) return;
  const { report, isPosted } = checking;
  if (isRecord(value)) {
    const matchers = Object.keys(value).filter((key) => key.startsWith("$"));
    const plain = Object.keys(value).find((key) => !key.startsWith("$"));
    if (matchers.length > 0 && plain !== undefined) {
      report(
        [...path, plain],
        `\`${plain}\` cannot be combined with the matcher ${quoted(matchers)}, which is about the whole value. Move one of them.`,
        true,
      );
    }
    const problem = isPosted ? postedPatternProblem(value["$regex"]) : undefined;
    if (problem !== undefined) report([...path, "$regex"], problem);
    for (const key of matchers.filter((name) => COMPARISONS.has(name))) {
      const bound = value[key];
      if ((typeof bound === "string" && hasExpression(bound)) || measure(bound)) continue;
      report(
        [...path, key],
        `${shown(bound)} has no order. Compare with a number, a decimal string, a date or a time.`,
      );
    }
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === "$exactly") continue;
    checkExpectation(item, [...path, Array.isArray(value) ? Number(key) : key], checking);
  }
}
