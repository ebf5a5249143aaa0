import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFile } from "./built-files.ts";
import { countResults } from "./result.ts";
import { type OpenSandbox, localWorlds } from "./world.ts";
import { defined } from "../../engine/json.ts";
import { parseScenario } from "./parse.ts";
import { type ScenarioMistake, readSource } from "./source.ts";
import { runScenarios } from "./run.ts";
import { scenarioContext } from "./context.ts";

const SHIPPED = fileURLToPath(new URL("../../../scenarios/", import.meta.url));

/** A scenario file by its name, with its text. */
export interface StoredScenario {
  readonly name: string;
  readonly description: string | null;
  /** Where it ships; null for one that was posted. */
  readonly file: string | null;
  readonly text: string;
}

/** The provider state that a scenario leads to, as its file describes it. */
export interface StateHead {
  readonly name: string;
  readonly description?: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The names of the values that it returns. */
  readonly returns: readonly string[];
}

/** A scenario that was posted, with its state where it leads to one. */
export interface PostedScenario extends StoredScenario {
  readonly state: StateHead | null;
}

/** The scenarios of a text, one for each combination of its matrix, and what is wrong with it. */
export type ParsedText = Pick<ReturnType<typeof parseScenario>, "scenarios" | "mistakes">;

export interface RunInputs {
  readonly seed?: number;
  /** Values for the params of a state, in place of their defaults. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Mistakes of one posted file that are reported. */
const MISTAKES_MAX = 200;

/** The scenarios that ship, in the order of their files. */
export function shippedScenarios(): StoredScenario[] {
  return globSync("**/*.yaml", { cwd: SHIPPED })
    .sort()
    .map((file) => stored(readFileSync(join(SHIPPED, file), "utf8"), file.replaceAll("\\", "/")));
}

/** Reads a scenario that was sent as text, and finds what is wrong with it. */
export function readPosted(
  text: string,
): { readonly scenario: PostedScenario } | { readonly mistakes: readonly ScenarioMistake[] } {
  const { mistakes } = parseScenario(text, "", { ...scenarioContext(), isPosted: true });
  if (mistakes.length > 0) return { mistakes: mistakes.slice(0, MISTAKES_MAX) };
  return { scenario: { ...stored(text, null), state: stateHead(readSource(text, "").value) ?? null } };
}

/** Parses a scenario that was posted, with values for the params of a state. */
export function parsePosted(text: string, params: RunInputs["params"]): ParsedText {
  const context = { ...scenarioContext(), isPosted: true, ...defined({ params }) };
  const { scenarios, mistakes } = parseScenario(text, "", context);
  return { scenarios, mistakes: mistakes.slice(0, MISTAKES_MAX) };
}

/** The provider state that a file leads to, from its plain values; undefined for a file without one. */
export function stateHead(value: unknown): StateHead | undefined {
  const { state: name, description, params, returns } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(typeof description === "string" && { description }),
    params: (params ?? {}) as StateHead["params"],
    returns: Object.keys(returns ?? {}),
  };
}

/**
 * Runs a scenario, each combination of its matrix in a new world. Gives the json report, or what is wrong with the
 * params of a state.
 */
export async function runStored(
  { text, file }: StoredScenario,
  { seed, params }: RunInputs,
  openSandbox: OpenSandbox,
): Promise<{ readonly report: object } | { readonly mistakes: readonly ScenarioMistake[] }> {
  const context = { ...scenarioContext(), isPosted: file === null, ...defined({ params }) };
  const { scenarios, mistakes } = parseScenario(text, file === null ? "" : join(SHIPPED, file), context);
  if (mistakes.length > 0) return { mistakes };
  const results = await runScenarios(scenarios, {
    openWorld: localWorlds(openSandbox),
    ...defined({ seed }),
  });
  // The report is the same for every run, and names the shipped file, not where the server keeps it.
  const reported = results.map(({ durationMs: _durationMs, ...result }) => ({ ...result, file }));
  const worst = reported.find(({ status }) => status === "failed") ?? reported[0];
  return { report: { ...worst, ...countResults(results), scenarios: reported } };
}

/** Only a scenario without mistakes is stored, so its top-level fields are strings. */
function stored(text: string, file: string | null): StoredScenario {
  const value = builtFile(text)?.top ?? readSource(text, file ?? "").value;
  const top = value as { name?: string; state?: string; description?: string };
  return { name: top.name ?? top.state ?? "", description: top.description ?? null, file, text };
}
