import type { ExplorationResult, ExploreOptions, ExploreResult } from "./exploration.ts";
import type { OpenSandbox } from "../../server/access/open-sandbox.ts";
import type { BooksSettings, Scenario } from "../../scenarios/scenario.ts";
import { type DeviationKind, deviationKinds, groups, kindsNamed, nameOf } from "./deviations.ts";
import { exploreScenario } from "./explore.ts";
import { ofPlatform } from "./platform-state.ts";
import { shown } from "../../scenarios/source.ts";
import { formatMistake } from "../../base/yaml-file.ts";
import { OptionMistake } from "../../server/settings/settings.ts";
import { parseScenario } from "../../scenarios/parse.ts";
import { exploreReports } from "./report.ts";
import { readFileSync } from "node:fs";
import { readIgnoredPath } from "../../partner/states/ignored-paths.ts";
import { scenarioContext } from "../../scenarios/context.ts";
import { LIMITS } from "./search-limits.ts";
import { stringify } from "yaml";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import { systemWall, type Wall } from "../../base/wall.ts";

/** Carries out `explore` of the library. */
export async function runExploration(
  options: ExploreOptions,
  openSandbox: OpenSandbox,
  wall: Wall = systemWall,
): Promise<ExplorationResult> {
  const mistakes = mistakesOf(options);
  if (mistakes.length > 0) throw new OptionMistake(mistakes.join("\n"));
  const { scenario: given, reset, seed = LIMITS.seed.preset, only, without, with: added, ...rest } = options;
  let last: ExploreResult | undefined;
  for (const scenario of scenariosOf(given, rest.probe !== undefined)) {
    const { result } = await exploreScenario({
      ...rest,
      wall,
      openSandbox,
      ...(only && { only: only.flatMap(kindsOf) }),
      ...(without && { without: without.flatMap(kindsOf) }),
      ...(added && { with: added.flatMap(kindsOf) }),
      scenario,
      seed,
      ...(reset && { reset: async () => reset() }),
      replayOf: (schedule) =>
        `explore({ …, only: [${schedule.map(({ kind }) => JSON.stringify(kind)).join(", ")}], depth: ${schedule.length}, seed: ${seed} }) tries ${nameOf(schedule)}`,
    });
    last = result;
    if (result.verdict !== "converges") break;
  }
  if (last === undefined) throw new OptionMistake("scenario has no combination to explore.");
  // Not enumerable, so that JSON leaves it out.
  return Object.defineProperty({ ...last }, "report", {
    value: exploreReports.pretty([last]),
  }) as ExplorationResult;
}

function kindsOf(name: string): readonly DeviationKind[] {
  return kindsNamed(name) ?? [];
}

function scenariosOf(given: string | object, isProbed: boolean): readonly Scenario[] {
  if (typeof given !== "string" && "combination" in given) return [given as Scenario];
  const file = typeof given === "string" && !isText(given) ? given : "scenario";
  const { scenarios, mistakes } = parseScenario(textOf(given), file, { ...scenarioContext(), isProbed });
  if (mistakes.length > 0) throw new OptionMistake(mistakes.map(formatMistake).join("\n"));
  return scenarios;
}

function isText(given: string): boolean {
  return given.includes("\n");
}

function textOf(given: string | object): string {
  if (typeof given !== "string") return stringify(given);
  if (isText(given)) return given;
  try {
    return readFileSync(given, "utf8");
  } catch (error) {
    throw new OptionMistake(`Failed to read ${given}: ${(error as Error).message}. Name a scenario file.`);
  }
}

/** The names of the options that are not numbers. */
const OTHERS: Readonly<Record<Exclude<keyof ExploreOptions, keyof typeof LIMITS>, true>> = {
  scenario: true,
  receiver: true,
  probe: true,
  ignore: true,
  books: true,
  reset: true,
  only: true,
  without: true,
  with: true,
  client: true,
  partner: true,
  beyondRetries: true,
  webhookSecret: true,
};

const NAMES = [...Object.keys(OTHERS), ...Object.keys(LIMITS)];

/** Returns the mistakes in the options, a sentence each. */
function mistakesOf(options: ExploreOptions): string[] {
  const mistakes = Object.keys(options)
    .filter((name) => !NAMES.includes(name))
    .map((name) => `There is no option "${name}". ${suggestion(name, NAMES, { all: "docs/explore.md" })}`);
  const { receiver, probe, ignore = [], only = [], without = [], with: added = [] } = options;
  const { books, client, partner } = options;
  if (
    receiver !== undefined &&
    typeof receiver !== "function" &&
    !(typeof receiver === "string" && URL.canParse(receiver))
  )
    mistakes.push("receiver must be a URL or a function that takes a Request.");
  if (probe !== undefined && typeof probe !== "function" && typeof probe !== "string")
    mistakes.push("probe must be a URL or a function that returns the state.");
  if (client !== undefined && typeof client !== "function")
    mistakes.push("client must be a function that takes a Request and an object with `fetch`.");
  if (partner !== undefined && [partner.start, partner.kill].some((one) => typeof one !== "function"))
    mistakes.push("partner must have the functions `start` and `kill`.");
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const value: unknown = options[name];
    if (value === undefined) continue;
    const [min, max] = LIMITS[name].range;
    if (!(typeof value === "number" && Number.isInteger(value) && value >= min && value <= max))
      mistakes.push(`${name} must be a whole number from ${min} to ${max}; found ${shown(value)}.`);
  }
  for (const kind of [...only, ...without, ...added])
    if (kindsNamed(kind) === undefined)
      mistakes.push(
        `There is no deviation "${kind}". ${suggestion(kind, [...groups, ...deviationKinds], { all: "sandbank explore --help" })}`,
      );
  if (books !== undefined) mistakes.push(...booksMistakes(books));
  for (const path of ignore) {
    const read = readIgnoredPath(ofPlatform(path) ?? path);
    if ("mistake" in read) mistakes.push(read.mistake);
  }
  return mistakes;
}

/** Returns the mistakes in `books`, checked as in a file. A step of the scenario may save the account. */
function booksMistakes(settings: BooksSettings): string[] {
  const { account: _, ...books } = settings;
  const scenario = {
    name: "books",
    probe: { url: "http://127.0.0.1/", books },
    steps: [{ advance: "PT0S" }],
  };
  const { mistakes } = parseScenario(stringify(scenario), "books", scenarioContext());
  return mistakes.map(({ message }) => `books: ${message}`);
}
