import { globSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Scenario } from "../../scenarios/scenario.ts";
import type { ScenarioContext } from "../../scenarios/context.ts";
import type { ScenarioMistake } from "../../scenarios/mistake.ts";
import { formatMistake } from "../../scenarios/mistake.ts";
import { parseScenario } from "../../scenarios/parse.ts";
import { readSource } from "../../scenarios/source.ts";

/** One input of a state. */
export interface StateParam {
  readonly default: unknown;
  readonly schema?: unknown;
  readonly description?: string;
}

/** A provider state: the scenario that leads there, and what goes in and comes out. */
export interface ProviderState {
  readonly name: string;
  readonly description?: string;
  readonly file: string;
  readonly params: Readonly<Record<string, StateParam>>;
  /** The names of the values it gives back. */
  readonly returns: readonly string[];
}

/** Where what ships stands. */
export interface ShippedFolders {
  readonly states: string;
  readonly scenarios: string;
}

interface ReadState extends ProviderState {
  readonly text: string;
}

/** Files of provider states are wrong: a line for each mistake, with its place. */
export class StateFileMistakes extends Error {
  override readonly name = "StateFileMistakes";
}

/** The provider states there are: scenario files with `state:`, by that name. */
export class StateLibrary {
  readonly #states = new Map<string, ReadState>();
  readonly #context: ScenarioContext;
  readonly #scenarioPaths: readonly string[];
  #scenarios: ReadonlyMap<string, Scenario> | undefined;

  /**
   * Reads files and folders of them; a file without `state:` is passed over. Those of `shipped` are known to be
   * right and are checked when they are used. Throws `StateFileMistakes`.
   */
  constructor(shipped: ShippedFolders, paths: readonly string[], context: ScenarioContext) {
    this.#context = context;
    this.#scenarioPaths = [shipped.scenarios, ...paths];
    for (const file of filesAt(shipped.states)) this.#add(file);
    for (const file of paths.flatMap(filesAt)) {
      const state = this.#add(file);
      if (state !== undefined) this.#check(state);
    }
  }

  /** Every state, by name. */
  all(): ProviderState[] {
    return [...this.#states.values()]
      .map(({ name, description, file, params, returns }) => ({
        name,
        ...(description !== undefined && { description }),
        file,
        params,
        returns,
      }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  get(name: string): ProviderState | undefined {
    return this.#states.get(name);
  }

  get names(): string[] {
    return [...this.#states.keys()].sort();
  }

  /** The scenario that leads to a state with these params, or what is wrong with them. */
  scenario(
    name: string,
    params: Readonly<Record<string, unknown>>,
  ): { readonly scenario: Scenario } | { readonly mistakes: readonly ScenarioMistake[] } | undefined {
    const state = this.#states.get(name);
    if (state === undefined) return undefined;
    const { scenarios, mistakes } = parseScenario(state.text, state.file, { ...this.#context, params });
    const [scenario] = scenarios;
    return scenario === undefined ? { mistakes } : { scenario };
  }

  /** The scenario of that name: every one is a state too, as it stands before each of its steps. */
  namedScenario(name: string): Scenario | undefined {
    this.#scenarios ??= new Map(
      this.#scenarioPaths
        .flatMap(filesAt)
        .flatMap((file) => parseScenario(readFileSync(file, "utf8"), file, this.#context).scenarios)
        .map((scenario) => [scenario.name, scenario]),
    );
    return this.#scenarios.get(name);
  }

  #add(file: string): ReadState | undefined {
    const text = readFileSync(file, "utf8");
    const { value, mistakes } = readSource(text, file);
    if (value === undefined) throw new StateFileMistakes(mistakes.map(formatMistake).join("\n"));
    const top = (value ?? {}) as Readonly<Record<string, unknown>>;
    const { state: name, description } = top;
    if (typeof name !== "string") return undefined;
    const known = this.#states.get(name);
    // The same file may be named twice, once as what ships.
    if (known !== undefined && resolve(known.file) === resolve(file)) return undefined;
    if (known !== undefined) {
      const sentence = `The state "${name}" is in ${known.file} already. Choose another name.`;
      throw new StateFileMistakes(`${file}:1:1: ${sentence}`);
    }
    const state: ReadState = {
      name,
      ...(typeof description === "string" && { description }),
      file,
      params: (top["params"] ?? {}) as ProviderState["params"],
      returns: Object.keys(top["returns"] ?? {}),
      text,
    };
    this.#states.set(name, state);
    return state;
  }

  #check({ text, file }: ReadState): void {
    const { scenarios, mistakes } = parseScenario(text, file, this.#context);
    if (mistakes.length > 0) throw new StateFileMistakes(mistakes.map(formatMistake).join("\n"));
    if (scenarios.length > 1)
      throw new StateFileMistakes(`${file}:1:1: A state has no matrix. Give it params instead.`);
  }
}

function filesAt(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new StateFileMistakes(
      `Failed to read provider states from ${path}: there is no such file or folder. Check the path.`,
    );
  if (!stats.isDirectory()) return [path];
  return globSync("**/*.{yaml,yml}", { cwd: path })
    .sort()
    .map((file) => join(path, file));
}
