import { checkScenario } from "./check.ts";
import { readLists } from "../server/access/fixture-files.ts";
import { checkRounds } from "./rounds.ts";
import { type NoteMistake, type ScenarioContext, useBodies, withFixtures } from "./context.ts";
import { hasExpression, substitute } from "./expression.ts";
import { type Scenario, type ScenarioStep, verbOf } from "./scenario.ts";
import { paramMistake, schemaMistakes } from "./schema.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import { type Path, type Place, type FileMistake, type YamlFile, hint, readSource, shown } from "./source.ts";
import { dirname, resolve } from "node:path";

export interface ParsedScenarioFile {
  /** The scenarios, one for each combination of the matrix. Empty if the file has a mistake. */
  readonly scenarios: readonly Scenario[];
  readonly mistakes: readonly FileMistake[];
  /** The name of the provider state that the file defines, and its place. */
  readonly state?: Place & { readonly name: string };
}

/**
 * Reads one scenario file and finds every mistake in it before anything runs. It never throws: the mistakes come in
 * the order of the file.
 */
export function parseScenario(text: string, file: string, context: ScenarioContext): ParsedScenarioFile {
  const source = readSource(text, file);
  const found = new Map<string, FileMistake>();
  for (const mistake of source.mistakes) found.set(JSON.stringify(mistake), mistake);
  const report: NoteMistake = (path, message, atKey = false, remark = "") => {
    const mistake = { file, ...(atKey ? source.keyPlace(path) : source.place(path)), message };
    // A mistake in every combination of a matrix is reported once, for the first.
    const key = JSON.stringify(mistake);
    if (!found.has(key)) found.set(key, { ...mistake, message: message + remark });
  };
  const scenarios = source.value === undefined ? [] : readScenarios(source, context, report);
  const mistakes = [...found.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
  const state = isRecord(source.value) ? source.value["state"] : undefined;
  return {
    scenarios: mistakes.length > 0 ? [] : scenarios,
    mistakes,
    ...(typeof state === "string" && { state: { name: state, ...source.place(["state"]) } }),
  };
}

function readScenarios(source: YamlFile, context: ScenarioContext, report: NoteMistake): Scenario[] {
  const top = source.value;
  if (!isRecord(top)) {
    const found = top === null ? "the file is empty" : `found ${shown(top)}`;
    report([], `A scenario is an object with \`name\` and \`steps\`; ${found}.`);
    return [];
  }
  const use = (value: unknown, at: Path): unknown =>
    useBodies(value, context.bodies, (path, message) => report([...at, ...path], message));
  const inputs = { matrix: use(top["matrix"], ["matrix"]), params: use(top["params"], ["params"]) };
  // The rest is checked once they are filled in.
  const hasInputs = inputs.matrix !== undefined || inputs.params !== undefined;
  const isChecked = context.isShipped !== true;
  for (const { path, message, atKey } of hasInputs && isChecked ? schemaMistakes(top) : []) {
    if (path[0] === "matrix" || path[0] === "params") report(path, message, atKey);
  }
  const params = givenParams(inputs.params, context, report);
  const combinations = combinationsOf(inputs.matrix);
  if (combinations === undefined) {
    report(["matrix"], `The matrix has more than ${COMBINATIONS_MAX} combinations. Make it smaller.`);
  }
  const rest = Object.entries(top).filter(([key]) => key !== "matrix" && key !== "params");
  return (combinations ?? []).map((combination) => {
    const values = valuesOf(combination, params);
    const explain: NoteMistake = (path, message, atKey) =>
      report(path, message, atKey, whereFrom(top, path, combination));
    const filled = substitute(Object.fromEntries(rest), values) as { [key: string]: unknown };
    const own = withOwnFixtures(filled["fixtures"], source.file, context, explain);
    const tree = useBodies(filled, own.context.bodies, explain) as { [key: string]: unknown };
    const lineOf = (path: Path): number => source.place(path).line;
    checkRounds(tree["steps"], explain);
    if (isChecked) checkScenario(tree, { values, context: own.context, report: explain, lineOf });
    const resolved = { ...tree, ...(own.folder !== undefined && { fixtures: own.folder }) };
    const isNamedByMatrix = String(top["name"]).includes("${matrix.");
    return toScenario(resolved, { combination, params, source, isNamedByMatrix });
  });
}

/** Returns the context with the bodies of the scenario's own fixtures: a folder relative to the file. */
function withOwnFixtures(
  named: unknown,
  file: string,
  context: ScenarioContext,
  report: NoteMistake,
): { readonly context: ScenarioContext; readonly folder?: string } {
  if (isRecord(named))
    for (const { path, message } of readLists(named).mistakes) report(["fixtures", ...path], message);
  if (typeof named !== "string" || named === "" || hasExpression(named)) return { context };
  if (context.isPosted === true) {
    const message =
      "A posted scenario has no access to files and uses the fixtures of the server. Leave `fixtures` out.";
    report(["fixtures"], message, true);
    return { context };
  }
  if (context.isText === true) {
    const message = "A scenario in a text has no folder. Leave `fixtures` out, or give a file.";
    report(["fixtures"], message, true);
    return { context };
  }
  const folder = resolve(dirname(file), named);
  const found = withFixtures(context, folder);
  if ("context" in found) return { ...found, folder };
  report(["fixtures"], found.mistake);
  return { context, folder };
}

function valuesOf(combination: JsonObject, params: { [name: string]: unknown }): Map<string, unknown> {
  return new Map([
    ...Object.entries(combination).map(([name, value]) => [`matrix.${name}`, value] as const),
    ...Object.entries(params).map(([name, value]) => [`params.${name}`, value] as const),
  ]);
}

/** Names the combination of a wrong word. A word from a matrix is wrong only in that combination. */
function whereFrom(top: unknown, path: Path, combination: JsonObject): string {
  let written = top;
  for (const key of path) written = (written as { [key: string]: unknown } | undefined)?.[key];
  const isFilledIn =
    typeof written === "string" && written.includes("${matrix.") && Object.keys(combination).length > 0;
  return isFilledIn ? ` (Here ${describeCombination(combination)}.)` : "";
}

interface Origin {
  readonly combination: JsonObject;
  readonly params: { [name: string]: unknown };
  readonly source: YamlFile;
  /** True if the name is already different for each combination. */
  readonly isNamedByMatrix: boolean;
}

function toScenario(
  tree: { [key: string]: unknown },
  { combination, params, source, isNamedByMatrix }: Origin,
): Scenario {
  const steps = Array.isArray(tree["steps"]) ? (tree["steps"] as unknown[]) : [];
  const name = String(tree["name"] ?? tree["state"]);
  const isUnique = isNamedByMatrix || Object.keys(combination).length === 0;
  return {
    ...(tree as unknown as Scenario),
    name: isUnique ? name : `${name} [${describeCombination(combination)}]`,
    file: source.file,
    combination,
    params,
    ...(isRecord(tree["probe"]) && { probe: { ...tree["probe"], ...source.place(["probe"]) } }),
    steps: toSteps(steps, ["steps"], source),
  };
}

function toSteps(steps: readonly unknown[], path: Path, source: YamlFile): ScenarioStep[] {
  return steps.filter(isRecord).map((step, index) => {
    const at = [...path, index];
    const { repeat } = step;
    const rounds =
      isRecord(repeat) && Array.isArray(repeat["steps"]) ? (repeat["steps"] as unknown[]) : undefined;
    return {
      ...step,
      ...(rounds !== undefined && {
        repeat: { ...(repeat as JsonObject), steps: toSteps(rounds, [...at, "repeat", "steps"], source) },
      }),
      verb: verbOf(step),
      number: index + 1,
      ...source.place(at),
    } as unknown as ScenarioStep;
  });
}

/**
 * Returns the values of a state's params: the given ones, otherwise the defaults. Each is checked with its own
 * `schema`.
 */
function givenParams(
  declared: unknown,
  { params: given = {}, isPosted = false }: Pick<ScenarioContext, "params" | "isPosted">,
  report: NoteMistake,
): { [name: string]: unknown } {
  const params = isRecord(declared) ? declared : {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(params, name)) {
      report(["params"], `\`${name}\` is not a param of this state. ${hint(name, Object.keys(params))}`);
    }
  }
  const entries = Object.entries(params).map(([name, param]): [string, unknown] => {
    const { default: byDefault, schema } = isRecord(param) ? param : {};
    const value = Object.hasOwn(given, name) ? given[name] : byDefault;
    // An expression such as ${today} gets its value when the scenario runs.
    const isOpen =
      schema === undefined || value === undefined || (typeof value === "string" && hasExpression(value));
    const mistake = isOpen ? undefined : paramMistake(name, value, { schema, isPosted });
    if (mistake !== undefined) report(["params", name], mistake);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** The maximum number of combinations. More combinations are probably a mistake. */
const COMBINATIONS_MAX = 1000;

/**
 * Returns every combination of a matrix. The last name varies fastest. A list is a list of combinations. Without a
 * matrix the only combination is empty. Undefined for more than `COMBINATIONS_MAX`.
 */
function combinationsOf(matrix: unknown): JsonObject[] | undefined {
  if (Array.isArray(matrix)) return matrix.length > COMBINATIONS_MAX ? undefined : matrix.filter(isRecord);
  if (!isRecord(matrix)) return [{}];
  const lists = Object.entries(matrix).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  let count = 1;
  for (const [, values] of lists) {
    count *= values.length;
    if (count > COMBINATIONS_MAX) return undefined;
  }
  return Array.from({ length: count }, (_, index) => {
    let rest = index;
    const chosen = lists.toReversed().map(([name, values]) => {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return [name, value] as const;
    });
    return Object.fromEntries(chosen.toReversed());
  });
}

/** Returns the name of a combination in reports: `outcome=REJECTED, times=2`. */
function describeCombination(combination: JsonObject): string {
  return Object.entries(combination)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
