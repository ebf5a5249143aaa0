import type { DeviationKind } from "./explore/deviations.ts";
import type { ExploreResult } from "./explore/exploration.ts";
import type { Handler } from "./explore/receiver.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { createSandbox } from "./sandbox.ts";
import { deviationKinds, isDeviationKind, nameOf } from "./explore/deviations.ts";
import { exploreScenario } from "./explore/explore.ts";
import { formatMistake } from "./scenarios/source.ts";
import { operations } from "./api/operations.ts";
import { OptionMistake } from "./settings.ts";
import { parseScenario } from "./scenarios/parse.ts";
import { prettyReport } from "./explore/report.ts";
import { readFileSync } from "node:fs";
import { readIgnoredPath } from "./oracle/ignored-paths.ts";
import { scenarioContext } from "./scenarios/context.ts";
import { SEED_MAX } from "./engine/random.ts";
import { stringify } from "yaml";

/** The options of `explore`. */
export interface ExploreOptions {
  /** A scenario file, or what such a file contains. */
  readonly scenario: string | object;
  /** Where the webhooks go: a URL, or a handler in this process such as `app.fetch`. */
  readonly receiver: string | Handler;
  /** Shows the state at the end as JSON: a function, or a URL; default: `probe.url` of the scenario. */
  readonly probe?: string | (() => unknown);
  /** JSON paths (RFC 9535) of what is not compared. */
  readonly ignore?: readonly string[];
  /** Empties the partner's system before each run. */
  readonly reset?: () => unknown;
  /** How many things go differently at most in one run; default: 2. */
  readonly depth?: number;
  /** How many schedules are tried at most; default: 500. */
  readonly budget?: number;
  /** For how many milliseconds; default: 300,000. */
  readonly timeMs?: number;
  /** Only these kinds of deviation. */
  readonly only?: readonly DeviationKind[];
  /** All but these kinds. */
  readonly without?: readonly DeviationKind[];
  /** Wall time for work after the answers; default: 200 over a URL, none in this process. */
  readonly settleMs?: number;
  /** Where the order of schedules and the seeds of their worlds come from; default: 1. */
  readonly seed?: number;
  /** Signs the webhooks in place of the secret of the fixtures. */
  readonly webhookSecret?: string;
}

/** The result of an exploration: its JSON report, and the same for a person. */
export type ExplorationResult = ExploreResult & {
  /** The report for a person. It is no part of the JSON. */
  readonly report: string;
};

/**
 * Tries every way in which the webhooks of a scenario could have come, and compares the states of the receiver's
 * system at the end. The same options give the same result. Rejects with an `OptionMistake` for a wrong option or file;
 * what cannot be explored has the verdict `not-tried` and a `reason`. A scenario with a matrix is explored once for each
 * combination; the result is the first that does not converge, or the last.
 *
 * ```ts
 * const result = await explore({
 *   scenario: "scenarios/gym.yaml",
 *   receiver: app.fetch,
 *   probe: () => db.members(),
 *   reset: () => db.clear(),
 * });
 * assert.equal(result.verdict, "converges", result.report);
 * ```
 */
export async function explore(options: ExploreOptions): Promise<ExplorationResult> {
  const mistakes = mistakesOf(options);
  if (mistakes.length > 0) throw new OptionMistake(mistakes.join("\n"));
  const { scenario: given, reset, seed = 1, ...rest } = options;
  let last: ExploreResult | undefined;
  for (const scenario of scenariosOf(given)) {
    const { result } = await exploreScenario({
      ...rest,
      scenario,
      seed,
      createSandbox,
      operations,
      ...(reset && { reset: async () => reset() }),
      replayOf: (schedule) =>
        `explore({ …, only: [${schedule.map(({ kind }) => JSON.stringify(kind)).join(", ")}], depth: ${schedule.length}, seed: ${seed} }) tries ${nameOf(schedule)}`,
    });
    last = result;
    if (result.verdict !== "converges") break;
  }
  if (last === undefined) throw new OptionMistake("scenario has no combination to explore.");
  // Not enumerable, so that it is no part of the JSON.
  return Object.defineProperty({ ...last }, "report", { value: prettyReport(last) }) as ExplorationResult;
}

function scenariosOf(given: string | object): readonly Scenario[] {
  if (typeof given !== "string" && "combination" in given) return [given as Scenario];
  const file = typeof given === "string" ? given : "scenario";
  const { scenarios, mistakes } = parseScenario(textOf(given), file, scenarioContext());
  if (mistakes.length > 0) throw new OptionMistake(mistakes.map(formatMistake).join("\n"));
  return scenarios;
}

function textOf(given: string | object): string {
  if (typeof given !== "string") return stringify(given);
  try {
    return readFileSync(given, "utf8");
  } catch (error) {
    throw new OptionMistake(`Failed to read ${given}: ${(error as Error).message}. Name a scenario file.`);
  }
}

const COUNTS = {
  depth: [1, 5],
  budget: [1, 1_000_000],
  timeMs: [1, 86_400_000],
  settleMs: [0, 600_000],
} as const;

/** What is wrong with the options, a sentence each. */
function mistakesOf(options: ExploreOptions): string[] {
  const mistakes: string[] = [];
  const { receiver, probe, ignore = [], only = [], without = [], seed = 1 } = options;
  if (typeof receiver !== "function" && !(typeof receiver === "string" && URL.canParse(receiver)))
    mistakes.push("receiver must be a URL or a function that takes a Request.");
  if (probe !== undefined && typeof probe !== "function" && typeof probe !== "string")
    mistakes.push("probe must be a URL or a function that returns the state.");
  for (const [name, [min, max]] of Object.entries(COUNTS)) {
    const value = options[name as keyof typeof COUNTS];
    if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max))
      mistakes.push(`${name} must be a whole number from ${min} to ${max}; found ${value}.`);
  }
  if (!(Number.isInteger(seed) && seed >= 0 && seed <= SEED_MAX))
    mistakes.push(`seed must be a whole number from 0 to ${SEED_MAX}; found ${seed}.`);
  for (const kind of [...only, ...without])
    if (!isDeviationKind(kind))
      mistakes.push(`There is no deviation ${String(kind)}. There are ${deviationKinds.join(", ")}.`);
  for (const path of ignore) {
    const read = readIgnoredPath(path);
    if ("mistake" in read) mistakes.push(read.mistake);
  }
  return mistakes;
}
