import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countResults } from "./result.ts";
import type { OpenSandbox } from "../server/access/open-sandbox.ts";
import { LongWork } from "../base/long-work.ts";
import { localWorlds } from "./world.ts";
import { defined } from "../simulator/engine/json.ts";
import { type ParsedScenarioFile, parseScenario } from "./parse.ts";
import type { Shapes } from "../simulator/api/generated/shapes.ts";
import { type FileMistake, readSource } from "./source.ts";
import { runScenarios } from "./run.ts";
import { SHIPPED_SCENARIOS } from "./scenario-files.ts";
import { scenarioContext } from "./context.ts";

/** A scenario file by its name, with its text. */
export interface ScenarioText {
  readonly name: string;
  readonly description: string | null;
  /** The path of the shipped file. Null for a posted scenario. */
  readonly file: string | null;
  readonly text: string;
  /** The state that a posted scenario leads to. Null if it leads to none. Absent for a shipped scenario. */
  readonly state?: ProviderState | null;
}

/** A provider state: the scenario that leads there, its params and the values that it returns. */
export interface ProviderState {
  readonly name: string;
  readonly description?: string;
  /** Empty for a scenario that was posted. */
  readonly file: string;
  /** The inputs of the job. */
  readonly params: Readonly<
    Record<string, { readonly default: unknown; readonly schema?: unknown; readonly description?: string }>
  >;
  /** The names of the values that it returns. */
  readonly returns: readonly string[];
}

/** The work with scenario files. A server does it itself or leaves it to threads. */
export interface ScenarioJobs {
  readonly list: () => Promise<ScenarioText[]>;
  readonly read: (text: string) => Promise<ReturnType<typeof readPosted>>;
  readonly parse: (
    text: string,
    params: Shapes["ScenarioRunRequest"]["params"],
  ) => Promise<ParsedScenarioFile>;
  readonly run: (scenario: ScenarioText, inputs: Shapes["ScenarioRunRequest"]) => ReturnType<typeof runText>;
}

/** Does the work with scenario files in this process. */
export function scenarioJobs(openSandbox: OpenSandbox): ScenarioJobs {
  return {
    list: shippedScenarios,
    read: async (text) => readPosted(text),
    parse: async (text, params) => parsePosted(text, params),
    run: (scenario, inputs) => runText(scenario, inputs, openSandbox),
  };
}

/** Mistakes of one posted file that are reported. */
const MISTAKES_MAX = 200;

/** Reads the shipped scenarios in turns. They are in the order of their files. */
export async function shippedScenarios(): Promise<ScenarioText[]> {
  const work = new LongWork();
  const read: ScenarioText[] = [];
  for (const file of globSync("**/*.yaml", { cwd: SHIPPED_SCENARIOS }).sort()) {
    read.push(withHead(readFileSync(join(SHIPPED_SCENARIOS, file), "utf8"), file.replaceAll("\\", "/")));
    if (work.isDue) await work.nextTurn();
  }
  return read;
}

/** Reads a scenario that was sent as text, and finds its mistakes. */
function readPosted(
  text: string,
): { readonly scenario: ScenarioText } | { readonly mistakes: readonly FileMistake[] } {
  const { mistakes } = parseScenario(text, "", { ...scenarioContext(), isPosted: true });
  if (mistakes.length > 0) return { mistakes: mistakes.slice(0, MISTAKES_MAX) };
  return { scenario: { ...withHead(text, null), state: stateOf(readSource(text, "").value, "") ?? null } };
}

/** Parses a scenario that was posted, with values for the params of a state. */
function parsePosted(text: string, params: Shapes["ScenarioRunRequest"]["params"]): ParsedScenarioFile {
  const context = { ...scenarioContext(), isPosted: true, ...defined({ params }) };
  const { scenarios, mistakes } = parseScenario(text, "", context);
  return { scenarios, mistakes: mistakes.slice(0, MISTAKES_MAX) };
}

/** Returns the provider state that a file leads to, from its plain values. Undefined for a file without a state. */
export function stateOf(value: unknown, file: string): ProviderState | undefined {
  const { state: name, description, params = {}, returns = {} } = (value ?? {}) as Head;
  if (typeof name !== "string") return undefined;
  return { name, ...defined({ description }), file, params, returns: Object.keys(returns) };
}

/**
 * Runs a scenario, each combination of its matrix in a new world. Returns the json report, or the mistakes in the
 * params of a state.
 */
async function runText(
  { text, file }: ScenarioText,
  { seed, params }: Shapes["ScenarioRunRequest"],
  openSandbox: OpenSandbox,
): Promise<{ readonly report: object } | { readonly mistakes: readonly FileMistake[] }> {
  const context = { ...scenarioContext(), isPosted: file === null, ...defined({ params }) };
  const path = file === null ? "" : join(SHIPPED_SCENARIOS, file);
  const { scenarios, mistakes } = parseScenario(text, path, context);
  if (mistakes.length > 0) return { mistakes };
  const results = await runScenarios(scenarios, {
    openWorld: localWorlds(openSandbox),
    ...defined({ seed }),
  });
  // The report is the same for every run. It names the shipped file, and not its place on the server.
  const reported = results.map(({ durationMs: _durationMs, ...result }) => ({ ...result, file }));
  const worst = reported.find(({ status }) => status === "failed") ?? reported[0];
  return { report: { ...worst, ...countResults(results), scenarios: reported } };
}

/** Returns a text with the name of its scenario. It has no mistakes, so its top-level fields are right. */
function withHead(text: string, file: string | null): ScenarioText {
  const { name, state = "", description = null } = readSource(text, file ?? "").value as Head;
  return { name: name ?? state, description, file, text };
}

/** The fields of a file before its steps, if they are right. */
type Head = Partial<Pick<ProviderState, "name" | "description" | "params">> & {
  readonly state?: string;
  readonly returns?: object;
};
