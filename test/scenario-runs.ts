import type { CoverageReport, ScenarioResult } from "../src/scenarios/result.ts";
import type { JournalEntry } from "../src/simulator/engine/journal.ts";
import type { Scenario } from "../src/scenarios/scenario.ts";
import type { FileMistake } from "../src/scenarios/source.ts";
import { openSandbox } from "../src/library/sandbox.ts";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { type OpenWorld, type ScenarioWorld, localWorlds } from "../src/scenarios/world.ts";
import { operations } from "../src/simulator/api/operations.ts";
import { parseScenario } from "../src/scenarios/parse.ts";
import { runScenario } from "../src/scenarios/run.ts";
import { scenarioContext } from "../src/scenarios/context.ts";
import { type LedgerEntry, TimelineText } from "./timelines/timeline-text.ts";

const context = scenarioContext();

/** Every scenario file that ships, parsed. */
export function shippedScenarios(): {
  readonly file: string;
  readonly scenarios: readonly Scenario[];
  readonly mistakes: readonly FileMistake[];
}[] {
  return globSync("scenarios/**/*.yaml")
    .sort()
    .map((file) => ({ file, ...parseScenario(readFileSync(file, "utf8"), file, context) }));
}

/** A provider state has no start of its own; all of them start at the same time here. */
const START = "2026-11-20T09:00:00-03:00";

interface Watching {
  /** Gets every entry of the world's journal. */
  readonly onEntry?: (entry: JournalEntry) => void;
  /** Gets every answer with what was asked. */
  readonly onAnswer?: (method: string, path: string, answer: Response) => void;
  /** How long the world goes on after the scenario has ended. */
  readonly goesOnFor?: string;
  /** Whether the result has the digest of the journal; default: true. */
  readonly isDigested?: boolean;
}

/** Runs a scenario in a world of its own in this process; the result carries its normalised timeline. */
export async function run(
  scenario: Scenario,
  onCoverage?: (coverage: CoverageReport) => void,
  watching: Watching = {},
): Promise<ScenarioResult & { readonly timeline: string }> {
  const timeline = new TimelineText(operations);
  const result = await runScenario(scenario, {
    openWorld: openWorldsNotedIn(timeline, watching),
    ...(onCoverage && { onCoverage }),
  });
  return { ...result, timeline: timeline.text() };
}

/** Opens worlds whose journal entries, requests and movements of money are noted in a timeline. */
function openWorldsNotedIn(
  timeline: TimelineText,
  { onEntry, onAnswer, goesOnFor, isDigested = true }: Watching,
): OpenWorld {
  const audit = (_simulation: unknown, entry: JournalEntry): void => {
    timeline.entered(entry);
    onEntry?.(entry);
  };
  const openWorld = localWorlds(openSandbox, { audit, isDigested });
  return async (options) => {
    const world = await openWorld({ start: START, ...options });
    const initialEntries = await ledgerEntries(world);
    return {
      ...world,
      fetch: async (path, init) => {
        const method = init?.method ?? "GET";
        const answered = timeline.asked(method, path, parsed(init?.body));
        const response = await world.fetch(path, init);
        answered(response.status);
        onAnswer?.(method, path, response);
        return response;
      },
      [Symbol.asyncDispose]: async () => {
        if (goesOnFor !== undefined) await advanceBy(world, goesOnFor);
        timeline.booked((await ledgerEntries(world)).slice(initialEntries.length));
        await world[Symbol.asyncDispose]();
      },
    };
  };
}

async function advanceBy({ fetch }: ScenarioWorld, by: string): Promise<void> {
  const response = await fetch("/sandbox/clock/advance", { method: "POST", body: JSON.stringify({ by }) });
  if (!response.ok) throw new Error(`Failed to advance by ${by}: ${await response.text()}`);
}

async function ledgerEntries({ fetch }: ScenarioWorld): Promise<readonly LedgerEntry[]> {
  const response = await fetch("/sandbox/ledger?last=999999999");
  return ((await response.json()) as { readonly entries: readonly LedgerEntry[] }).entries;
}

/** The body of a request, where it is JSON. */
function parsed(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

const TIMELINES = "test/timelines";
const TITLE = "== ";

/** The title of a scenario's timeline: its file and, if it has a matrix, the values of the row. */
export function timelineTitle({ file, combination }: Scenario): string {
  const values = Object.entries(combination).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return values.length === 0 ? file : `${file} ${values.join(" ")}`;
}

/** The stored timelines by title. */
export function readTimelines(): ReadonlyMap<string, string> {
  const sections = globSync(`${TIMELINES}/*.txt`)
    .sort()
    .flatMap((file) => readFileSync(file, "utf8").split(`\n${TITLE}`).slice(1));
  return new Map(
    sections.map((section) => {
      const end = section.indexOf("\n");
      return [section.slice(0, end), section.slice(end + 1)];
    }),
  );
}

/** Stores timelines in place of those that are there: one file for each folder of scenarios. */
export function writeTimelines(timelines: ReadonlyMap<Scenario, string>): void {
  const folders = Map.groupBy(timelines, ([{ file }]) => relative("scenarios", dirname(file)));
  for (const file of globSync(`${TIMELINES}/*.txt`)) rmSync(file);
  mkdirSync(TIMELINES, { recursive: true });
  for (const [folder, scenarios] of folders) {
    const sections = scenarios.map(([scenario, text]) => `\n${TITLE}${timelineTitle(scenario)}\n${text}`);
    const heading = `What happens in scenarios/${folder}. Written by \`npm run timelines\`.\n`;
    writeFileSync(`${TIMELINES}/${folder.replaceAll("/", "-")}.txt`, heading + sections.join(""));
  }
}

/**
 * Shipped scenarios in which each operation, act, plan, effect of a fault, transition, event and outcome of an attempt
 * appears that any has, those with most of them first: for a rule about kinds of things, such as that everything is
 * stored. That each scenario passes is tested in `scenarios.test.ts`.
 */
export function coveringScenarios(): readonly Scenario[] {
  const timelines = readTimelines();
  const all = shippedScenarios().flatMap(({ scenarios }) => scenarios);
  const open = new Map(all.map((one) => [one, kindsIn(timelines.get(timelineTitle(one)) ?? "")]));
  const chosen: Scenario[] = [];
  for (;;) {
    const [next] = [...open].toSorted(([, one], [, other]) => other.size - one.size);
    if (next === undefined || next[1].size === 0) return chosen;
    const [scenario, covered] = next;
    chosen.push(scenario);
    for (const [other, kinds] of open)
      open.set(other, new Set([...kinds].filter((kind) => !covered.has(kind))));
  }
}

/** What happens in a timeline, without instants, numbers of objects, statuses of answers, and causes. */
function kindsIn(timeline: string): ReadonlySet<string> {
  const lines = timeline.split("\n").filter((line) => line !== "");
  return new Set(
    lines.map((line) =>
      line
        .replace(/^ +\S+ \S+ +/, "")
        .replace(/^((?:call|act|fault|plan) [^\s:]+|advance).*/, "$1")
        .replace(/^([a-z ]+) \d+(?:\.\d+)*:/, "$1:")
        .replace(/attempt \d+/, "attempt")
        .replaceAll(/ about .*| \(timer .*/g, ""),
    ),
  );
}
