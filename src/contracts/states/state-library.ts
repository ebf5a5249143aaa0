import { readUserText } from "../../base/user-file.ts";
import { join, resolve } from "node:path";
import type { Scenario } from "../../scenarios/scenario.ts";
import { type ScenarioContext, scenarioContext } from "../../scenarios/context.ts";
import { readSource } from "../../scenarios/source.ts";
import { type FileMistake, formatMistake } from "../../base/yaml-file.ts";
import { LongWork } from "../../base/long-work.ts";
import { type ParsedScenarioFile, parseScenario } from "../../scenarios/parse.ts";
import type { ScenarioLibrary } from "../../scenarios/scenario-library.ts";
import { SHIPPED_SCENARIOS, yamlFilesAt } from "../../scenarios/scenario-files.ts";
import { type ProviderState, type ScenarioText, stateOf } from "../../scenarios/scenario-jobs.ts";
import { FileMistakes } from "../../base/failures.ts";

interface StateFile {
  readonly state: ProviderState;
  readonly text: string;
  /** The scenario that leads to the state, if it was posted. */
  readonly posted?: ScenarioText;
}

/** The posted scenarios of a server. They are parsed elsewhere: one of a megabyte takes seconds. */
type Posted = Pick<ScenarioLibrary, "posted" | "parse" | "refresh">;

/**
 * Reads the shipped provider states, and the states of more files and folders. A file without `state:` is ignored. The
 * shipped states are known to be valid. Throws `FileMistakes`.
 */
export async function stateLibrary(paths: readonly string[] = [], posted?: Posted): Promise<StateLibrary> {
  const library = new StateLibrary([SHIPPED_SCENARIOS, ...paths], posted);
  const work = new LongWork();
  for (const file of [join(SHIPPED_SCENARIOS, "states"), ...paths].flatMap(filesAt)) {
    library.add(file);
    if (work.isDue) await work.nextTurn();
  }
  return library;
}

/** All provider states: scenario files with `state:`, by that name. */
export class StateLibrary {
  readonly #states = new Map<string, StateFile>();
  readonly #files = new Map<string, ParsedScenarioFile>();
  readonly #scenarioPaths: readonly string[];
  readonly #posted: Posted | undefined;
  #readTexts: ReadonlyMap<string, string> | undefined;

  constructor(scenarioPaths: readonly string[], posted: Posted | undefined) {
    this.#scenarioPaths = scenarioPaths;
    this.#posted = posted;
  }

  /** Takes over the scenarios that were posted to other servers: a state may be one of them. */
  async refresh(): Promise<void> {
    await this.#posted?.refresh();
  }

  /** Returns every state, by name. */
  all(): ProviderState[] {
    return Array.from(this.#all().values(), ({ state }) => state).sort((left, right) =>
      left.name < right.name ? -1 : 1,
    );
  }

  get(name: string): ProviderState | undefined {
    return this.#all().get(name)?.state;
  }

  get names(): string[] {
    return [...this.#all().keys()].sort();
  }

  /** Returns the scenario that leads to a state with these params, or the mistakes in the params. */
  async scenario(
    name: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly scenario: Scenario } | { readonly mistakes: readonly FileMistake[] } | undefined> {
    const found = this.#all().get(name);
    if (found === undefined) return undefined;
    const { state, text, posted } = found;
    const { scenarios, mistakes } =
      (posted && (await this.#posted?.parse(posted, params))) ??
      (Object.keys(params).length === 0
        ? this.#parsed(text, state.file)
        : parseScenario(text, state.file, { ...contextOf(state.file), params }));
    const [scenario] = scenarios;
    return scenario === undefined ? { mistakes } : { scenario };
  }

  /**
   * Returns the scenario of that name. If there are two, the last counts. Every scenario is also a state, before each
   * of its steps.
   */
  async namedScenario(name: string): Promise<Scenario | undefined> {
    const posted = Array.from(this.#posted?.posted() ?? []).find((one) => one.name === name);
    if (posted !== undefined) return (await this.#posted?.parse(posted, {}))?.scenarios[0];
    const files = [...this.#texts()].toReversed();
    // Most files have the name as it is. A matrix adds to it, and may be a part of it.
    const added = name.endsWith("]") ? name.indexOf(" [") : -1;
    const written = added === -1 ? name : name.slice(0, added);
    const likely = files.filter(([, text]) => text.includes(written));
    const work = new LongWork();
    for (const [file, text] of new Set([...likely, ...files])) {
      const found = this.#parsed(text, file).scenarios.find((scenario) => scenario.name === name);
      if (found !== undefined) return found;
      if (work.isDue) await work.nextTurn();
    }
    return undefined;
  }

  /** Parses a file once, because a verifier enters the same scenarios again and again. */
  #parsed(text: string, file: string): ParsedScenarioFile {
    const known = this.#files.get(file) ?? parseScenario(text, file, contextOf(file));
    this.#files.set(file, known);
    return known;
  }

  /** Returns the texts of all scenario files, by file. */
  #texts(): ReadonlyMap<string, string> {
    return (this.#readTexts ??= new Map(
      this.#scenarioPaths.flatMap(filesAt).map((file) => [file, readUserText(file)]),
    ));
  }

  /** Returns all states. A posted state replaces a state of the same name. */
  #all(): ReadonlyMap<string, StateFile> {
    const all = new Map(this.#states);
    for (const posted of this.#posted?.posted() ?? []) {
      const { state, text } = posted;
      if (state) all.set(state.name, { state, text, posted });
    }
    return all;
  }

  /** Adds the state of a file, if it leads to one. A shipped file is not checked. Throws `FileMistakes`. */
  add(file: string): void {
    const text = readUserText(file);
    const { value, mistakes } = readSource(text, file);
    if (value === undefined) throw mistakesOf(mistakes);
    const state = stateOf(value, file);
    if (state === undefined) return;
    const known = this.#states.get(state.name)?.state;
    // The same file may be named twice, once as part of the package.
    if (known !== undefined && resolve(known.file) === resolve(file)) return;
    if (known !== undefined) {
      const sentence = `The state "${state.name}" is in ${known.file} already. Choose another name.`;
      throw new FileMistakes(`${file}:1:1: ${sentence}`);
    }
    this.#states.set(state.name, { state, text });
    if (isShipped(file)) return;
    const checked = parseScenario(text, file, scenarioContext());
    if (checked.mistakes.length > 0) throw mistakesOf(checked.mistakes);
    if (checked.scenarios.length > 1)
      throw new FileMistakes(`${file}:1:1: A state has no matrix. Give it params instead.`);
  }
}

function isShipped(file: string): boolean {
  return file.startsWith(SHIPPED_SCENARIOS);
}

function contextOf(file: string): ScenarioContext {
  return isShipped(file) ? { ...scenarioContext(), isShipped: true } : scenarioContext();
}

function mistakesOf(mistakes: readonly FileMistake[]): FileMistakes {
  return new FileMistakes(mistakes.map(formatMistake).join("\n"));
}

function filesAt(path: string): string[] {
  const files = yamlFilesAt(path);
  if (files !== undefined) return files;
  throw new FileMistakes(
    `Failed to read provider states from ${path}: there is no such file or folder. Check the path.`,
  );
}
