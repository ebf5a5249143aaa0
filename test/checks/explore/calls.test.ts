import { describe, expect, test, vi } from "vitest";
import { blocksOf } from "../../documentation/page.ts";
import { expectAnswer } from "../../documentation/answer.ts";
import { parse } from "yaml";
import type { Design } from "../../partners/choices.ts";
import { payer } from "../../partners/payer.ts";
import { payerScenarios } from "../../partners/scenarios.ts";
import { planted, plantedBug, type PlantedName, rightPayers } from "./planted-payers.ts";
import type { ExplorationResult, ExploreOptions } from "../../../src/checks/explore/exploration.ts";
import { explore } from "../../../src/library/explore.ts";
import { seededChance } from "../../../src/simulator/engine/random.ts";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { runExploration } from "../../../src/checks/explore/run-exploration.ts";
import { moneyWords } from "../../../src/checks/explore/platform-state.ts";
import type { Found } from "../../../src/checks/explore/differences.ts";
import { causeOf } from "../../../src/checks/explore/causes.ts";
import { type Deviation, nameOf, type Timeline } from "../../../src/checks/explore/deviations.ts";
import type { Played } from "../../../src/checks/explore/played.ts";

const start = "2026-11-20T09:00:00-03:00";
const { orders, ...others } = payerScenarios("partner:");

/** Explores a payer on a machine of its own. */
async function tried(
  design: Design,
  { killed = false, ...options }: Partial<ExploreOptions> & { killed?: boolean } = {},
): Promise<ExplorationResult> {
  using machine = new Machine(1, 1);
  const { client, receive, process, probe, reset } = payer(design, machine);
  const all: ExploreOptions = {
    scenario: orders,
    client,
    receiver: receive,
    probe,
    reset,
    depth: 1,
    // The time of a machine passes while a module is loaded.
    timeMs: 86_400_000,
    ...(killed && { partner: process }),
    ...options,
  };
  return await runExploration(all, openSandbox, machine.wall);
}

/** Kills come at several moments of the work, and the work after an answer takes a while. */
const KILLED = { killed: true, repeat: 3, settleMs: 300 } as const;

const CHARGE = {
  purpose: "FIRST_ATTEMPT",
  amount: { currency: "BRL", value: "59.90" },
  dueDate: "2026-11-25",
};

/** Pays an order out under a key of its own, and returns whether that was answered with success. */
async function isPaidOut(order: string, send: typeof fetch): Promise<boolean> {
  const headers = { authorization: "Bearer acme-token", "idempotency-key": `key-${order}` };
  const body = {
    paymentMethod: "PIX",
    externalId: order,
    accountId: "11111111-1111-4111-8111-111111111111",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "100.00" },
    description: order,
  };
  const asked = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await send("/order/v1/banking/order-payouts", asked).catch(() => undefined);
  return answer?.ok === true;
}

