import type { CauseCode } from "../../../src/checks/cause-texts.ts";
import type { DeviationKind } from "../../../src/checks/explore/deviations.ts";
import { describe, expect, test } from "vitest";
import type { ExplorationResult, ExploreOptions } from "../../../src/checks/explore/exploration.ts";
import { explore } from "../../../src/library/explore.ts";
import { ExploredReceiver } from "../../../src/checks/explore/receiver.ts";
import { PartnerLife } from "../../../src/partner/partner-system.ts";
import { PendingRepeats } from "../../../src/partner/pending-repeats.ts";
import { Rest } from "../../../src/partner/rest.ts";
import { SpentTime } from "../../../src/base/spent-time.ts";
import { systemWall } from "../../../src/base/wall.ts";
import type { Design } from "../../partners/choices.ts";
import { life } from "../../partners/scenarios.ts";
import { receiver } from "../../partners/receiver.ts";

function tried(design: Design, options: Partial<ExploreOptions> = {}): Promise<ExplorationResult> {
  const { receive, probe, reset } = receiver(design);
  // The scenario has a day and more between its events.
  return explore({
    scenario: life,
    receiver: receive,
    probe,
    reset,
    beyondRetries: true,
    ...options,
  });
}

function smallest({ divergences }: ExplorationResult): string {
  const [first] = divergences;
  return (first?.deviations ?? []).map(({ kind, event }) => `${kind}-${event}`).join(" ");
}

describe("a bug is found by the smallest schedule and named by its cause", () => {
  const lateCopy = { recognition: "memory of one", order: "last arrival for copies" } as const;
  const cases: [Design, string, CauseCode][] = [
    [{ recognition: "none" }, "twice-1", "handled-twice"],
    [{ order: "last arrival" }, "late-2", "older-overwrites-newer"],
    [{ ...lateCopy, shown: "rows alone" }, "twice-late-1", "older-overwrites-newer"],
    [{ concurrency: "none" }, "twice-at-once-1", "race-of-copies"],
    [{ concurrency: "lock by event" }, "together-3", "lost-update"],
    [{ unknown: "dropped" }, "late-1", "unknown-object-forgotten"],
    [{ records: "the first arrival" }, "late-1", "depends-on-order"],
    [{ records: "a number by arrival" }, "late-1", "numbered-by-arrival"],
    [{ storage: "never for each third" }, "twice-1", "acknowledged-before-stored"],
    [{ copies: "refused with 500" }, "answer-lost-1", "event-refused"],
  ];
  test.each(cases)("a receiver with %o: %s", async (design, schedule, cause) => {
    const result = await tried(design, { depth: 1 });
    expect(result.verdict).toBe("diverges");
    expect([smallest(result), result.divergences[0]?.cause.code]).toEqual([schedule, cause]);
  });
});

test("a bug that needs two deviations is found at depth 2, and not at depth 1", async () => {
  const alone = await tried({ recognition: "one copy" }, { only: ["twice"], depth: 1 });
  expect(alone).toMatchObject({ verdict: "converges", divergences: [] });
  const both = await tried({ recognition: "one copy" }, { only: ["twice"], depth: 2 });
  expect([both.verdict, smallest(both)]).toEqual(["diverges", "twice-1 twice-2"]);
  expect(both.divergences[0]?.cause.code).toBe("handled-twice");
  expect(both.divergences.every(({ deviations }) => deviations.length === 2)).toBe(true);
});

/** Without the cancellation there are four events, and a third of the schedules. */
const paid = { ...life, steps: life.steps.slice(0, 4) };

describe("a good receiver converges", () => {
  // pairs.everything.test.ts tries the whole depth of 2 for all of them.
  test.each<[Design, Partial<ExploreOptions>]>([
    [{}, {}],
    [{ subjects: "charges alone" }, {}],
    [{ records: "times of arrivals" }, { ignore: ["$.log"] }],
    [{ records: "a number by arrival" }, { ignore: ["$.rows[*].number"] }],
  ])("one with %o, over the whole depth of 1", async (design, options) => {
    const result = await tried(design, { scenario: paid, depth: 1, ...options });
    expect(result.divergences.map((one) => [one.deviations, one.differences, one.cause])).toEqual([]);
    expect(result.verdict).toBe("converges");
    expect(result.schedules).toMatchObject({ tried: result.schedules.total, skipped: 0 });
  });
});

