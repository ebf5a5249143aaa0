import { globSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join, resolve } from "node:path";
import type { Scenario } from "../../scenarios/scenario.ts";
import { type ScenarioContext, scenarioContext } from "../../scenarios/context.ts";
import { builtFile } from "../../scenarios/built-files.ts";
import { type ScenarioMistake, formatMistake, readSource } from "../../scenarios/source.ts";
import { LongWork } from "../../../process/long-work.ts";
import { parseScenario } from "../../scenarios/parse.ts";
import { compileChecks } from "../../scenarios/schema.ts";
import {
  type ParsedText,
  type PostedScenario,
  type StateHead,
  stateHead,
} from "../../scenarios/stored-scenarios.ts";
import { FileMistakes } from "../../../process/failures.ts";

/** One input of a state. */
export interface StateParam {
  readonly default: unknown;
  readonly schema?: unknown;
  readonly description?: string;
}

/** A provider state: the scenario that leads there, its params and the values that it returns. */
export interface ProviderState {
  readonly name: string;
  readonly description?: string;
  readonly file: string;
  readonly params: Readonly<Record<string, StateParam>>;
  /** The names of the values that it returns. */
  readonly returns: readonly string[];
}

interface ReadState extends ProviderState {
  readonly text: string;
  /** The scenario it comes from, where that was posted. */
  readonly posted?: PostedScenario;
}

/** Scenarios that were posted to a running server. They are parsed elsewhere: one of a megabyte takes seconds. */
export interface PostedScenarios {
  posted(): Iterable<PostedScenario>;
  parse(scenario: PostedScenario, params: Readonly<Record<string, unknown>>): Promise<ParsedText>;
}

const SHIPPED = fileURLToPath(new URL("../../../../scenarios/", import.meta.url));

/**
 * The provider states that ship, and those of more files and folders; a file without `state:` is ignored. Those that
 * ship are known to be valid and are checked when they are used. Throws `FileMistakes`.
 */
export async function stateLibrary(
  paths: readonly string[] = [],
  posted?: PostedScenarios,
): Promise<StateLibrary> {
  const library = new StateLibrary([SHIPPED, ...paths], posted);
  const work = new LongWork();
  const shipped = filesAt(join(SHIPPED, "states"));
  for (const file of [...shipped, ...paths.flatMap(filesAt)]) {
    library.add(file, shipped.includes(file));
    if (work.isDue) await work.nextTurn();
  }
  return library;
}

/** All provider states: scenario files with `state:`, by that name. */
export class StateLibrary {
  readonly #states = new Map<string, ReadState>();
  readonly #context = scenarioContext();
  readonly #scenarioPaths: readonly string[];
  readonly #posted: PostedScenarios | undefined;
  /** The texts of all scenario files, by file. */
  #texts: ReadonlyMap<string, string> | undefined;
  /** The scenarios of these files that were found so far, by name. */
  readonly #found = new Map<string, Scenario>();

  constructor(scenarioPaths: readonly string[], posted: PostedScenarios | undefined) {
    this.#scenarioPaths = scenarioPaths;
    this.#posted = posted;
  }

