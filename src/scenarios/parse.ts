import { dirname, resolve } from "node:path";
import { checkScenario } from "./check.ts";
import { hasExpression } from "./expression.ts";
import type { Report, ScenarioContext } from "./context.ts";
import { isRecord, useFixtures } from "./fixture.ts";
import { substitute } from "./interpolation.ts";
import { combinationsMax, combinationsOf, describeCombination } from "./matrix.ts";
import type { Combination } from "./matrix.ts";
import { shown } from "./mistake.ts";
import type { ScenarioMistake } from "./mistake.ts";
import { givenParams } from "./params.ts";
import type { Path, Place, Scenario, ScenarioStep } from "./scenario.ts";
import { schemaMistakes } from "./schema.ts";
import { readSource } from "./source.ts";
import type { Source } from "./source.ts";
import { verbOf } from "./step.ts";

export interface ParsedScenarioFile {
  /** One for each combination of the matrix; none when there is a mistake. */
  readonly scenarios: readonly Scenario[];
  readonly mistakes: readonly ScenarioMistake[];
  /** The provider state that the file is, and where it says so. */
  readonly state?: Place & { readonly name: string };
}

/**
 * Reads one scenario file and finds every mistake in it before anything runs. Nothing is thrown: a file that is
 * wrong gives its mistakes, in the order in which they stand there.
 */
export function parseScenario(text: string, file: string, context: ScenarioContext): ParsedScenarioFile {
  const source = readSource(text, file);
  const found = new Map<string, ScenarioMistake>();
  for (const mistake of source.mistakes) found.set(JSON.stringify(mistake), mistake);
  const report = (path: Path, message: string, atKey = false, remark = ""): void => {
    const mistake = { file, ...(atKey ? source.keyPlace(path) : source.place(path)), message };
    // What is wrong in every combination of a matrix is told once, for the first.
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

/** A `Report` that can also say under which circumstances the mistake shows. */
type RemarkableReport = (path: Path, message: string, atKey?: boolean, remark?: string) => void;

function readScenarios(source: Source, context: ScenarioContext, report: RemarkableReport): Scenario[] {
  const top = source.value;
  if (!isRecord(top)) {
    const found = top === null ? "the file is empty" : `found ${shown(top)}`;
    report([], `A scenario is an object with \`name\` and \`steps\`; ${found}.`);
    return [];
  }
  const use = (value: unknown, at: Path): unknown =>
    useFixtures(value, context.fixtures, (path, message) => report([...at, ...path], message));
  const inputs = { matrix: use(top["matrix"], ["matrix"]), params: use(top["params"], ["params"]) };
  for (const { path, message, atKey } of schemaMistakes(top)) {
    if (path[0] === "matrix" || path[0] === "params") report(path, message, atKey);
  }
  const params = givenParams(inputs.params, context.params, report);
  const combinations = combinationsOf(inputs.matrix);
  if (combinations === undefined) {
    report(["matrix"], `The matrix has more than ${combinationsMax} combinations. Make it smaller.`);
  }
  const rest = Object.entries(top).filter(([key]) => key !== "matrix" && key !== "params");
  return (combinations ?? []).map((combination) => {
    const values = valuesOf(combination, params);
    const explain: Report = (path, message, atKey) =>
      report(path, message, atKey, whereFrom(top, path, combination));
    const filled = substitute(Object.fromEntries(rest), values) as { [key: string]: unknown };
    const own = withOwnFixtures(filled["fixtures"], source.file, context, explain);
    const tree = useFixtures(filled, own.context.fixtures, explain) as { [key: string]: unknown };
    checkScenario(tree, {
      values,
      context: own.context,
      report: explain,
      lineOf: (path) => source.place(path).line,
    });
    const whole = {
      ...tree,
      ...(own.folder !== undefined && { fixtures: own.folder }),
      matrixed: top["name"],
    };
    return toScenario(whole, combination, params, source);
  });
}

/** The context with the bodies of the scenario's own fixtures, where it names a folder; that lies beside the file. */
function withOwnFixtures(
  named: unknown,
  file: string,
  context: ScenarioContext,
  report: Report,
): { readonly context: ScenarioContext; readonly folder?: string } {
  if (typeof named !== "string" || named === "" || hasExpression(named)) return { context };
  const folder = resolve(dirname(file), named);
  const found = context.fixturesIn?.(folder);
  if (found === undefined) return { context, folder };
  if ("fixtures" in found) return { context: { ...context, fixtures: found.fixtures }, folder };
  report(["fixtures"], found.mistake);
  return { context, folder };
}

function valuesOf(combination: Combination, params: { [name: string]: unknown }): Map<string, unknown> {
  return new Map([
    ...Object.entries(combination).map(([name, value]) => [`matrix.${name}`, value] as const),
    ...Object.entries(params).map(([name, value]) => [`params.${name}`, value] as const),
  ]);
}

/** A word that came out of a matrix is wrong in that combination only, so the message names it. */
function whereFrom(top: unknown, path: Path, combination: Combination): string {
  let written = top;
  for (const key of path) written = (written as { [key: string]: unknown } | undefined)?.[key];
  const isFilledIn =
    typeof written === "string" && written.includes("${matrix.") && Object.keys(combination).length > 0;
  return isFilledIn ? ` (Here ${describeCombination(combination)}.)` : "";
}

function toScenario(
  tree: { [key: string]: unknown },
  combination: Combination,
  params: { [name: string]: unknown },
  source: Source,
): Scenario {
  const steps = Array.isArray(tree["steps"]) ? (tree["steps"] as unknown[]) : [];
  const { matrixed, ...known } = tree;
  const title = String(known["name"] ?? known["state"]);
  const told = String(matrixed).includes("${matrix.") || Object.keys(combination).length === 0;
  return {
    ...(known as unknown as Scenario),
    name: told ? title : `${title} [${describeCombination(combination)}]`,
    file: source.file,
    combination,
    params,
    steps: steps.filter(isRecord).map(
      (step, index) =>
        ({
          ...step,
          verb: verbOf(step),
          number: index + 1,
          ...source.place(["steps", index]),
        }) as unknown as ScenarioStep,
    ),
  };
}
