import { decidingOf } from "../../../src/checks/explore/result.ts";
import { SpentTime } from "../../../src/base/spent-time.ts";
import { sentenceOf } from "../../../src/checks/explore/sentence.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { describe, expect, test } from "vitest";
import type { Exploration, ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { acceptedIn } from "../../../src/checks/explore/accepted.ts";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import type { Design } from "../../partners/choices.ts";
import { life } from "../../partners/scenarios.ts";
import { receiver } from "../../partners/receiver.ts";
import { inTurns, levelsOf } from "../../../src/checks/explore/schedules.ts";
import { Machine } from "../../partners/machine.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { exploreReports } from "../../../src/checks/explore/report.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";
import { Stop } from "../../../src/base/stop.ts";
import { systemWall, turns } from "../../../src/base/wall.ts";
import type { Timeline } from "../../../src/checks/explore/deviations.ts";

function read(scenario: object): Exploration["scenario"] {
  const { scenarios, mistakes } = parseScenario(stringify(scenario), "n.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  return assertDefined(scenarios[0], "a scenario");
}

async function explored(design: Design, options: Partial<Exploration> = {}): Promise<ExploreResult> {
  const { receive, probe, reset } = receiver(design);
  const { result } = await exploreScenario({
    scenario: read(life),
    wall: systemWall,
    openSandbox,
    receiver: receive,
    probe,
    reset: async () => reset(),
    depth: 1,
    ...options,
  });
  return result;
}

/** A system with an API and an inner worker, which asks for a token once and keeps it. */
function tokenKeeper() {
  let paid: Record<string, string> = {};
  let token: string | undefined;
  const ask = async (send: typeof fetch): Promise<string> => {
    const answer = await send("/oauth2/v2.0/token", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const pay = async (order: string, send: typeof fetch, tries = 2): Promise<number> => {
    token ??= await ask(send);
    const answer = await send("/order/v1/banking/order-payouts", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "idempotency-key": `key-${order}` },
      body: JSON.stringify({
        paymentMethod: "PIX",
        externalId: order,
        accountId: "11111111-1111-4111-8111-111111111111",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "100.00" },
        description: order,
      }),
    });
    if (answer.status === 401 && tries > 0) {
      token = undefined;
      return pay(order, send, tries - 1);
    }
    return answer.status;
  };
  return {
    client: async (request: Request, { fetch }: { fetch: typeof globalThis.fetch }) => {
      const { order } = (await request.json()) as { order: string };
      if (paid[order] === undefined && (await pay(order, fetch).catch(() => 503)) < 300) paid[order] = "sent";
      return new Response("", { status: paid[order] === undefined ? 503 : 200 });
    },
    receiver: () => Response.json({}),
    probe: () => paid,
    reset: async () => void (paid = {}),
    scenario: read({
      name: "paid",
      start: "2026-11-20T09:00:00-03:00",
      steps: [
        { request: "POST partner:/orders", body: { order: "one-${run}" } },
        { request: "POST partner:/orders", body: { order: "two-${run}" } },
        { advance: "PT1H" },
      ],
    }),
  };
}

describe("a search that ends early", () => {
  test("is undecided if a single deviation was not tried, and says so in the first line", async () => {
    const result = await explored({}, { budget: 5 });
    expect(result.verdict).toBe("undecided");
    expect(result.unfinished).toMatch(/^5 of \d+ single deviations were tried, because the budget of 5/);
    expect(exploreReports.pretty([result]).split("\n")[0]).toContain("UNDECIDED: 5 of");
    expect(result.decidedBy).toEqual([expect.stringMatching(/^--budget \d+$/)]);
    expect(exploreReports.pretty([result])).toContain("What would decide it: --budget");
  });

  test("names a larger budget also if the default budget was used up", () => {
    const levels = [{ done: 500, total: 700 }];
    const stage = { exploration: { wall: systemWall } as Exploration, spent: new SpentTime(systemWall) };
    const ended = "the budget of 500 schedules was used up";
    const searched = { stage, levels, ended, decidedBy: new Set<string>(), counts: { shown: 500 } };
    expect(decidingOf(searched)).toEqual({ decidedBy: ["--budget 700"] });
  });

  test("says in each form where its time went", async () => {
    const result = await explored({}, { budget: 5 });
    const time = { seconds: 12, runs: 6, shares: { rest: 0.8, start: 0.15, own: 0.05 } };
    expect(exploreReports.pretty([{ ...result, time }])).toContain(
      "Time: 12 s for 6 runs (2.0 s each): waiting for rest 80 %, starting your system 15 %, the sandbox 5 %.",
    );
    expect(JSON.parse(exploreReports.json([{ ...result, time }]))).toMatchObject({ time });
  });

  test("is undecided at its time limit, also within a run", async () => {
    const result = await explored(
      {},
      {
        timeMs: 20,
        only: ["twice"],
        receiver: async (request) => {
          await turns(2_000);
          await request.text();
          return Response.json({});
        },
      },
    );
    expect(["undecided", "not-tried"]).toContain(result.verdict);
  });

  test("has passed up to the deviations that were all tried", async () => {
    const result = await explored({}, { depth: 2, budget: 60 });
    expect(result.verdict).toBe("converges");
    expect(result.unfinished).toMatch(
      /^Up to 1 deviation: of \d+ schedules with 2 deviations \d+ were tried/,
    );
    expect(exploreReports.pretty([result]).split("\n")[0]).toContain("(up to 1 deviation:");
  });

  test("reports what it found so far when it is interrupted", async () => {
    const controller = new AbortController();
    const result = await explored(
      { recognition: "none" },
      {
        signal: controller.signal,
        onProgress: ({ diverged }) => diverged > 0 && controller.abort(),
      },
    );
    expect(result.verdict).toBe("diverges");
    expect(result.unfinished).toContain("because it was interrupted");
    expect(result.divergences.length).toBeGreaterThan(0);
  });
});

describe("a deviation that does not occur", () => {
  test("of a token that is kept is not reached, and counts neither as tried nor as ok", async () => {
    const { cells, schedules, verdict } = await explored(
      {},
      {
        ...tokenKeeper(),
        only: ["call-refused", "token-expired"],
      },
    );
    const results = cells.map(({ call, kind, result }) => `${kind} ${call}: ${result}`);
    // The first call gets the token. It expires nowhere but at calls that use it.
    expect(results).toContain("call-refused 1: not-reached");
    expect(results).not.toContain("token-expired 1: ok");
    expect(results.filter((one) => one.startsWith("token-expired")).map((one) => one.split(" ")[1])).toEqual([
      "2:",
      "3:",
    ]);
    expect(schedules).toMatchObject({ tried: 4, notReached: 1 });
    expect(verdict).toBe("converges");
  });
});

test("a scenario with many calls of its own has an end", async () => {
  const reads = Array.from({ length: 210 }, () => ({ call: "listAccounts" }));
  const { verdict, reason } = await explored(
    {},
    {
      scenario: read({ ...life, steps: [...life.steps, ...reads] }),
      only: ["twice"],
    },
  );
  expect([verdict, reason]).toEqual(["converges", undefined]);
});

describe("what is compared", () => {
  test("without a probe webhooks alone decide nothing", async () => {
    const { probe: _probe, ...system } = tokenKeeper();
    const { verdict, reason } = await exploreScenario({
      ...system,
      wall: systemWall,
      openSandbox,
      only: ["twice", "late"],
    }).then(({ result }) => result);
    expect([verdict, reason]).toEqual([
      "not-tried",
      expect.stringMatching(/^The effect of webhooks on your system is not visible/),
    ]);
  });

  test("without a probe the report says that the state was not compared", async () => {
    const { probe: _probe, ...system } = tokenKeeper();
    const { result } = await exploreScenario({
      ...system,
      wall: systemWall,
      openSandbox,
      only: ["call-answer-lost"],
    });
    expect(result.notTried).toContain("your system's state: not compared (no --probe)");
  });

  test("a partner that only calls needs no receiver", async () => {
    const { receiver: _receiver, ...system } = tokenKeeper();
    const { result } = await exploreScenario({ ...system, wall: systemWall, openSandbox, depth: 1 });
    expect([result.verdict, result.cells.some(({ event }) => event !== undefined)]).toEqual([
      "converges",
      false,
    ]);
  });

  test("a path of the platform's state can be left out", async () => {
    const options = { ...tokenKeeper(), only: ["call-answer-lost"] as const };
    const { result } = await exploreScenario({
      ...options,
      wall: systemWall,
      openSandbox,
      ignore: ["$platform.payouts"],
    });
    expect(result.ignored).toContain("$platform.payouts");
  });
});

test("divergences of an earlier report are accepted by kind, event and path, and listed", async () => {
  const first = await explored({ recognition: "none" }, { only: ["twice"] });
  const accepted = assertDefined(acceptedIn(first), "a report");
  const again = await explored({ recognition: "none" }, { only: ["twice"], accepted });
  expect([first.verdict, again.verdict]).toEqual(["diverges", "converges"]);
  expect(again.divergences.every((one) => one.accepted === true)).toBe(true);
  expect(exploreReports.pretty([again])).toContain("Accepted");
  const more = await explored({ recognition: "none" }, { only: ["twice", "twice-late"], accepted });
  expect(more.verdict).toBe("diverges");
  expect(acceptedIn({ name: "something else" })).toBeUndefined();
});

test("a cause is shown once, with the other schedules that have it", async () => {
  const result = await explored({ recognition: "none" }, { only: ["twice", "twice-late"] });
  expect(result.divergences.length).toBeGreaterThan(1);
  expect(exploreReports.pretty([result]).match(/Likely cause:/g)).toHaveLength(1);
  expect(exploreReports.pretty([result])).toContain("The same cause in");
});

test("a difference that only a slow answer shows is a note and no verdict, and does not blame the machine", async () => {
  using machine = new Machine(1, 1);
  const { receive, probe, reset } = receiver();
  let count = 0;
  const result = await explored(
    {},
    {
      wall: machine.wall,
      settleMs: 200,
      timeMs: 10 * 3_600_000,
      only: ["twice"],
      reset: async () => reset(),
      probe,
      // The work of one event takes long once, after the answer.
      receiver: async (request) => {
        const copy = request.clone();
        count += 1;
        if (count !== 44) return receive(request);
        void machine.sleep(900).then(() => receive(copy));
        return Response.json({});
      },
    },
  );
  expect([result.verdict, result.divergences]).toEqual(["converges", []]);
  expect(result.notes.join(" ")).toContain("Your system needed more time than it got at first.");
  expect(result.notes.join(" ")).not.toContain("machine");
});

/** Returns a baseline with an event in each step. The events are about this many objects, in turn. */
function timelineOf(instants: readonly number[], objects = 1): Timeline {
  return {
    events: instants.map((at, index) => ({
      index: index + 1,
      event: "E",
      collection: "orders",
      objectId: `o${index % objects}`,
      object: "o",
      objectNumber: (index % objects) + 1,
      occurrence: 1,
      step: index + 1,
      at,
    })),
    calls: [],
    requests: [],
    stepEnds: instants,
    retryAfterMs: 60_000,
    holdMaxMs: Infinity,
  };
}

test("many schedules are listed in turns, and no more than can be used", async () => {
  const timeline = timelineOf(
    Array.from({ length: 40 }, (_, index) => index),
    7,
  );
  const { events } = timeline;
  const kinds = ["late", "twice", "twice-late", "answer-lost", "first-try-lost"] as const;
  const deviations = events.flatMap(({ index }) => kinds.map((kind) => ({ event: index, kind })));
  const done = new AbortController();
  const listing = levelsOf(3, { deviations, timeline, wall: systemWall }).finally(() => done.abort());
  let others = 0;
  for (; !done.signal.aborted; others++) await turns();
  const levels = await listing;
  expect(others).toBeGreaterThan(50);
  expect(levels.map(({ isCut }) => isCut)).toEqual([false, false, true]);
  expect(Math.max(...levels.map(({ schedules }) => schedules.length))).toBeLessThanOrEqual(20_000);
});

test("schedules are merged only if their arrivals have the same instants, and each merged schedule is named", async () => {
  const timeline = timelineOf([0, 10_000, 20_000]);
  const deviations = [
    { event: 1, kind: "together" },
    { event: 1, kind: "together", with: 2 },
    { event: 2, kind: "late" },
    { event: 2, kind: "first-try-lost" },
    { event: 3, kind: "twice" },
    { event: 3, kind: "twice-late" },
  ] as const;
  const [level] = await levelsOf(1, { deviations, timeline, wall: systemWall });
  const { schedules = [], merged } = level ?? {};
  expect(schedules).toEqual(deviations.filter((one) => !("with" in one)).map((one) => [one]));
  expect(merged).toEqual([{ deviations: [deviations[1]], sameAs: [deviations[0]] }]);
});

test("a title says which event, call or step of its deviations did not happen", () => {
  const call = {
    index: 1,
    operation: "createPayout",
    object: "p",
    objectNumber: 1,
    occurrence: 1,
    isRepeated: true,
  };
  const timeline = { ...timelineOf([0, 10_000]), calls: [call] };
  const schedule = [
    { event: 1, kind: "late" },
    { event: 2, kind: "twice" },
    { call: 1, kind: "call-lost" },
    { step: 2, kind: "request-twice" },
  ] as const;
  expect(sentenceOf(schedule, timeline, { missed: schedule.slice(1) })).toBe(
    "E (event 1) came after E (event 2); E (event 2) did not happen; createPayout (call 1) did not happen; Step 2 did not happen",
  );
});

test("an interruption while the schedules are listed ends the listing, and says that the baseline ended", async () => {
  const controller = new AbortController();
  using stop = new Stop(systemWall, controller.signal);
  const listing = inTurns(
    Array.from({ length: 200_000 }, (_, index) => [{ event: index, kind: "late" }]),
    1,
    stop.wall,
  );
  controller.abort();
  await expect(listing).rejects.toThrow("it was interrupted");
});
