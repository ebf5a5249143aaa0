import { describe, expect, test } from "vitest";
import type { Exploration, ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { life } from "../../partners/scenarios.ts";
import { Machine } from "../../partners/machine.ts";
import { nameOf } from "../../../src/checks/explore/deviations.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";

interface System {
  /** The work for one event, in milliseconds. */
  readonly workMs: number;
  /** The time until it has read a webhook. */
  readonly readMs?: number;
  /** The number of answers after which the work takes `laterMs`. */
  readonly until?: number;
  readonly laterMs?: number;
  /** True if an event is marked as handled before its work, so that a kill in between loses the work. */
  readonly marksFirst: boolean;
  /** The time that another program takes for each kill, again and again. By default a kill takes none. */
  readonly killsMs?: readonly number[];
}

/** The time that explore expects of a slow kill. */
const KILL_MS = 300;

/** A process with a database, on a machine that is slower by the factor. */
async function explored(
  { workMs, readMs = 0, until = Infinity, laterMs = workMs, marksFirst, killsMs }: System,
  { factor = 1, ...options }: Partial<Exploration> & { factor?: number } = {},
): Promise<ExploreResult> {
  using machine = new Machine(factor, 7);
  let handled = new Set<string>();
  let works = 0;
  let answers = 0;
  let process = { isDead: false };
  let kills = 0;
  let killing: Promise<void> | undefined;
  const beginKill = (): void => {
    const ms = killsMs?.[kills++ % killsMs.length];
    killing ??= (ms === undefined ? Promise.resolve() : machine.sleep(ms)).then(
      () => void (process.isDead = true),
    );
  };
  const receiver = async (request: Request): Promise<Response> => {
    const own = process;
    const event = await request.text();
    await machine.work(readMs);
    if (own.isDead) return new Response("", { status: 500 });
    if (handled.has(event)) return new Response();
    if (marksFirst) handled.add(event);
    await machine.work(answers < until ? workMs : laterMs);
    if (own.isDead) return new Response("", { status: 500 });
    answers += 1;
    handled.add(event);
    works += 1;
    return new Response();
  };
  const { scenarios, mistakes } = parseScenario(stringify(life), "n.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const { result } = await exploreScenario({
    scenario: assertDefined(scenarios[0], "a scenario"),
    wall: machine.wall,
    openSandbox,
    receiver,
    probe: () => ({ works }),
    reset: async () => {
      handled = new Set();
      works = 0;
    },
    partner: {
      start: async () => void (process = { isDead: false }),
      kill: async () => {
        beginKill();
        await killing;
        killing = undefined;
      },
      ...(killsMs && { killMs: () => KILL_MS, beginKill }),
    },
    only: ["killed-before-answer"],
    settleMs: 20,
    depth: 1,
    repeat: 3,
    // The machine moves to a near limit while a module is loaded.
    timeMs: 30 * 86_400_000,
    ...options,
  });
  return result;
}

describe("a kill before the answer comes while the system works", () => {
  test.each([
    [8, 1],
    [4, 100],
    [300, 1],
    [300, 10],
  ])("so a mark before the work is found: %d ms of work, a machine slower by %d", async (workMs, factor) => {
    const { verdict, divergences } = await explored({ workMs, marksFirst: true }, { factor });
    expect([verdict, nameOf(divergences[0]?.deviations ?? [])]).toEqual([
      "diverges",
      "killed-before-answer-1",
    ]);
  });

  test.each([
    [0, 1],
    [0.5, 1],
    [0.5, 100],
    [8, 1],
    [300, 10],
  ])("and a right system converges: %d ms of work, a machine slower by %d", async (workMs, factor) => {
    const { verdict, notes } = await explored({ workMs, marksFirst: false }, { factor });
    expect([verdict, notes]).toEqual(["converges", []]);
  });

  test("a system that becomes faster after the baselines is killed sooner", async () => {
    // Two baselines of five events.
    const system = { workMs: 400, until: 10, laterMs: 20, marksFirst: true };
    expect((await explored(system, { repeat: 5 })).verdict).toBe("diverges");
  });
});

describe("a slow kill that varies by more than the work", () => {
  const system = { workMs: 160, readMs: 40 };

  test("is tried again until the kills are spread over the work", async () => {
    // Of the first five kills three come after the answer, and one before the mark. The last one waits for the answer.
    const killsMs = [500, 500, 180, 500, 300, 300];
    const wrong = await explored({ ...system, marksFirst: true, killsMs }, { repeat: 5 });
    expect(wrong.verdict).toBe("diverges");
    const { verdict, notes } = await explored({ ...system, marksFirst: false, killsMs }, { repeat: 5 });
    expect([verdict, notes]).toEqual(["converges", []]);
  });

  test("is undecided if every kill came after the answer or before the work", async () => {
    const slower = { workMs: 200, readMs: 100, marksFirst: true, killsMs: [800, 80] };
    const { verdict, notes } = await explored(slower, { repeat: 5 });
    expect(verdict).toBe("undecided");
    expect(notes[0]).toMatch(
      /^killed-before-answer-1 is undecided: its moment was not reached\. No kill came between \d+ and \d+ ms after the webhook, while your system worked\. Try it again with more tries \(--repeat\), or on a machine that is less busy\.$/,
    );
  });
});

describe("the verdict is undecided if no kill fell into the work", () => {
  test.each([
    ["before the work", 400, 5],
    ["after the answer", 8, 100],
  ])("because each of them came %s", async (_, workMs, killDelayMs) => {
    const result = await explored({ workMs, readMs: 0.1 * workMs, marksFirst: true }, { killDelayMs });
    const { verdict, unfinished, notes, cells } = result;
    expect([verdict, unfinished]).toEqual(["undecided", expect.stringMatching(/^\d of \d schedules are un/)]);
    expect(cells[0]?.result).toBe("undecided");
    expect(notes[0]).toMatch(
      /^killed-before-answer-1 is undecided: its moment was not reached\. No kill came while your system worked, between the webhook and the answer after \d+ ms\. The kills came after \d+ ms \(--kill-delay\): choose a time between the two, or leave --kill-delay out\.$/,
    );
  });

  test("which says nothing about kills after the answers", async () => {
    const only = ["killed-before-answer", "killed-after-answer"] as const;
    const { cells } = await explored(
      { workMs: 400, readMs: 40, marksFirst: false },
      { killDelayMs: 5, only },
    );
    const results = Map.groupBy(cells, ({ kind }) => kind);
    const of = (kind: (typeof only)[number]) => new Set(results.get(kind)?.map(({ result }) => result));
    expect([of("killed-before-answer"), of("killed-after-answer")]).toEqual([
      new Set(["undecided"]),
      new Set(["ok"]),
    ]);
  });
});