test("a token that expires in a call of the system is renewed by the scenario's own calls as well", async () => {
  const { receive: receiver, probe, reset } = payer({ shown: "all that is stored" });
  const renewing = async (send: typeof fetch): Promise<string> => {
    const form =
      "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await send("/oauth2/v2.0/token", { method: "POST", headers, body: form });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const { verdict, cells, notes } = await explore({
    scenario: {
      name: "An order is paid out, and the company signs a member up",
      start,
      steps: [
        { request: "POST partner:/orders", body: { order: "order-${run}" } },
        { call: "createSubscription", body: { $use: "subscription.monthly", externalId: "sub-${run}" } },
      ],
    },
    // Each request begins with the company's token, as a process does that starts for it.
    client: async (request, { fetch: send }) => {
      const { order } = (await request.json()) as { order: string };
      if (await isPaidOut(order, send)) return Response.json({});
      const token = await renewing(send);
      const isPaid = await isPaidOut(order, (input, init) => {
        const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${token}` };
        return send(input, { ...init, headers });
      });
      return Response.json({}, { status: isPaid ? 200 : 503 });
    },
    receiver,
    probe,
    reset,
    depth: 1,
    only: ["token-expired"],
  });
  expect([verdict, notes, cells.map(({ kind, call, result }) => `${kind} ${call}: ${result}`)]).toEqual([
    "converges",
    [],
    ["token-expired 1: ok"],
  ]);
});

describe("a bug is found by the smallest schedule and named by its cause", () => {
  test.each(Object.keys(planted) as PlantedName[])("a payer: %s", async (name) => {
    const { design, scenario, isKilled, only, schedule, cause } = plantedBug(name);
    const { verdict, reason, divergences } = await tried(design, {
      ...(scenario && { scenario: others[scenario] }),
      ...(isKilled && KILLED),
      ...(only && { only }),
    });
    expect([verdict, reason]).toEqual(["diverges", undefined]);
    const [first] = divergences;
    expect([nameOf(first?.deviations ?? []), first?.cause.code]).toEqual([schedule, cause]);
  });

  test("a client that answers first is named so, wherever it is killed", async () => {
    const { divergences } = await tried(plantedBug("answer before storing").design, {
      ...KILLED,
      only: ["crashes"],
    });
    expect(divergences.map(({ cause }) => cause.code)).toEqual(
      divergences.map(() => "acknowledged-before-stored"),
    );
  });

  test("what is done twice without a kill has the same cause with one", async () => {
    const { divergences } = await tried(
      { calls: "new key for each try" },
      {
        killed: true,
        only: ["call-answer-lost", "killed-in-call"],
      },
    );
    expect(divergences.map(({ deviations, cause }) => [nameOf(deviations), cause.code])).toEqual([
      ["call-answer-lost-1", "new-key-for-retry"],
      ["killed-in-call-1", "new-key-for-retry"],
    ]);
  });

  test("a call whose object has a new name at each try is no batch", () => {
    const calls = [
      { index: 1, operation: "createSubscription", object: "a", objectNumber: 1, occurrence: 1 },
    ];
    const row = (externalId: string) => ({ externalId, status: "PENDING_AUTHORIZATION" });
    const causeWith = (differences: Found["differences"]) =>
      causeOf({
        schedule: [{ call: 1, kind: "call-answer-lost" }],
        played: { calls: [], run: "r1", isEndless: false } as unknown as Played,
        timeline: { calls } as unknown as Timeline,
        differences,
        all: [],
        arrivals: [],
        diverges: () => undefined,
        causeOfLate: () => undefined,
      });
    const [first, second] = ["b", "c"].map((externalId, index) => ({
      path: `$platform.subscriptions[${index + 1}]`,
      baseline: undefined,
      found: row(externalId),
    }));
    const missing = { path: "$platform.subscriptions[0]", baseline: row("a"), found: undefined };
    expect(causeWith([missing, first!, second!])).toBe("repeated-without-key");
    expect(causeWith([first!, second!])).toBe("batch-sent-again");
  });

  test("an order that is missing also where a call was answered before the kill was not stored", () => {
    const calls = [{ index: 1, operation: "createPayout", object: "a", objectNumber: 1, occurrence: 1 }];
    const timeline = { calls: calls.map((call) => ({ ...call, isRepeated: true })) } as unknown as Timeline;
    const played = { calls: [], run: "r1", isEndless: false } as unknown as Played;
    const differences = [{ path: '$.orders["a"]', baseline: { state: "paid" }, found: undefined }];
    const foundWith = (one: Deviation) => ({ schedule: [one], differences, played });
    const atEvent = foundWith({ event: 1, kind: "killed-before-answer" });
    const causeIn = (all: Parameters<typeof causeOf>[0]["all"]) =>
      causeOf({
        ...atEvent,
        timeline,
        all,
        arrivals: [],
        diverges: () => undefined,
        causeOfLate: () => undefined,
      });
    expect(causeIn([atEvent])).toBe("event-lost");
    expect(causeIn([atEvent, foundWith({ call: 1, kind: "killed-after-call" })])).toBe(
      "not-stored-before-call",
    );
  });

  test("an event that is killed before its answer was not acknowledged, also if a payout of the night is missing", () => {
    const timeline = { calls: [], events: [] } as unknown as Timeline;
    const played = { calls: [], run: "r1", isEndless: false } as unknown as Played;
    const differences = [
      { path: "$platform.payouts[1]", baseline: { externalId: "bonus" }, found: undefined },
    ];
    const causeAt = (kind: Deviation["kind"]) => {
      const found = { schedule: [{ event: 1, kind }], differences, played };
      const others = { timeline, all: [found], arrivals: [] };
      return causeOf({ ...found, ...others, diverges: () => undefined, causeOfLate: () => undefined });
    };
    expect(causeAt("killed-before-answer")).toBe("event-lost");
    expect(causeAt("killed-after-answer")).toBe("acknowledged-before-stored");
  });

  test("a charge that is made again under a new name is no batch, and is refused where the first one was made", async () => {
    let charges: Record<string, string | null> = {};
    const { divergences } = await explore({
      scenario: {
        name: "n",
        start,
        steps: [
          { call: "createSubscription", body: { $use: "subscription.monthly" }, save: "sub" },
          { act: "subscription.accept", on: "${sub.id}" },
          { request: "POST partner:/charges", body: { id: "${sub.id}", charge: "charge-${run}" } },
          { advance: "P6D" },
        ],
      },
      client: async (request, { fetch }) => {
        const { id, charge } = (await request.json()) as { id: string; charge: string };
        const externalId = charges[charge] === undefined ? charge : `${charge}-again`;
        charges[charge] = null;
        const answer = await fetch(`/public/v1/banking/subscriptions/${id}/payments`, {
          method: "PUT",
          headers: { authorization: "Bearer acme-token" },
          body: JSON.stringify({ ...CHARGE, externalId }),
        }).catch(() => undefined);
        if (answer?.ok === true) charges[charge] = "made";
        return new Response("", { status: answer?.status === 400 ? 422 : answer?.ok === true ? 200 : 503 });
      },
      receiver: () => new Response("{}"),
      partner: { start: async () => undefined, kill: async () => undefined },
      probe: () => charges,
      reset: () => void (charges = {}),
      only: ["call-refused", "call-answer-lost", "killed-in-call"],
      depth: 1,
    });
    const isRefused = "error-taken-for-not-done";
    expect(divergences.map(({ deviations, cause }) => [nameOf(deviations), cause.code])).toEqual([
      ["call-answer-lost-2", isRefused],
      ["killed-in-call-2", isRefused],
    ]);
  });

  test("an id that is only in memory is lost with the process, whatever it handles at that moment", async () => {
    let disk: { id: string | null; events: string[] } = { id: null, events: [] };
    let memory: { id?: string } = {};
    const begin = (): void => void (memory = {});
    const { divergences } = await explore({
      scenario: {
        name: "n",
        start,
        steps: [
          { call: "createPayout", body: { $use: "payout.pix", externalId: "order-${run}" }, save: "payout" },
          { request: "POST partner:/payouts", body: { id: "${payout.id}" } },
          { advance: "PT1H" },
        ],
      },
      client: async (request) => {
        memory = (await request.json()) as { id: string };
        return new Response("{}");
      },
      receiver: async (request) => {
        disk.events.push(((await request.json()) as { event: string }).event);
        const own = memory;
        setImmediate(() => {
          if (own === memory) disk.id ??= own.id ?? null;
        });
        return new Response("{}");
      },
      partner: { start: async () => undefined, kill: async () => begin() },
      probe: () => disk,
      reset: () => {
        disk = { id: null, events: [] };
        begin();
      },
      settleMs: 5,
      only: ["killed-after-answer"],
      depth: 1,
    });
    expect(divergences).toMatchObject([
      {
        differences: [{ path: "$.id", found: null }],
        cause: { code: "not-stored-before-call" },
      },
    ]);
  });

  test("a check and an insert of one moment both pay", async () => {
    const { divergences } = await tried({ calls: "new key for each try" }, { only: ["request-twice"] });
    expect(divergences[0]).toMatchObject({
      deviations: [{ step: 1, kind: "request-twice" }],
      cause: { code: "race-of-copies" },
    });
  });

  test("two requests of one moment are one request twice, also on a machine that stands still for a while now and then", async () => {
    const machine = seededChance(1, "machine");
    const now = performance.now.bind(performance);
    let stoodMs = 0;
    using _ = vi.spyOn(performance, "now").mockImplementation(() => {
      if (machine.below(3) === 0) stoodMs += 10;
      return now() + stoodMs;
    });
    const { client, receive, probe, reset } = payer({ calls: "new key for each try" });
    const bodies: string[] = [];
    const { divergences } = await explore({
      receiver: receive,
      probe,
      reset,
      client: async (request, sandbox) => {
        bodies.push(await request.clone().text());
        return client(request, sandbox);
      },
      scenario: {
        ...orders,
        steps: [
          {
            request: "POST partner:/orders",
            body: { order: "first-${run}", amount: "100.00", customer: "${fake.person}" },
          },
          { advance: "PT1H" },
        ],
      },
      only: ["request-twice"],
      depth: 1,
    });
    expect(divergences.map((one) => nameOf(one.deviations))).toEqual(["request-twice-1"]);
    const inThirdRun = bodies.filter((body) => body.includes("first-r3"));
    expect(inThirdRun).toEqual([inThirdRun[0], inThirdRun[0]]);
  });
});

describe("a right client is never flagged", () => {
  // pairs.everything.test.ts tries the whole depth of 2 for all of them.
  test.each(rightPayers)("a payer with %o, over the whole depth of 1", async (design) => {
    const [first, , ...rest] = orders.steps;
    const scenario = { ...orders, steps: [first, ...rest] };
    const result = await tried(design, { scenario, killed: true });
    expect(result.divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
    expect(result).toMatchObject({ verdict: "converges" });
    expect(result.schedules.tried).toBe(result.schedules.total);
  });
});

test("a client that waits as long as Retry-After says, in wall time, is right", async () => {
  const result = await tried(
    { calls: "waits for Retry-After once" },
    { only: ["call-limited"], scenario: { ...orders, steps: orders.steps.slice(1) } },
  );
  expect(result).toMatchObject({ verdict: "converges", schedules: { tried: 1 } });
  expect(result).not.toHaveProperty("lints");
});

test("a 429 that is sent again at once is reported also where it leaves no trace", async () => {
  const result = await tried({ calls: "repeats a 429 at once" }, { only: ["call-limited"] });
  expect(result).toMatchObject({
    verdict: "converges",
    lints: [
      {
        lint: "repeated-refusal",
        message:
          "createPayout was answered with 429 and sent again 3 times before Retry-After was over. It happened with call-limited-1.",
        requests: ["r3-call-1", "r3-call-2", "r3-call-3", "r3-call-4"],
      },
    ],
  });
});

test("a worker that calls the platform after the last answer, and waits for Retry-After, has done its work before it is compared", async () => {
  const scope =
    "client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd/.default";
  let key = 0;
  using machine = new Machine(1, 1);
  const options: ExploreOptions = {
    scenario: { name: "n", start, steps: [{ request: "POST partner:/payouts" }, { advance: "PT1H" }] },
    client: (_, { fetch }) => {
      const headers = { "content-type": "application/json", "idempotency-key": `key-${(key += 1)}` };
      const body = JSON.stringify({
        paymentMethod: "PIX",
        externalId: "order-1",
        accountId: "11111111-1111-4111-8111-111111111111",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "100.00" },
        description: "order-1",
      });
      const work = async (pauseMs = 5): Promise<void> => {
        await machine.sleep(pauseMs);
        const form = { method: "POST", body: new URLSearchParams(`grant_type=${scope}`) };
        const token = await fetch("/oauth2/v2.0/token", form).catch(() => undefined);
        const { access_token: own } = (await token?.json().catch(() => ({}))) ?? {};
        const asked = { method: "POST", headers: { ...headers, authorization: `Bearer ${own}` }, body };
        const answer = await fetch("/order/v1/banking/order-payouts", asked).catch(() => undefined);
        const refused = token?.ok === true ? answer : token;
        const seconds = Number(refused?.headers.get("retry-after") ?? 0);
        if (answer?.ok !== true) await work(seconds * 1000 || 5);
      };
      void work();
      return new Response(null, { status: 202 });
    },
    receiver: () => new Response("{}"),
    without: ["request-twice"],
    probe: () => ({ isUp: true }),
    settleMs: 60,
    depth: 1,
    timeMs: 10 * 3_600_000,
  };
  const result = await runExploration(options, openSandbox, machine.wall);
  expect(result.divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
  expect(result).toMatchObject({ verdict: "converges", events: [{ event: "ORDER-PAYOUT.PAID" }] });
});

/** A system that pays each order, and reads the platform several times after each webhook. */
function eagerReader(reads: number): Pick<ExploreOptions, "client" | "receiver" | "probe" | "reset"> {
  let paid: Record<string, string> = {};
  let send: typeof fetch | undefined;
  return {
    client: async (request, { fetch }) => {
      send = fetch;
      const { order } = (await request.json()) as { order: string };
      if (paid[order] === undefined && (await isPaidOut(order, fetch))) paid[order] = "sent";
      return new Response("", { status: paid[order] === undefined ? 503 : 200 });
    },
    receiver: async () => {
      const headers = { authorization: "Bearer acme-token" };
      for (let read = 0; read < reads; read++)
        await send?.("/order/v1/banking/accounts", { headers }).catch(() => undefined);
      return new Response("{}");
    },
    probe: () => paid,
    reset: () => (paid = {}),
  };
}

const ordersOf = (count: number): ExploreOptions["scenario"] => ({
  name: "n",
  start,
  steps: [
    ...Array.from({ length: count }, (_, index) => ({
      request: "POST partner:/orders",
      body: { order: `o${index}-\${run}` },
    })),
    { advance: "PT1H" },
  ],
});

test("a long scenario allows as many calls as its steps need, in the baseline and with deviations", async () => {
  const options = { ...eagerReader(30), only: ["twice", "call-answer-lost"] as const, depth: 1, budget: 3 };
  const result = await explore({ ...options, scenario: ordersOf(12) });
  expect(result.calls.length).toBeGreaterThan(300);
  expect(result.schedules.tried).toBe(3);
  expect(result.divergences).toEqual([]);
});

test("a baseline with too many calls is not tried, and says what to do", async () => {
  const { verdict, reason } = await explore({ ...eagerReader(500), scenario: ordersOf(1), depth: 1 });
  expect(verdict).toBe("not-tried");
  expect(reason).toMatch(
    /^It is undecided if the baseline ends: your system made more than 400 calls\. Find the webhook .* each step allows 100 more calls\.$/,
  );
});

test("what a worker of the run before still sends is no difference of the next run", async () => {
  let sent = 0;
  const pay = async (order: string, send: typeof fetch): Promise<void> => {
    sent += 1;
    if (!(await isPaidOut(order, send))) setTimeout(() => void pay(order, send), 40);
  };
  const result = await explore({
    scenario: { ...orders, steps: orders.steps.slice(1) },
    client: async (request, { fetch: send }) => {
      const text = await request.text();
      if (text !== "") await pay((JSON.parse(text) as { order: string }).order, send);
      return new Response(null, { status: 202 });
    },
    receiver: () => new Response("{}"),
    probe: () => ({ isUp: true }),
    only: ["call-answer-lost", "call-fails-after", "twice"],
    settleMs: 5,
    depth: 1,
  });
  expect(result.divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
  expect(result).toMatchObject({ verdict: "converges", schedules: { tried: 3 } });
  expect(sent).toBeGreaterThan(5);
});

test("orders that are paid in another sequence, because the first was refused, are the same orders", async () => {
  let paid: Record<string, string> = {};
  const done = new Set<string>();
  const result = await explore({
    scenario: {
      name: "n",
      start,
      assumptions: { "payout.pix-delay": "PT30M" },
      steps: [
        { request: "POST partner:/batch", body: { orders: ["a-${run}", "b-${run}"] } },
        { advance: "PT1H" },
      ],
    },
    client: async (request, { fetch }) => {
      const { orders: named } = (await request.json()) as { orders: string[] };
      for (const order of named.filter((one) => !done.has(one)))
        if (await isPaidOut(order, fetch)) done.add(order);
      return new Response("", { status: named.every((one) => done.has(one)) ? 200 : 503 });
    },
    receiver: async (request) => {
      const { id, code } = (await request.json()) as { id: string; code: string };
      paid[code] = id;
      return new Response("{}");
    },
    probe: () => paid,
    reset: () => {
      paid = {};
      done.clear();
    },
    only: ["call-refused", "twice"],
  });
  expect(result.divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
});

test("a second payout is a difference of the platform's own state, in words of money, without a probe", async () => {
  const { client, receive: receiver, reset } = payer({ calls: "new key for each try" });
  const result = await explore({ scenario: orders, client, receiver, reset, depth: 1 });
  const [divergence] = result.divergences;
  expect(divergence?.differences.map(({ path }) => path)).toContain("$platform.payouts[1]");
  expect(divergence?.words).toMatch(
    /^100\.00 left the account twice: payouts (first-r\d+) and \1 \(two keys\)$/,
  );
  expect(result.report).toContain(`    ${divergence?.words}\n`);
});

type Row = readonly [name: string, amount: string];

test("words of money name what is there twice, and not what merely has the same amount", async () => {
  const receiver = (): Response => new Response("{}");
  const payout = (externalId: string) => ({
    call: "createPayout",
    body: { $use: "payout.pix", externalId, amount: { currency: "BRL", value: "100.00" } },
  });
  const wordsOf = async (steps: readonly object[]): Promise<unknown> => {
    const only = ["call-answer-lost"] as const;
    const found = await explore({ scenario: { name: "n", start, steps }, receiver, only, depth: 1 });
    return found.divergences[0]?.words?.replaceAll(/-r\d+/g, "");
  };
  const again = { ...payout("c-${run}"), retry: "new-key" };
  expect(await wordsOf([payout("a-${run}"), payout("b-${run}"), again])).toBe(
    "100.00 left the account twice: payouts c and c (two keys)",
  );
  const sale = {
    call: "createTransparentOrder",
    body: {
      $use: "order.pix",
      order: {
        externalId: "sale-${run}",
        paymentMethod: "PIX",
        amount: { currency: "BRL", value: "150.00" },
      },
    },
    save: "sale",
  };
  const refund = { call: "refundOrder", body: { $use: "refund.part", orderId: "${sale.id}" } };
  expect(await wordsOf([sale, { act: "order.pay", on: "${sale.id}" }, { ...refund, retry: "new-key" }])).toBe(
    "20.00 was refunded twice: refunds of sale and of sale",
  );
  const payouts = (...all: readonly Row[]) => ({
    payouts: all.map(([externalId, amount]) => ({ externalId, amount })),
  });
  const words = (baseline: unknown, found: unknown, other: object = {}) =>
    moneyWords({ baseline, found, raw: found, calls: [], run: "r7", ...other });
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name): Row => [name, "100.00"]) as [Row, Row, Row, Row];
  expect(words(payouts(a, b, c), payouts(a, b, c, d))).toBe("100.00 left the account once more: payout d");
  // What is there by position is not what is there twice.
  const named = payouts(["event 1 code", "100.00"], ["event 2 code", "100.00"], ["b-x", "50.00"]);
  const raw = payouts(["a-x", "100.00"], ["a-y", "100.00"], ["b-x", "50.00"]);
  expect(words(payouts(["event 1 code", "100.00"], ["event 2 code", "50.00"]), named, { raw })).toBe(
    "100.00 left the account twice: payouts a-x and a-y",
  );
  // What was not asked for, because a step before it failed, is not missing.
  expect(words(payouts(a, b), payouts(a))).toBe("100.00 never left the account: payout b is missing");
  expect(words(payouts(a, b), payouts(a), { isMissed: (name: string) => name === "a" })).toBeUndefined();
});

test("webhooks that were not disturbed are listed, with the reason", async () => {
  const { notTried } = await tried({}, { only: ["call-lost"] });
  expect(notTried).toContain("webhooks: 2, none disturbed (not chosen)");
});

test("calls are listed and recognised beside events, and what was not tried is said", async () => {
  const result = await tried({});
  expect(result.calls).toEqual([
    { index: 1, operation: "createPayout", object: "first-${run}" },
    { index: 2, operation: "createPayout", object: "second-${run}" },
  ]);
  expect(result.cells).toContainEqual({ call: 2, kind: "call-lost", result: "ok" });
  expect(result.notTried).toEqual([
    "books: none declared",
    "crashes: none (no --partner)",
    "early: for no event (no call announces an event at once, or by a timer that is due before its caller gives up)",
    "late work: timers of your system were not waited for (settleMs)",
    "races: sampled once, so a race is still possible",
  ]);
  expect(result.report).toContain(`    Not tried: ${result.notTried.join("; ")}.\n`);
});

test.each<Design>([{}, { calls: "new key for each try" }])(
  "the same seed gives the same JSON, byte for byte: %j",
  async (design) => {
    // Two requests of one moment race in this process, and a busy machine decides the race.
    const options = { killed: true, depth: 2, budget: 40, without: ["request-twice" as const] };
    const first = JSON.stringify(await tried(design, options));
    expect(JSON.stringify(await tried(design, options))).toBe(first);
  },
);

test("the client of the documentation pays twice as it says, and once with the fix", async () => {
  const blocks = blocksOf("docs/explore.md").filter(({ title }) => title === "order.yaml");
  const textOf = (language: string): string => blocks.find((one) => one.language === language)?.text ?? "";
  const [wrong = "", right = ""] = textOf("diff")
    .split("\n")
    .map((line) => line.slice(1).trim());
  expect(textOf("yaml")).toContain(wrong);
  const exploreText = (text: string) =>
    explore({ scenario: parse(text) as object, receiver: () => new Response("{}") });
  const found = await exploreText(textOf("yaml"));
  expectAnswer(textOf("text"), found.report, "text");
  expect(await exploreText(textOf("yaml").replace(wrong, right))).toMatchObject({ verdict: "converges" });
});

test("a step that acts as the client shows what each way of repeating costs", async () => {
  const payoutWith = (retry: string) => ({
    name: "n",
    start,
    steps: [{ call: "createPayout", body: { $use: "payout.pix", externalId: "order-${run}" }, retry }],
  });
  const receiver = (): Response => new Response("{}");
  const [same, other] = await Promise.all(
    ["same-key", "new-key"].map((retry) => explore({ scenario: payoutWith(retry), receiver, depth: 2 })),
  );
  expect([same?.reason, same?.verdict]).toEqual([undefined, "converges"]);
  expect(other?.divergences.map(({ deviations }) => nameOf(deviations))).toEqual([
    "call-answer-lost-1",
    "call-fails-after-1",
  ]);
  const none = await explore({ scenario: payoutWith("none"), receiver, only: ["calls"], probe: () => ({}) });
  expect(none).toMatchObject({ verdict: "not-tried", reason: expect.stringContaining("`retry`") });
});

test("a webhook that comes before the answer of the call, two seconds later, finds who knows only the id in it", async () => {
  const exploreClient = (knowsName: boolean) => {
    let paid: Record<string, boolean> = {};
    return explore({
      scenario: { name: "n", start, steps: [{ request: "POST partner:/orders" }, { advance: "PT1H" }] },
      only: ["early", "call-answer-lost"],
      depth: 1,
      probe: () => Object.values(paid),
      reset: () => (paid = {}),
      client: async (_, { fetch }) => {
        if (knowsName) paid["order-1"] ??= false;
        const answer = await fetch("/order/v1/banking/order-payouts", {
          method: "POST",
          headers: { authorization: "Bearer acme-token", "idempotency-key": "1" },
          body: JSON.stringify({
            externalId: "order-1",
            accountId: "11111111-1111-4111-8111-111111111111",
            paymentMethod: "PIX",
            paymentData: { pixKey: "ok@pix.example" },
            amount: { currency: "BRL", value: "1.00" },
            description: "An order",
          }),
        });
        const { id } = (await answer.json()) as { id: string };
        if (!knowsName) paid[id] ??= false;
        return new Response("{}");
      },
      receiver: async (request) => {
        const { id, code } = (await request.json()) as { id: string; code: string };
        const name = knowsName ? code : id;
        if (name in paid) paid[name] = true;
        return new Response("{}");
      },
    });
  };
  const [wrong, right] = [await exploreClient(false), await exploreClient(true)];
  expect(wrong.divergences).toMatchObject([
    {
      deviations: [{ event: 1, kind: "early" }],
      differences: [{ path: "$[0]", baseline: true, found: false }],
      title: "ORDER-PAYOUT.PAID came before the answer to createPayout",
      cause: { code: "unknown-object-forgotten" },
    },
    {
      deviations: [{ call: 1, kind: "call-answer-lost" }],
      cause: { code: "unknown-object-forgotten" },
    },
  ]);
  expect(right).toMatchObject({ verdict: "converges", schedules: { tried: 2 } });
});
