import type { CreateSandbox } from "./world.ts";
import type { ParsedScenarioFile } from "./parse.ts";
import type { ScenarioMistake } from "./source.ts";
import type { ScenarioResult } from "./result.ts";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countResults } from "./result.ts";
import { localWorlds } from "./world.ts";
import { operations } from "./vocabulary.ts";
import { parseScenario } from "./parse.ts";
import { readSource } from "./source.ts";
import { runScenarios } from "./run.ts";
import { scenarioContext } from "./context.ts";

const SHIPPED = fileURLToPath(new URL("../../scenarios/", import.meta.url));

/** Scenarios that a server keeps in addition to those that ship. */
const POSTED_MAX = 1_000;

/** A scenario file by its name, with its text. */
interface StoredScenario {
  readonly name: string;
  readonly description: string | null;
  /** Where it ships; null for one that was posted. */
  readonly file: string | null;
  readonly text: string;
}

interface RunInputs {
  readonly seed?: number;
  /** Values for the params of a state, in place of their defaults. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The result of storing a scenario: it is stored, it is wrong, or the limit is reached. */
export type SaveResult =
  | { readonly scenario: StoredScenario }
  | { readonly mistakes: readonly ScenarioMistake[] }
  | { readonly full: string };

/** The scenarios a server can run when it is asked to: those that ship, and those that were posted. */
export class ScenarioLibrary {
  readonly #createSandbox: CreateSandbox;
  readonly #posted = new Map<string, StoredScenario>();
  #shipped: Map<string, StoredScenario> | undefined;

  constructor(createSandbox: CreateSandbox) {
    this.#createSandbox = createSandbox;
  }

  /** Every scenario, by name; a posted one replaces the shipped one of its name. */
  all(): StoredScenario[] {
    return [...new Map([...this.#shippedByName(), ...this.#posted]).values()];
  }

  /** Finds one by its name, or by the file it ships in, such as `payouts/slow-key`. */
  get(name: string): StoredScenario | undefined {
    const file = `${name.replace(/\.yaml$/, "")}.yaml`;
    return (
      this.#posted.get(name) ?? this.#shippedByName().get(name) ?? this.all().find((one) => one.file === file)
    );
  }

  /** Those that were posted. */
  posted(): Iterable<StoredScenario> {
    return this.#posted.values();
  }

  /** Stores a scenario that was sent as text; it replaces the posted one of its name. */
  add(text: string): SaveResult {
    const { scenarios, mistakes } = parseScenario(text, "", scenarioContext());
    if (mistakes.length > 0) return { mistakes };
    if (this.#posted.size >= POSTED_MAX) return { full: `A server keeps ${POSTED_MAX} posted scenarios.` };
    const scenario = stored(text, null);
    if (scenarios.length > 0) this.#posted.set(scenario.name, scenario);
    return { scenario };
  }

  /**
   * Runs a scenario, each combination of its matrix in a new world. Gives the json report, or what is wrong with
   * the params of a state.
   */
  async run(
    scenario: StoredScenario,
    { seed, params }: RunInputs = {},
  ): Promise<{ readonly report: object } | { readonly mistakes: readonly ScenarioMistake[] }> {
    const { scenarios, mistakes } = this.#parsed(scenario, params);
    if (mistakes.length > 0) return { mistakes };
    const results = await runScenarios(scenarios, {
      openWorld: localWorlds(this.#createSandbox),
      operations,
      ...(seed !== undefined && { seed }),
    });
    // The report names the shipped file, and not where the server keeps it.
    const reported = results.map((result) => ({ ...withoutWallTime(result), file: scenario.file }));
    const worst = reported.find(({ status }) => status === "failed") ?? reported[0];
    return { report: { ...worst, ...countResults(results), scenarios: reported } };
  }

  #parsed({ text, file }: StoredScenario, params?: RunInputs["params"]): ParsedScenarioFile {
    const context = { ...scenarioContext(), ...(params && { params }) };
    return parseScenario(text, file === null ? "" : join(SHIPPED, file), context);
  }

  #shippedByName(): Map<string, StoredScenario> {
    this.#shipped ??= new Map(
      globSync("**/*.yaml", { cwd: SHIPPED })
        .sort()
        .map((file) => stored(readFileSync(join(SHIPPED, file), "utf8"), file.replaceAll("\\", "/")))
        .map((scenario) => [scenario.name, scenario]),
    );
    return this.#shipped;
  }
}

/** Only a scenario without mistakes is stored, so its top-level fields are strings. */
function stored(text: string, file: string | null): StoredScenario {
  const top = readSource(text, file ?? "").value as { name?: string; state?: string; description?: string };
  return { name: top.name ?? top.state ?? "", description: top.description ?? null, file, text };
}

/** A result as in the json report: the same for every run. */
function withoutWallTime({
  durationMs: _durationMs,
  ...result
}: ScenarioResult): Omit<ScenarioResult, "durationMs"> {
  return result;
}
