import type { ScenarioJobs, ScenarioText } from "./scenario-jobs.ts";
import type { ParsedScenarioFile } from "./parse.ts";
import type { Shapes } from "../simulator/api/generated/shapes.ts";

/** The maximum number of posted scenarios, and of all their characters. */
const POSTED_MAX = 1_000;
const POSTED_CHARACTERS_MAX = 16_000_000;

/** The shared store of several servers for all posted scenarios. */
interface SharedScenarios {
  readonly load: () => Promise<ReadonlyMap<string, string>>;
  readonly keep: (name: string, text: string) => Promise<void>;
}

/** The scenarios that a server can run on request: the shipped ones and the posted ones. */
export class ScenarioLibrary {
  readonly #posted = new Map<string, ScenarioText>();
  readonly #jobs: ScenarioJobs;
  readonly #shared: SharedScenarios | undefined;
  #shipped: Promise<Map<string, ScenarioText>> | undefined;

  /** `jobs` does the work with the files. With `shared`, several servers share their posted scenarios. */
  constructor(jobs: ScenarioJobs, shared?: SharedScenarios) {
    this.#jobs = jobs;
    this.#shared = shared;
  }

  /** Takes over the scenarios that were posted to other servers. */
  async refresh(): Promise<void> {
    const stored = await this.#shared?.load();
    for (const [name, text] of stored ?? []) {
      if (this.#posted.get(name)?.text === text) continue;
      const read = await this.#jobs.read(text);
      if ("scenario" in read) this.#posted.set(name, read.scenario);
    }
  }

  async all(): Promise<ScenarioText[]> {
    await this.refresh();
    return [...new Map([...(await this.#shippedByName()), ...this.#posted]).values()];
  }

  /** Finds one by its name, or by the file it ships in, such as `payouts/slow-key`. */
  async get(name: string): Promise<ScenarioText | undefined> {
    await this.refresh();
    const posted = this.#posted.get(name);
    if (posted !== undefined) return posted;
    const shipped = await this.#shippedByName();
    const file = `${name.replace(/\.yaml$/, "")}.yaml`;
    return shipped.get(name) ?? [...shipped.values()].find((one) => one.file === file);
  }

  posted(): Iterable<ScenarioText> {
    return this.#posted.values();
  }

  /** Parses a posted scenario, with values for its params. */
  async parse(
    { text }: Pick<ScenarioText, "text">,
    params: Shapes["ScenarioRunRequest"]["params"],
  ): Promise<ParsedScenarioFile> {
    return this.#jobs.parse(text, params);
  }

  /** Stores a scenario that was sent as text. It replaces a posted scenario of the same name. */
  async add(text: string): Promise<Awaited<ReturnType<ScenarioJobs["read"]>> | { readonly full: string }> {
    await this.refresh();
    const read = await this.#jobs.read(text);
    if (!("scenario" in read)) return read;
    const { name } = read.scenario;
    const replaced = this.#posted.get(name);
    let characters = text.length - (replaced?.text.length ?? 0);
    for (const one of this.#posted.values()) characters += one.text.length;
    if ((replaced === undefined && this.#posted.size >= POSTED_MAX) || characters > POSTED_CHARACTERS_MAX)
      return {
        full: `A server keeps ${POSTED_MAX} posted scenarios of ${POSTED_CHARACTERS_MAX} characters in total.`,
      };
    await this.#shared?.keep(name, read.scenario.text);
    this.#posted.set(name, read.scenario);
    return read;
  }

  run(scenario: ScenarioText, inputs: Shapes["ScenarioRunRequest"] = {}): ReturnType<ScenarioJobs["run"]> {
    return this.#jobs.run(scenario, inputs);
  }

  async #shippedByName(): Promise<Map<string, ScenarioText>> {
    this.#shipped ??= this.#jobs
      .list()
      .then((list) => new Map(list.map((scenario) => [scenario.name, scenario])));
    return this.#shipped;
  }
}