  /** Every state, by name. */
  all(): ProviderState[] {
    return [...this.#all().values()]
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
    return this.#all().get(name);
  }

  get names(): string[] {
    return [...this.#all().keys()].sort();
  }

  /** The scenario that leads to a state with these params, or the mistakes in the params. */
  async scenario(
    name: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<
    { readonly scenario: Scenario } | { readonly mistakes: readonly ScenarioMistake[] } | undefined
  > {
    const state = this.#all().get(name);
    if (state === undefined) return undefined;
    const isBuilt = Object.keys(params).length === 0 && builtFile(state.text) !== undefined;
    if (!isBuilt) await compileChecks();
    const { scenarios, mistakes } =
      (state.posted && (await this.#posted?.parse(state.posted, params))) ??
      parseScenario(state.text, state.file, withParams(this.#context, params));
    const [scenario] = scenarios;
    return scenario === undefined ? { mistakes } : { scenario };
  }

  /** The scenario of that name: every scenario is also a state, before each of its steps. */
  async namedScenario(name: string): Promise<Scenario | undefined> {
    const posted = Array.from(this.#posted?.posted() ?? []).find((one) => one.name === name);
    if (posted !== undefined) return (await this.#posted?.parse(posted, {}))?.scenarios[0];
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    this.#texts ??= new Map(
      this.#scenarioPaths.flatMap(filesAt).map((file) => [file, readFileSync(file, "utf8")]),
    );
    // Most files have the name as it is. A matrix adds to it, and may be a part of it.
    const written = name.replace(/ \[.*\]$/, "");
    const found =
      (await this.#scenarioIn(name, (text) => text.includes(written))) ??
      (await this.#scenarioIn(name, () => true));
    if (found !== undefined) this.#found.set(name, found);
    return found;
  }

  /** The scenario of that name in the last of the files that are chosen by their texts. */
  async #scenarioIn(name: string, isChosen: (text: string) => boolean): Promise<Scenario | undefined> {
    const work = new LongWork();
    let found: Scenario | undefined;
    for (const [file, text] of this.#texts ?? []) {
      if (!isChosen(text)) continue;
      const { scenarios } = parseScenario(text, file, this.#context);
      found = scenarios.find((scenario) => scenario.name === name) ?? found;
      if (work.isDue) await work.nextTurn();
    }
    return found;
  }

  /** A posted state replaces a state of the same name. */
  #all(): ReadonlyMap<string, ReadState> {
    const all = new Map(this.#states);
    for (const posted of this.#posted?.posted() ?? []) {
      const { state, text } = posted;
      if (state !== null) all.set(state.name, { ...providerState(state, ""), text, posted });
    }
    return all;
  }

  /** Adds the state of a file, where it leads to one; a file that ships is not checked. Throws `FileMistakes`. */
  add(file: string, isShipped: boolean): void {
    const state = readState(readFileSync(file, "utf8"), file);
    if (state === undefined) return;
    const { name } = state;
    const known = this.#states.get(name);
    // The same file may be named twice, once as part of the package.
    if (known !== undefined && resolve(known.file) === resolve(file)) return;
    if (known !== undefined) {
      const sentence = `The state "${name}" is in ${known.file} already. Choose another name.`;
      throw new FileMistakes(`${file}:1:1: ${sentence}`);
    }
    this.#states.set(name, state);
    if (isShipped) return;
    const { scenarios, mistakes } = parseScenario(state.text, file, this.#context);
    if (mistakes.length > 0) throw new FileMistakes(mistakes.map(formatMistake).join("\n"));
    if (scenarios.length > 1)
      throw new FileMistakes(`${file}:1:1: A state has no matrix. Give it params instead.`);
  }
}

function withParams(context: ScenarioContext, params: Readonly<Record<string, unknown>>): ScenarioContext {
  return Object.keys(params).length === 0 ? context : { ...context, params };
}

/** The state that a file leads to, if it leads to one. */
function readState(text: string, file: string): ReadState | undefined {
  const built = builtFile(text);
  const { value, mistakes } =
    built === undefined ? readSource(text, file) : { value: built.top, mistakes: [] };
  if (value === undefined) throw new FileMistakes(mistakes.map(formatMistake).join("\n"));
  const head = stateHead(value);
  return head && { ...providerState(head, file), text };
}

function providerState({ params, ...head }: StateHead, file: string): ProviderState {
  return { ...head, file, params: params as ProviderState["params"] };
}

/** A path that cannot be followed, such as a link to itself, is a mistake of the caller. */
function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new FileMistakes(`Failed to read ${path}: ${(error as Error).message}. Check the path.`);
  }
}

function filesAt(path: string): string[] {
  const stats = statOf(path);
  if (stats === undefined)
    throw new FileMistakes(
      `Failed to read provider states from ${path}: there is no such file or folder. Check the path.`,
    );
  if (!stats.isDirectory()) return [path];
  return globSync("**/*.{yaml,yml}", { cwd: path })
    .sort()
    .map((file) => join(path, file));
}
