import type { ExplorationResult, ExploreOptions, ExploreResult } from "./exploration.ts";
import type { OpenSandbox } from "../../access/open-sandbox.ts";
import type { BooksSettings, Scenario } from "../scenarios/scenario.ts";
import { type DeviationKind, deviationKinds, groups, kindsNamed, nameOf } from "./deviations.ts";
import { exploreScenario } from "./explore.ts";
import { ofPlatform } from "./platform-state.ts";
import { formatMistake, shown } from "../scenarios/source.ts";
import { OptionMistake } from "../../settings/settings.ts";
import { parseScenario } from "../scenarios/parse.ts";
import { exploreReports } from "./report.ts";
import { readFileSync } from "node:fs";
import { readIgnoredPath } from "../oracle/ignored-paths.ts";
import { scenarioContext } from "../scenarios/context.ts";
import { SEED_MAX } from "../../engine/random.ts";
import { stringify } from "yaml";
import { suggestion } from "../../engine/suggestion.ts";
import { systemWall } from "../wall.ts";

/** Carries out `explore` of the library. */
export async function runExploration(
  options: ExploreOptions,
  openSandbox: OpenSandbox,
): Promise<ExplorationResult> {
  const mistakes = mistakesOf(options);
  if (mistakes.length > 0) throw new OptionMistake(mistakes.join("\n"));
  const { scenario: given, reset, seed = 1, only, without, with: added, ...rest } = options;
  let last: ExploreResult | undefined;
  for (const scenario of scenariosOf(given)) {
    const { result } = await exploreScenario({
      ...rest,
      wall: systemWall,
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
  // Not enumerable, so that it is no part of the JSON.
  return Object.defineProperty({ ...last }, "report", {
    value: exploreReports.pretty([last]),
  }) as ExplorationResult;
}

function kindsOf(name: string): readonly DeviationKind[] {
  return kindsNamed(name) ?? [];
}

function scenariosOf(given: string | object): readonly Scenario[] {
  if (typeof given !== "string" && "combination" in given) return [given as Scenario];
  const file = typeof given === "string" && !isText(given) ? given : "scenario";
  const { scenarios, mistakes } = parseScenario(textOf(given), file, scenarioContext());
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

/** Every option; one that is a whole number with its least and its largest value. */
const OPTIONS: Readonly<Record<keyof ExploreOptions, readonly [min: number, max: number] | null>> = {
  scenario: null,
  receiver: null,
  probe: null,
  ignore: null,
  books: null,
  reset: null,
  depth: [1, 5],
  budget: [1, 1_000_000],
  timeMs: [1, 86_400_000],
  only: null,
  without: null,
  with: null,
  client: null,
  partner: null,
  repeat: [1, 1_000],
  slowMs: [1, 600_000],
  killDelayMs: [0, 600_000],
  beyondRetries: null,
  settleMs: [0, 600_000],
  seed: [0, SEED_MAX],
  webhookSecret: null,
};

/** What is wrong with the options, a sentence each. */
function mistakesOf(options: ExploreOptions): string[] {
  const mistakes = Object.keys(options)
    .filter((name) => !Object.hasOwn(OPTIONS, name))
    .map((name) => `There is no option "${name}". ${suggestion(name, Object.keys(OPTIONS))}`);
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
  for (const [name, range] of Object.entries(OPTIONS)) {
    const value = options[name as keyof ExploreOptions];
    if (range === null || value === undefined) continue;
    const [min, max] = range;
    if (!(typeof value === "number" && Number.isInteger(value) && value >= min && value <= max))
      mistakes.push(`${name} must be a whole number from ${min} to ${max}; found ${shown(value)}.`);
  }
  for (const kind of [...only, ...without, ...added])
    if (kindsNamed(kind) === undefined)
      mistakes.push(`There is no deviation ${kind}. There are ${[...groups, ...deviationKinds].join(", ")}.`);
  if (books !== undefined) mistakes.push(...booksMistakes(books));
  for (const path of ignore) {
    const read = readIgnoredPath(ofPlatform(path) ?? path);
    if ("mistake" in read) mistakes.push(read.mistake);
  }
  return mistakes;
}

/** What is wrong with `books`, as it would be in a file. A step of the scenario may save the account. */
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
