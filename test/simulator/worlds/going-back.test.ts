import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { expect, test } from "vitest";
import fc from "fast-check";
import {
  ACME_ACCOUNT,
  type Answered,
  type Partner,
  RECEIVER_URL,
  openPartner,
  subscriptionBody,
} from "../../partner.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";

/** One thing that is done to a world. `pick` chooses among the objects there. */
interface Step {
  readonly verb: keyof typeof STEPS;
  readonly pick: number;
}

type Ask = (method: string, path: string, body?: object) => Promise<Answered>;

const MONEY = { currency: "BRL", value: "59.90" };

async function idOfOne(ask: Ask, collection: string, pick: number): Promise<string> {
  const { data } = (await ask("GET", `/sandbox/resources/${collection}`)).body as { data: { id: string }[] };
  return data[pick % data.length]?.id ?? "none";
}

function act(name: string, collection: string, input: object = {}) {
  return async (ask: Ask, pick: number) =>
    ask("POST", `/sandbox/acts/${name}`, { id: await idOfOne(ask, collection, pick), ...input });
}

function plan(name: string, ...outcomes: string[]) {
  return (ask: Ask, pick: number) =>
    ask("POST", "/sandbox/plans", { plan: name, outcomes: outcomes.slice(pick % outcomes.length) });
}

function fault(effect: string, own: object = {}) {
  return (ask: Ask, pick: number) =>
    ask("POST", "/sandbox/faults", { on: "webhook", effect, times: (pick % 3) + 1, ...own });
}

/** What people, institutions, the clock and faults do to a world; much of it is refused, in the same way each time. */
const STEPS = {
  subscribe: (ask, pick) =>
    ask("POST", "/order/v1/banking/subscriptions", subscriptionBody({ externalId: `s${pick}` })),
  accept: act("subscription.accept", "subscriptions"),
  reject: act("subscription.reject", "subscriptions"),
  cancel: act("subscription.request-cancellation", "subscriptions", { reason: "PAYER_DECEASED" }),
  charge: async (ask, pick) => {
    const id = await idOfOne(ask, "subscriptions", pick);
    const dueDate = `2026-11-${String(22 + (pick % 9)).padStart(2, "0")}`;
    const body = { externalId: `c${pick}`, dueDate, amount: MONEY };
    return ask("PUT", `/public/v1/banking/subscriptions/${id}/payments`, body);
  },
  order: (ask, pick) => {
    const order = { externalId: `o${pick}`, paymentMethod: "PIX", partner: "PIX_PARTNER", amount: MONEY };
    return ask("PUT", "/order/v2/transparent", { order: { ...order, notificationUrl: RECEIVER_URL } });
  },
  pay: act("order.pay", "orders"),
  refund: async (ask, pick) => {
    const orderId = await idOfOne(ask, "orders", pick);
    const requestedBy = { name: "Olga", email: "olga@shop.example" };
    return ask("PUT", "/order/v2/refund", { orderId, reason: "broken", requestedBy, amount: "10.00" });
  },
  payOut: (ask, pick) =>
    ask("POST", "/order/v1/banking/order-payouts", {
      externalId: `p${pick}`,
      accountId: ACME_ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: pick % 2 === 0 ? "ok@pix.example" : "slow@pix.example" },
      amount: { currency: "BRL", value: pick % 5 === 0 ? "31000.00" : "12.34" },
      description: "invoice",
    }),
  planSettlement: plan(
    "scheduled-payment.settlement",
    "SETTLEMENT_ERROR",
    "SETTLEMENT_ERROR",
    "INSUFFICIENT_BALANCE",
  ),
  planPayout: plan("payout.settlement", "ERROR", "CANCELED"),
  duplicate: fault("duplicate", { probability: 0.5 }),
  delay: fault("delay", { by: "PT3M" }),
  lose: fault("lose", { probability: 0.3 }),
  rotate: (ask) => ask("POST", "/order/v1/webhook/rotate-secret"),
  wait: (ask, pick) => ask("POST", "/sandbox/clock/advance", { by: `PT${(pick * 37) % 4000}M` }),
  next: (ask) => ask("POST", "/sandbox/clock/advance", { until: "next" }),
} satisfies Record<string, (ask: Ask, pick: number) => Promise<Answered>>;

const steps = fc.array(
  fc.record({
    verb: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
    pick: fc.nat({ max: 40 }),
  }),
  { minLength: 1, maxLength: 14, size: "max" },
);

/** A receiver that fails now and then, as the bytes it gets decide: it remembers nothing. */
const transport = transportTo({
  receive: ({ body }) => ({ status: body.length % 3 === 0 ? 500 : 200, headers: {}, body: "" }),
});

