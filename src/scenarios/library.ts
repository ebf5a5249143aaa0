import type { ParsedScenarioFile } from "./parse.ts";
import type { ScenarioResult } from "./result.ts";
import type { ScenarioMistake } from "./source.ts";
import { operations } from "../api/operations.ts";
import { scenarioContext } from "./context.ts";
import { parseScenario } from "./parse.ts";
import { countResults } from "./result.ts";
import { runScenarios } from "./run.ts";
import { readSource } from "./source.ts";
import { openWorldsHere } from "./world.ts";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SHIPPED = fileURLToPath(new URL("../../scenarios/", import.meta.url));

/** Scenarios that a server takes besides those that ship. */
const POSTED_MAX = 1_000;

/** A scenario file by its name, with its text. */
interface ShelvedScenario {
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

/** What came of putting a scenario on the shelf. */
export type Shelved =
  | { readonly scenario: ShelvedScenario }
  | { readonly mistakes: readonly ScenarioMistake[] }
  | { readonly full: string };

/** The scenarios a server can run when it is asked to: those that ship, and those that were posted. */
export class ScenarioLibrary {
  readonly #posted = new Map<string, ShelvedScenario>();
  #shipped: Map<string, ShelvedScenario> | undefined;

  /** Every scenario, by name; one that was posted stands in for the one of its name that ships. */
  all(): ShelvedScenario[] {
    return [...new Map([...this.#shelf(), ...this.#posted]).values()];
  }

  /** Finds one by its name, or by the file it ships in, such as `payouts/slow-key`. */
  get(name: string): ShelvedScenario | undefined {
    const file = `${name.replace(/\.yaml$/, "")}.yaml`;
    return this.#posted.get(name) ?? this.#shelf().get(name) ?? this.all().find((one) => one.file === file);
  }

  /** Those that were posted, as they stand now. */
  posted(): Iterable<ShelvedScenario> {
    return this.#posted.values();
  }

  /** Keeps a scenario that was sent as text, in place of one of its name. */
  add(text: string): Shelved {
    const { scenarios, mistakes } = parseScenario(text, "", scenarioContext());
    if (mistakes.length > 0) return { mistakes };
    if (this.#posted.size >= POSTED_MAX) return { full: `A server keeps ${POSTED_MAX} posted scenarios.` };
    const scenario = shelved(text, null);
    if (scenarios.length > 0) this.#posted.set(scenario.name, scenario);
    return { scenario };
  }

  /**
   * Runs a scenario, each combination of its matrix in a world of its own: what the json report tells, or what
   * is wrong with the params of a state.
   */
  async run(
    scenario: ShelvedScenario,
    { seed, params }: RunInputs = {},
  ): Promise<{ readonly report: object } | { readonly mistakes: readonly ScenarioMistake[] }> {
    const { scenarios, mistakes } = this.#parsed(scenario, params);
    if (mistakes.length > 0) return { mistakes };
    const results = await runScenarios(scenarios, {
      openWorld: openWorldsHere(),
      operations,
      ...(seed !== undefined && { seed }),
    });
    // Where the server keeps its files is nobody's concern: a scenario goes by where it ships.
    const told = results.map((result) => ({ ...withoutWallTime(result), file: scenario.file }));
    const worst = told.find(({ status }) => status === "failed") ?? told[0];
    return { report: { ...worst, ...countResults(results), scenarios: told } };
  }

  #parsed({ text, file }: ShelvedScenario, params?: RunInputs["params"]): ParsedScenarioFile {
    const context = { ...scenarioContext(), ...(params && { params }) };
    return parseScenario(text, file === null ? "" : join(SHIPPED, file), context);
  }

  #shelf(): Map<string, ShelvedScenario> {
    this.#shipped ??= new Map(
      globSync("**/*.yaml", { cwd: SHIPPED })
        .sort()
        .map((file) => shelved(readFileSync(join(SHIPPED, file), "utf8"), file.replaceAll("\\", "/")))
        .map((scenario) => [scenario.name, scenario]),
    );
    return this.#shipped;
  }
}

/** Only what has no mistake is kept, so the words at the top are texts. */
function shelved(text: string, file: string | null): ShelvedScenario {
  const top = readSource(text, file ?? "").value as { name?: string; state?: string; description?: string };
  return { name: top.name ?? top.state ?? "", description: top.description ?? null, file, text };
}

/** A result as the json report tells it: the same for the same run. */
function withoutWallTime({
  durationMs: _durationMs,
  ...result
}: ScenarioResult): Omit<ScenarioResult, "durationMs"> {
  return result;
}
