import { afterEach, expect, test, vi } from "vitest";
import { LongWork } from "../../src/base/long-work.ts";
import { type Operation, operations } from "../../src/simulator/api/operations.ts";
import { stateLibrary } from "../../src/contracts/states/state-library.ts";
import { type Partner, openPartner, subscriptionBody } from "../partner.ts";
import { makeTurnsShort } from "../short-turns.ts";

afterEach(() => vi.restoreAllMocks());

/** Counts turns of the event loop while something is awaited: other requests are answered in each of them. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    isOver = true;
  }
  return turns;
}

test("pieces of long work have their turns one after another, one in each turn of the event loop", async () => {
  makeTurnsShort();
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    const long = new LongWork();
    for (let part = 0; part < 3; part++) {
      order.push(name);
      await long.nextTurn();
    }
  };
  const turns = await turnsOf(() => Promise.all([work("a"), work("b"), work("c")]));
  expect(order.join("")).toBe("abcabcabc");
  expect(turns).toBeGreaterThanOrEqual(9);
});

test("the steps of a generator are taken in turns, or at once if one turn is long enough for all", async () => {
  const taken: number[] = [];
  const steps = function* (): Generator<void> {
    for (let step = 0; step < 3; step++) {
      taken.push(step);
      yield;
    }
  };
  // No time passes, also on a machine that stops this process.
  const still = vi.spyOn(performance, "now").mockReturnValue(0);
  expect(new LongWork().take(steps())).toBe(undefined);
  still.mockRestore();
  expect(taken).toEqual([0, 1, 2]);
  makeTurnsShort();
  const turns = await turnsOf(async () => new LongWork().take(steps()));
  expect(taken).toEqual([0, 1, 2, 0, 1, 2]);
  expect(turns).toBeGreaterThanOrEqual(3);
});

const COUNT = 60;

/** A world with as many subscriptions, and a charge of each that is due at one instant. */
async function openBusy(): Promise<Partner> {
  const partner = await openPartner();
  for (let number = 0; number < COUNT; number++) {
    const made = await partner.ask("POST", "/order/v1/banking/subscriptions", {
      body: subscriptionBody({ externalId: `subscription-${number}` }),
    });
    const id = made.body["id"] as string;
    await partner.act("subscription.accept", { id });
    await partner.ask("PUT", `/public/v1/banking/subscriptions/${id}/payments`, {
      body: {
        externalId: `charge-${number}`,
        dueDate: "2026-11-25",
        amount: { currency: "BRL", value: "59.90" },
      },
    });
  }
  return partner;
}

const read = (path: string) => async (partner: Partner) =>
  void (await (await partner.sandbox.fetch(path)).text());

const LONG: Readonly<Record<string, (partner: Partner) => Promise<unknown>>> = {
  "an advance": (partner) => partner.advance("P1M"),
  "an advance that does not wait for webhooks": (partner) =>
    partner.ask("POST", "/sandbox/clock/advance", { body: { by: "P1M", wait: false } }),
  "the timeline": read("/sandbox/timeline?last=999999999"),
  "the timeline of an object": read("/sandbox/timeline?about=none"),
  "the recording": read("/sandbox/recording"),
  "a collection": read("/sandbox/resources/subscriptions"),
  "the list of webhooks": read("/sandbox/deliveries?last=999999999"),
  "the ledger": read("/sandbox/ledger"),
  "the digest": read("/sandbox/digest"),
  "the HAR document": read("/sandbox/requests?format=har"),
};

for (const [what, work] of Object.entries(LONG))
  test(`${what} lets other requests be answered after each part of the work`, async () => {
    await using partner = await openBusy();
    await partner.advance(what.startsWith("an advance") ? "PT0S" : "P1M");
    makeTurnsShort();
    expect(await turnsOf(() => work(partner))).toBeGreaterThan(COUNT);
  });

test("a resend of many webhooks lets other requests be answered in between", async () => {
  await using partner = await openBusy();
  await partner.advance("PT0S");
  makeTurnsShort();
  const body = { status: "delivered" };
  const turns = await turnsOf(() => partner.ask("POST", "/sandbox/deliveries/resend", { body }));
  expect(turns).toBeGreaterThan(COUNT);
});

test("the journal does not depend on how long turns are", async () => {
  const digests: string[] = [];
  for (const isShort of [false, true]) {
    await using partner = await openBusy();
    if (isShort) makeTurnsShort();
    await partner.advance("P1M");
    await partner.ask("POST", "/sandbox/deliveries/resend", { body: { status: "delivered" } });
    await createAfterwards(partner);
    await partner.advance("PT1S");
    digests.push(partner.sandbox.digest());
    vi.restoreAllMocks();
  }
  expect(digests[1]).toBe(digests[0]);
});

async function createAfterwards(partner: Partner): Promise<void> {
  const body = subscriptionBody({ externalId: "afterwards" });
  await partner.ask("POST", "/order/v1/banking/subscriptions", { body });
}

test("a call during an advance is made after what is due at its instant, and the advance goes on", async () => {
  await using partner = await openBusy();
  makeTurnsShort();
  const advance = partner.advance("P1M");
  for (let number = 0; number < 5; number++) {
    const made = await partner.ask("POST", "/order/v1/banking/subscriptions", {
      body: subscriptionBody({ externalId: `meanwhile-${number}`, startDate: "2026-12-20" }),
    });
    expect(made.status).toBe(201);
  }
  expect(await advance).toMatchObject({ to: "2026-12-20T12:00:00.000Z" });
});

test("the OpenAPI document, the reference page and the list of provider states are first made in turns", async () => {
  await using partner = await openPartner();
  makeTurnsShort();
  const shapes = new Set(Object.values<Operation>(operations).flatMap(({ request }) => request ?? []));
  const first = async (path: string): Promise<number> =>
    turnsOf(async () => (await partner.sandbox.fetch(path)).text());
  expect(await first("/openapi.json")).toBeGreaterThanOrEqual(shapes.size);
  expect(await first("/docs")).toBeGreaterThanOrEqual(shapes.size);
  const { names } = await stateLibrary();
  expect(await first("/sandbox/pact/states")).toBeGreaterThanOrEqual(names.length);
});

test("requests that wait for a check to be compiled are answered in their order", async () => {
  await using partner = await openPartner();
  makeTurnsShort();
  const answered: string[] = [];
  const send = async (path: string): Promise<void> => {
    await partner.ask("PUT", path, { body: {} });
    answered.push(path);
  };
  const paths = [
    "/order/v2/transparent",
    "/order/v2/refund",
    "/order/v2/transparent",
    "/order/v3/transparent",
  ];
  await Promise.all(paths.map(send));
  expect(answered).toEqual(paths);
});