/** A world as a caller with its token sees it. */
class Viewpoint {
  readonly #partner: Partner;
  readonly #token: string;
  #count = 0;

  constructor(partner: Partner, token: string) {
    this.#partner = partner;
    this.#token = token;
  }

  /** Does one after the other, each once the webhooks of the one before have arrived, and gives what was answered. */
  async take(all: readonly Step[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const { verb, pick } of all) {
      const key = `00000000-0000-4000-8000-${String(++this.#count).padStart(12, "0")}`;
      const ask: Ask = (method, path, body) =>
        this.#partner.ask(method, path, { token: this.#token, key, ...(body && { body }) });
      const { status, body } = await STEPS[verb](ask, pick);
      answers.push(this.#plain({ status, body }));
      await ask("POST", "/sandbox/clock/advance", { by: "PT0S" });
    }
    return answers;
  }

  /** Counts its keys again from where it stood. */
  rewind(count: number): void {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /** All there is to be seen. */
  async all(): Promise<SandboxObject> {
    const seen: SandboxObject = {};
    for (const path of await this.#paths()) {
      const { body } = await this.#partner.ask("GET", path, { token: this.#token });
      seen[path] = this.#plain(body);
    }
    return seen;
  }

  async #paths(): Promise<string[]> {
    const { body } = await this.#partner.ask("GET", "/sandbox/resources", { token: this.#token });
    const collections = (body["data"] as { collection: string }[]).map(
      ({ collection }) => `/sandbox/resources/${collection}`,
    );
    const views = ["clock", "deliveries", "ledger", "plans", "faults", "inbox"];
    return [...collections, ...views.map((view) => `/sandbox/${view}`), "/order/v1/webhook"];
  }

  /** Without wall time, the numbers of journal entries (a fork is one more), and the name of the world in URLs and credentials. */
  #plain(value: unknown): unknown {
    const text = JSON.stringify(value)
      .replaceAll(/"(?:entry|causedBy)":\d+/g, '"entry":0')
      .replaceAll(/"durationMs":(?:\d+|null)/g, '"durationMs":0')
      .replaceAll(/\/pay\/[^/]+\//g, "/pay/world/");
    const [suffix] = /\.w\d+$/.exec(this.#token) ?? [];
    return JSON.parse(suffix === undefined ? text : text.replaceAll(suffix, "")) as unknown;
  }
}

const openSandbox = (): Promise<Partner> => openPartner({ transport });

test("a restored world has its former state and continues as before", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(steps, steps, steps, async (before, after, otherwise) => {
    await using partner = await openSandbox();
    const world = new Viewpoint(partner, "acme-token");
    await world.take(before);
    const { id } = await partner.sandbox.snapshot();
    const stood = { digest: partner.sandbox.digest(), all: await world.all(), count: world.count };
    const answers = await world.take(after);
    const ended = { digest: partner.sandbox.digest(), all: await world.all() };
    for (const other of [otherwise, []]) {
      await world.take(other);
      await partner.sandbox.restore(id);
      world.rewind(stood.count);
      expect(partner.sandbox.digest()).toBe(stood.digest);
      expect(await world.all()).toEqual(stood.all);
    }
    expect(await world.take(after)).toEqual(answers);
    expect(await world.all()).toEqual(ended.all);
    expect(partner.sandbox.digest()).toBe(ended.digest);
  });
  await fc.assert(property, { numRuns: 25 });
});

test(
  "a fork with the seed of its origin continues as that would, and neither changes the other",
  { timeout: 120_000 },
  async () => {
    const property = fc.asyncProperty(steps, steps, steps, async (before, after, otherwise) => {
      await using partner = await openSandbox();
      const origin = new Viewpoint(partner, "acme-token");
      await origin.take(before);
      const stood = { digest: partner.sandbox.digest(), all: await origin.all() };
      const seed = 7;
      const made = [await partner.sandbox.fork({ seed }), await partner.sandbox.fork({ seed })];
      const [fork, other] = made.map(({ companies }) => {
        const { token } = (companies as { token: string }[])[0]!;
        const view = new Viewpoint(partner, token);
        view.rewind(origin.count);
        return view;
      }) as [Viewpoint, Viewpoint];
      expect(await fork.all()).toEqual(stood.all);
      const answers = await fork.take(after);
      const forked = await fork.all();
      await other.take(otherwise);
      expect(partner.sandbox.digest()).toBe(stood.digest);
      expect(await origin.all()).toEqual(stood.all);
      expect(await origin.take(after)).toEqual(answers);
      expect(await origin.all()).toEqual(forked);
      expect(await fork.all()).toEqual(forked);
    });
    await fc.assert(property, { numRuns: 25 });
  },
);