test("the same seed gives the same JSON, byte for byte, and another seed the same divergences", async () => {
  const options = { budget: 40 };
  const [one, other] = [
    await tried({ order: "last arrival" }, options),
    await tried({ order: "last arrival" }, options),
  ];
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  expect(one.report).toContain("Likely cause: The last arrival wins");
  expect(Object.keys(one)).not.toContain("report");
});

test("what was tried is counted, and what contains a failing schedule is skipped", async () => {
  const all = await tried({ recognition: "none" }, { scenario: paid });
  expect(all.schedules.tried + all.schedules.skipped).toBe(all.schedules.total);
  expect(all.schedules.skipped).toBeGreaterThan(100);
  const some = await tried({}, { scenario: paid, budget: 50 });
  expect(some.schedules).toMatchObject({ tried: 50, total: all.schedules.total, skipped: 0 });
  const none = await tried({}, { budget: 5 });
  expect(none.cells.filter(({ result }) => result === "ok")).toHaveLength(5);
  expect(none.cells.filter(({ result }) => result === "not-tried").length).toBeGreaterThan(10);
});

test("an event is named by its object and the place of its step, and arrivals are listed in order", async () => {
  const result = await tried({ order: "last arrival" }, { depth: 1, only: ["late"] });
  expect(result.events.slice(0, 3)).toEqual([
    { index: 1, event: "SUBSCRIPTION.ACCEPTED", object: "sub", line: 9, column: 5 },
    { index: 2, event: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED", object: "charge", line: 18, column: 5 },
    { index: 3, event: "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED", object: "charge", line: 18, column: 5 },
  ]);
  expect(result.divergences[0]?.arrivals.map(({ event }) => event)).toEqual([1, 3, 4, 2, 5, 6]);
  expect(result.divergences[0]?.differences[0]).toMatchObject({
    path: "$.rows[1].status",
    found: expect.stringContaining("ACCEPTED"),
  });
});

test.each(["refuse-connection", "reset-on-connect"])(
  "an attempt that ends with %s, because of the scenario's own fault, is no arrival",
  async (effect) => {
    const fault = { on: "webhook", event: "*.COMPLETED", attempt: 1, effect };
    const scenario = { ...life, steps: [{ fault }, ...life.steps] };
    const result = await tried({ recognition: "none" }, { scenario, depth: 1, only: ["twice"] });
    const [divergence] = result.divergences;
    expect(divergence?.arrivals.filter(({ event }) => event === 3)).toEqual([
      { event: 3, attempt: 2, status: 200 },
    ]);
  },
);

describe("what cannot be tried has a reason", () => {
  const good = receiver();
  const base: ExploreOptions = {
    scenario: life,
    receiver: good.receive,
    probe: good.probe,
    reset: good.reset,
  };
  const reasonOf = async (options: Partial<ExploreOptions>): Promise<string> => {
    const { verdict, reason } = await explore({ ...base, depth: 1, ...options });
    expect(verdict).toBe("not-tried");
    return reason ?? "";
  };
  test("no probe", async () => {
    const { probe: _, ...without } = base;
    expect((await explore(without)).reason).toMatch(/The probe is missing/);
  });
  test("a baseline that the receiver refuses", async () => {
    expect(await reasonOf({ receiver: () => new Response("", { status: 503 }) })).toMatch(
      /SUBSCRIPTION\.ACCEPTED stays undelivered \(the receiver answered 503\)/,
    );
  });
  test("a scenario without webhooks", async () => {
    expect(await reasonOf({ scenario: { name: "n", steps: [{ call: "listAccounts" }] } })).toMatch(
      /sends no webhook/,
    );
  });
  test("a step that fails", async () => {
    const steps = [{ call: "getSubscription", path: { id: "11111111-1111-4111-8111-111111111111" } }];
    expect(await reasonOf({ scenario: { name: "n", steps } })).toMatch(/step 1 \(call getSubscription\)/);
  });
  test("a state of which nothing is stable", async () => {
    let count = 0;
    expect(await reasonOf({ probe: () => ({ reads: (count += 1) }) })).toMatch(
      /nothing to compare: \$\.reads/,
    );
  });
  test("runs that are not kept apart", async () => {
    const { receive, probe } = receiver();
    const { reset: _, ...without } = base;
    const result = await explore({ ...without, receiver: receive, probe, depth: 1 });
    expect(result.reason).toMatch(/of the first: the runs are not kept apart/);
  });
  test("a nobody at the receiver's address", async () => {
    expect(await reasonOf({ receiver: "http://127.0.0.1:9/webhooks" })).toMatch(/nothing listens at/);
  });
});

test("no event is held for longer than the platform goes on trying, unless that is wanted", async () => {
  const options = { depth: 1, beyondRetries: false, only: ["late"] } as const;
  const within = await tried({ order: "last arrival" }, options);
  expect(smallest(within)).toBe("late-5");
});

describe("a balance that two events of one instant read and write is a lost update of what they share", () => {
  const payout = (externalId: string): object => ({
    call: "createPayout",
    body: { $use: "payout.pix", externalId, amount: { currency: "BRL", value: "100.00" } },
  });
  const order = (save: string): object => ({
    call: "createTransparentOrder",
    body: { $use: "order.pix" },
    save,
  });
  const paid = (name: string): object => ({ act: "order.pay", on: `\${${name}.id}` });
  const refund = (name: string): object => ({
    call: "refundOrder",
    body: { $use: "refund.whole", orderId: `\${${name}.id}` },
  });

  /** A receiver that adds up the amounts of all events; where it is right, in one statement. */
  async function balanceOf(steps: readonly object[], isRight = false): Promise<ExplorationResult> {
    let balance = 0;
    return explore({
      scenario: { name: "n", start: "2026-11-20T09:00:00-03:00", steps },
      only: ["together"],
      depth: 1,
      probe: () => ({ accounts: { main: balance } }),
      reset: () => (balance = 0),
      // It ships only what is paid.
      client: () => new Response(null, { status: balance === 0 ? 409 : 200 }),
      receiver: async () => {
        const before = balance;
        await new Promise(setImmediate);
        balance = (isRight ? balance : before) + 100;
        return new Response("{}");
      },
    });
  }
  const cause = { code: "lost-update" };

  test.each([
    ["of one step", [payout("a"), payout("b"), { advance: "PT1H" }]],
    ["of two steps", [order("a"), order("b"), paid("a"), paid("b")]],
  ])("two events %s", async (_, steps) => {
    expect((await balanceOf(steps)).divergences).toMatchObject([
      {
        deviations: [{ event: 1, kind: "together" }],
        differences: [{ path: "$.accounts.main", baseline: 200, found: 100 }],
        arrivals: [{ event: 2 }, { event: 1, together: true }],
        cause,
      },
    ]);
    expect((await balanceOf(steps, true)).verdict).toBe("converges");
  });

  test("the neighbour is tried as well where there is a later event about the same object", async () => {
    const result = await balanceOf([
      order("a"),
      order("b"),
      paid("a"),
      paid("b"),
      refund("a"),
      { advance: "PT1M" },
    ]);
    const { cells, divergences } = result;
    expect(cells.filter(({ event }) => event === 1)).toEqual([
      { event: 1, kind: "together", result: "diverged" },
      { event: 1, kind: "together", with: 2, result: "diverged" },
    ]);
    const across = divergences.flatMap((one) => [one.deviations, ...one.alike]);
    expect(across).toContainEqual([{ event: 1, kind: "together", with: 2 }]);
  });

  test("a request in between that is refused while an event is held back is sent again after it", async () => {
    const ask = { request: "POST partner:/ship" };
    const result = await balanceOf([order("a"), order("b"), paid("a"), ask, paid("b")]);
    expect(result).toMatchObject({
      verdict: "converges",
      cells: [{ kind: "together", result: "ok" }],
      notes: [],
    });
  });
});

test("a step of the scenario whose moment is over says nothing about an answer that was held back", async () => {
  const payout = (externalId: string, save: string) => ({
    call: "createPayout",
    body: { $use: "payout.pix", externalId },
    save,
  });
  let statuses: Record<string, string> = {};
  const result = await explore({
    scenario: {
      name: "held for a review",
      steps: [
        payout("held-${run}", "held"),
        { act: "payout.analyse", on: "${held.id}" },
        payout("other-${run}", "other"),
        { advance: "PT1H" },
        { act: "payout.settle", on: "${held.id}" },
      ],
    },
    receiver: async (request) => {
      const { code, status } = (await request.json()) as { code: string; status: string };
      statuses[code] = status;
      return Response.json({ returnCode: "ok" });
    },
    probe: () => statuses,
    reset: () => (statuses = {}),
    only: ["early"],
  });
  expect(result).toMatchObject({
    verdict: "converges",
    cells: [{ event: 1, kind: "early", result: "not-tried" }],
  });
  expect(result.notes).toEqual([
    expect.stringMatching(/^early-1 was not tried: step 2 fails after the answer/),
  ]);
});

test("requests of one moment leave as far apart as a sample of a race says, and keep their results", async () => {
  const arrived: string[] = [];
  const spent = new SpentTime(systemWall);
  const rest = new Rest({
    wall: systemWall,
    settleMs: 0,
    isDefault: true,
    repeatsOver: async () => false,
  });
  const receiver = new ExploredReceiver(
    async (request) => {
      const text = await request.text();
      arrived.push(text);
      return new Response(text);
    },
    { secret: undefined, known: [] },
    {
      life: new PartnerLife(undefined, spent),
      wall: systemWall,
      rest,
      repeats: new PendingRepeats(systemWall),
      spent,
    },
  );
  const requests = ["one", "other"].map((body) => ({
    url: "http://receiver.example/",
    headers: {},
    body: Buffer.from(body),
    deadlineMs: 5_000,
  }));
  const offsets = [60, 0];
  receiver.begin({ offsetMs: () => offsets.shift() ?? 0 });
  const results = await receiver.transport(requests);
  expect(arrived).toEqual(["other", "one"]);
  expect(results.map(({ responseBody }) => responseBody)).toEqual(["one", "other"]);
});

test("a memory of handled events that is too short, and sums of floats, are named", async () => {
  const recent: string[] = [];
  let count = 0;
  const short = await explore({
    scenario: life,
    depth: 1,
    only: ["twice", "twice-late"],
    receiver: async (request) => {
      const text = await request.text();
      if (!recent.includes(text)) count += 1;
      recent.push(text);
      if (recent.length > 2) recent.shift();
      return new Response("{}");
    },
    probe: () => ({ count }),
    reset: () => {
      recent.length = 0;
      count = 0;
    },
  });
  expect([smallest(short), short.divergences[0]?.cause.code]).toEqual([
    "twice-late-1",
    "handled-events-forgotten",
  ]);
  let sum = 0;
  const floats = await explore({
    scenario: life,
    depth: 1,
    only: ["late"],
    beyondRetries: true,
    receiver: async (request) => {
      const { event } = (await request.json()) as { event: string };
      sum += event.length / 10;
      return new Response("{}");
    },
    probe: () => ({ sum }),
    reset: () => void (sum = 0),
  });
  expect(floats.divergences[0]?.cause.code).toBe("sums-of-floats");
});

test("a scenario that names its deviations is played without them and with them, and nothing else is tried", async () => {
  const scenario = { ...life, deviations: [{ event: 2, kind: "late" }] };
  const wrong = await tried({ order: "last arrival" }, { scenario });
  expect(wrong.schedules).toEqual({ tried: 1, total: 1, skipped: 0 });
  expect(smallest(wrong)).toBe("late-2");
  expect((await tried({}, { scenario })).verdict).toBe("converges");
  const unknown = { ...life, deviations: [{ event: 99, kind: "late" }] };
  expect((await tried({}, { scenario: unknown })).reason).toMatch(/has no event 99 for its deviation late/);
});

test("one of two events of equal times that is taken for the other, and a late event that is lost, are named", async () => {
  interface Heard {
    readonly id: string;
    readonly event: string;
    readonly refundId?: string;
    readonly updatedAt: string;
  }
  const refundedTwice = {
    name: "An order goes back in two parts at once",
    start: "2026-11-20T09:00:00-03:00",
    steps: [
      { call: "createTransparentOrder", body: { $use: "order.pix" }, save: "sale" },
      { act: "order.pay", on: "${sale.id}" },
      { call: "refundOrder", body: { $use: "refund.part", orderId: "${sale.id}", amount: "10.00" } },
      { call: "refundOrder", body: { $use: "refund.part", orderId: "${sale.id}", amount: "20.00" } },
      { advance: "PT1H" },
    ],
  };
  const causeOf = async (
    isNew: (event: Heard, all: readonly Heard[]) => boolean,
    only: readonly DeviationKind[] = ["late"],
  ): Promise<unknown> => {
    let all: Heard[] = [];
    const { divergences } = await explore({
      scenario: refundedTwice,
      depth: 1,
      only,
      receiver: async (request) => {
        const event = (await request.json()) as Heard;
        if (isNew(event, all)) all.push(event);
        return new Response("{}");
      },
      probe: () => all.map(({ event, refundId = "" }) => `${event} ${refundId}`).toSorted(),
      reset: () => (all = []),
    });
    return divergences.at(-1)?.cause.code;
  };
  for (const only of [["late"], ["late", "together"], ["late", "first-try-lost"]] as const) {
    const isSameTime = await causeOf(
      (event, all) => all.every(({ id, updatedAt }) => id !== event.id || updatedAt !== event.updatedAt),
      only,
    );
    expect(isSameTime).toBe("events-taken-for-one");
  }
  // Of an order that it knows it handles refunds alone: a payment that comes late is lost.
  const isOlder = await causeOf((event, all) => event.event.endsWith("REFUNDED") || all.length === 0);
  expect(isOlder).toBe("acknowledged-before-stored");
});

test("wrong options are refused together", async () => {
  const wrong = { scenario: life, receiver: 7, depth: 0, only: ["later"], ignore: ["seenAt"] };
  await expect(explore(wrong as never)).rejects.toThrow(
    /receiver must be .*\ndepth must be .*\nThere is no deviation "later".*\n`seenAt` is not a JSONPath/s,
  );
});

test("arrays of objects may come in another order, and raw ids and times are named", async () => {
  const rows = new Map<string, object>();
  const result = await explore({
    scenario: life,
    depth: 1,
    receiver: async (request) => {
      const body = (await request.json()) as {
        event: string;
        id?: string;
        endToEndId?: string;
        data?: { id: string };
      };
      const id = body.data?.id ?? body.id ?? "";
      rows.set(`${body.event}:${id}`, { key: `${body.event}:${id}`, e2e: body.endToEndId ?? null });
      return new Response("{}");
    },
    probe: () => ({ rows: [...rows.values()], keys: [...rows.keys()], readAt: Date.now() + Math.random() }),
    reset: () => rows.clear(),
  });
  expect(result.divergences.map(({ differences }) => differences)).toEqual([]);
  expect(result.ignored).toEqual(["$.readAt"]);
});

test("a handler that throws is a receiver that answers 500, and its probe may fail too", async () => {
  const handled = new Set<string>();
  let isBroken = false;
  const result = await explore({
    scenario: life,
    depth: 1,
    only: ["twice"],
    receiver: async (request) => {
      const text = await request.text();
      if (handled.has(text)) {
        isBroken = true;
        throw new Error("duplicate key");
      }
      handled.add(text);
      return new Response("{}");
    },
    probe: () => {
      if (isBroken) throw new Error("the database is gone");
      return { handled: handled.size };
    },
    reset: () => {
      handled.clear();
      isBroken = false;
    },
  });
  // The copy stays undelivered, but the event itself is not.
  expect(result.divergences[0]?.differences.map(({ path }) => path)).toEqual(["probe"]);
});

test("expectations of the scenario hold in the baseline and are no bug elsewhere", async () => {
  const { receive, probe, reset } = receiver();
  const steps = [
    ...life.steps,
    {
      expect: {
        webhooks: [{ event: "SUBSCRIPTION.ACCEPTED" }, { event: "SUBSCRIPTION.CANCELLATION.ACCEPTED" }],
      },
    },
    { act: "subscription.accept", on: "${sub.id}", expect: { status: 409 } },
  ];
  const result = await explore({
    scenario: { ...life, steps },
    receiver: receive,
    probe,
    reset,
    depth: 1,
  });
  expect(result.verdict).toBe("converges");
}, 60_000);
