import { type Answered, isThere, type Life, newLife, send } from "./payer-calls.ts";
import { type Chance, seededChance } from "../../src/simulator/engine/random.ts";
import { type Design, type Values, valuesOf } from "./choices.ts";
import { here, type Place } from "./place.ts";
import type { PartnerClient } from "../../src/partner/partner-system.ts";
import type { PartnerProcess } from "../../src/partner/partner-process.ts";

interface Order {
  state: "new" | "sent" | "paid" | "failed";
  readonly amount: string;
  key?: string;
  tries?: number;
  /** The moment of the next try. */
  dueMs?: number;
  /** The externalId of the last try, if it is another text than the order's id. */
  name?: string;
}

/** Data that survives a kill. */
export interface PayerDatabase {
  orders: Record<string, Order>;
  refunds: Record<string, { state: string; key: string }>;
  handled: string[];
  /** The number of handled webhooks. */
  received: number;
  /** The number of orders before the cursor of the nightly job. */
  cursor: number;
}

export function emptyDatabase(): PayerDatabase {
  return { orders: {}, refunds: {}, handled: [], received: 0, cursor: 0 };
}

interface Part {
  readonly order: string;
  readonly amount: string;
}

/** How long the partner's process needs to start. */
export const STARTS_MS: Readonly<Record<string, number>> = { "30 ms": 30, "three seconds": 3_000 };

/** How often a worker looks for work. */
const POLLS_MS: Readonly<Record<string, number>> = { "200 ms": 200, "each second": 1_000 };
const POLL_MS = 40;

/** The pause of a worker after a failed try. */
function backOffMs(backOff: string, tries: number, jitter: number): number {
  if (backOff === "doubling with jitter") return 250 * 2 ** tries * (1 + jitter / 4);
  return { "100 ms": 100, "half a second": 500, [IMPATIENT]: 100 }[backOff] ?? 0;
}

/** How often a worker tries an order. The next night tries the order again. */
const WORKER_TRIES_MAX = 8;

/** A worker that does not try an order again after this many tries. It does not wait for Retry-After. */
const IMPATIENT = "three tries within half a second";
const IMPATIENT_TRIES = 3;

/** The work between the mark of a webhook and what is stored of it: longer than until any kill. */
const UNMARKED_MS = 200;

/** The nightly job whose cursor leaves open orders behind. */
const PASSES = "the cursor passes open orders";

const IN_MEMORY = "202 and a queue in memory";

/** The designs that make a new idempotency key for each try. */
const NEW_KEYS = new Set([
  "new key for each try",
  "new externalId for each try",
  "key stored after the answer",
]);

/** The designs that store an order only after its call. */
const STORED_LATE = new Set(["key stored after the answer", "stored after its own answer"]);

const ACCOUNT = "11111111-1111-4111-8111-111111111111";

/** Returns a payer whose values are the first of each choice, but for these. */
export function payer(design: Design = {}, place: Place = here, database = emptyDatabase()): Payer {
  return new Payer(valuesOf(design), place, { database });
}

/** A partner's system that pays orders and refunds out. */
export class Payer {
  readonly #values: Values;
  readonly #place: Place;
  readonly #seed: number;
  readonly #database: PayerDatabase;
  readonly #jitter: Chance;
  #life: Life = newLife();
  #keys = 0;
  /** Every run has other drawn names, so a reset keeps the count. */
  #names = 0;

  constructor(
    values: Values,
    place: Place,
    { seed = 1, database = emptyDatabase() }: { seed?: number; database?: PayerDatabase } = {},
  ) {
    this.#values = values;
    this.#place = place;
    this.#seed = seed;
    this.#database = database;
    this.#jitter = seededChance(seed, "jitter");
  }

  readonly process: PartnerProcess = {
    start: async () => {
      await this.#place.work(STARTS_MS[this.#values.start] ?? 0);
      this.#life = newLife();
    },
    kill: async () => void (this.#life.isDead = true),
  };

  readonly probe = (): unknown => {
    const { orders } = this.#database;
    if (this.#values.shown === "all that is stored") return this.#database;
    return Object.fromEntries(
      Object.entries(orders).map(([order, { state, amount }]) => [order, { state, amount }]),
    );
  };

  readonly reset = (): void => {
    this.#life.isDead = true;
    this.#life = newLife();
    Object.assign(this.#database, emptyDatabase());
  };

  readonly client: PartnerClient = async (request, { fetch }) => {
    const life = this.#life;
    life.fetch = fetch;
    await this.#place.work(0.5);
    if (life.isDead) return Response.error();
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/work")) {
      await this.#workAtNight(life);
      return Response.json({});
    }
    const body: unknown = await request.json();
    if (pathname.endsWith("/batches")) return this.#batch((body as { parts: Part[] }).parts, life);
    if (pathname.endsWith("/refunds")) return this.#refund(body as { order: string; id: string }, life);
    return this.#order(body as Part, life);
  };

  readonly receive = async (request: Request): Promise<Response> => {
    const life = this.#life;
    const { speed, marks } = this.#values;
    const event = (await request.json()) as { event: string; id: string; code: string };
    await this.#place.work(speed === "50 ms" ? 50 : 0.5);
    if (life.isDead) return new Response("", { status: 500 });
    const stored = this.#store(event, life);
    if (marks !== "answers before it stores") await stored;
    if (life.isDead) return new Response("", { status: 500 });
    return Response.json({ returnCode: "OK" });
  };

  async #store({ event, id, code }: { event: string; id: string; code: string }, life: Life): Promise<void> {
    const { marks, recognition } = this.#values;
    const mark = `${event} ${id}`;
    const isOfMemory = recognition === "in memory only";
    const marksOf = (): string[] => (isOfMemory ? life.handled : this.#database.handled);
    if (marksOf().includes(mark)) return;
    if (marks === "marks before it works") marksOf().push(mark);
    if (marks !== "marks with its work" || isOfMemory) await this.#place.work(UNMARKED_MS);
    if (life.isDead) return;
    const { orders } = this.#database;
    // An order that is known only by its webhook was paid all the same.
    const known = Object.entries(orders).find(([order, { name = order }]) => name === code)?.[1];
    if (event === "ORDER-PAYOUT.PAID" && known !== undefined) known.state = "paid";
    if (marks === "answers before it stores" && marksOf().includes(mark)) return;
    this.#database.received += 1;
    if (marks !== "marks before it works") marksOf().push(mark);
  }

  get #isWorker(): boolean {
    const { calls, answers } = this.#values;
    return this.#isNightly || calls === "worker that honours Retry-After" || answers === "202 and a worker";
  }

  /** True if only the nightly job sends orders. */
  get #isNightly(): boolean {
    const { night } = this.#values;
    return night === "nothing is sent before" || night === PASSES;
  }

  async #order({ order, amount }: Part, life: Life): Promise<Response> {
    const { calls, answers } = this.#values;
    const { orders } = this.#database;
    if (answers === IN_MEMORY) {
      life.queue[order] = amount;
      void this.#workQueueOff(life);
      return new Response("", { status: 202 });
    }
    const isStoredFirst = this.#isWorker || !STORED_LATE.has(calls);
    if (isStoredFirst) orders[order] ??= this.#newOrder(order, amount);
    if (!this.#isWorker) return this.#pay(order, life, orders[order] ?? { state: "new", amount });
    if (!this.#isNightly) void this.#workOff(life);
    return new Response("", { status: 202 });
  }

  get #isKeyNew(): boolean {
    const { calls, backOff } = this.#values;
    return NEW_KEYS.has(calls) || backOff === "a new key for each repeat";
  }

  #newOrder(order: string, amount: string): Order {
    const isKeyStored = this.#isWorker && !this.#isKeyNew;
    return { state: "new", amount, ...(isKeyStored && { key: `key-${order}` }) };
  }

  async #batch(parts: readonly Part[], life: Life): Promise<Response> {
    const { batches } = this.#values;
    if (batches !== "open parts") return this.#wholeBatch(parts, life);
    for (const part of parts) {
      const answer = await this.#order(part, life);
      if (!answer.ok) return answer;
    }
    return Response.json({});
  }

  /** Sends each part under a key of this try. */
  async #wholeBatch(parts: readonly Part[], life: Life): Promise<Response> {
    const again = ++this.#keys;
    let isDone = true;
    for (const { order, amount } of parts) {
      const key = `key-${order}-${again}`;
      const { status } = await this.#send({ externalId: order, amount, key }, life);
      if (life.isDead) return Response.error();
      if (status !== null && status < 400) this.#isSent(order, { state: "new", amount });
      else isDone = false;
      if (!isDone && this.#values.batches === "whole until one fails") break;
    }
    return new Response("", { status: isDone ? 200 : 503 });
  }

  async #refund({ order, id }: { order: string; id: string }, life: Life): Promise<Response> {
    const { refunds } = this.#database;
    refunds[order] ??= { state: "new", key: crypto.randomUUID() };
    const { state, key } = refunds[order];
    if (state === "done") return Response.json({});
    const isNew = this.#values.refunds === "new key for each try";
    const { status } = await this.#call(
      {
        method: "PUT",
        path: "/order/v2/refund",
        body: {
          orderId: id,
          amount: "10.00",
          reason: "CUSTOMER_REQUEST",
          requestedBy: { name: "Ana", email: "ana@acme.example" },
        },
        key: isNew ? crypto.randomUUID() : key,
      },
      life,
    );
    if (life.isDead) return Response.error();
    if (status === null || status >= 400) return new Response("", { status: 503 });
    this.#database.refunds[order] = { state: "done", key };
    return Response.json({});
  }

  async #workAtNight(life: Life): Promise<void> {
    const database = this.#database;
    const { night } = this.#values;
    const all = Object.keys(database.orders);
    const isOfCursor = night === "open orders from a cursor" || night === PASSES;
    for (const order of all.slice(isOfCursor ? database.cursor : 0)) {
      await this.#pay(order, life);
      if (life.isDead) return;
    }
    const open = all.findIndex((order) => database.orders[order]?.state === "new");
    database.cursor = night === PASSES || open < 0 ? all.length : open;
  }

  async #workOff(life: Life): Promise<void> {
    if (life.isWorking) return;
    life.isWorking = true;
    const { backOff, poll } = this.#values;
    const pollMs = backOff === "a table that is polled each second" ? 1_000 : (POLLS_MS[poll] ?? POLL_MS);
    try {
      for (;;) {
        await this.#place.sleep(pollMs);
        if (life.isDead) return;
        const waiting = Object.entries(this.#database.orders).filter(
          ([, { state, tries = 0 }]) => state === "new" && tries < WORKER_TRIES_MAX,
        );
        if (life.isDead || waiting.length === 0) return;
        for (const [order, stored] of waiting) {
          if ((stored.dueMs ?? 0) > this.#place.wall.now()) continue;
          const tries = stored.tries ?? 0;
          stored.tries = tries + 1;
          await this.#pay(order, life);
          const isLast = backOff === IMPATIENT && stored.tries === IMPATIENT_TRIES;
          if (isLast && stored.state === "new") stored.state = "failed";
          stored.dueMs = this.#place.wall.now() + backOffMs(backOff, tries, this.#jitter.below(1000) / 1000);
        }
      }
    } finally {
      life.isWorking = false;
    }
  }

  /** Pays the orders that are only in memory. */
  async #workQueueOff(life: Life): Promise<void> {
    if (life.isWorking) return;
    life.isWorking = true;
    while (!life.isDead && Object.keys(life.queue).length > 0) {
      for (const [order, amount] of Object.entries(life.queue)) {
        const { ok } = await this.#pay(order, life, { state: "new", amount });
        if (ok) delete life.queue[order];
      }
      await this.#place.sleep(POLL_MS);
    }
    life.isWorking = false;
  }

  async #pay(order: string, life: Life, given?: Order): Promise<Response> {
    const { calls } = this.#values;
    const { orders } = this.#database;
    const stored = given ?? orders[order];
    if (stored === undefined || stored.state !== "new")
      return new Response("", { status: stored?.state === "failed" ? 422 : 200 });
    const isAgain = orders[order] !== undefined;
    if (this.#isNameDrawn(order)) stored.name ??= `payment-${this.#seed}-${++this.#names}`;
    if (calls === "look-up first" && isAgain && (await isThere(stored.name ?? order, life))) {
      this.#isSent(order, stored);
      return Response.json({});
    }
    const key = this.#keyOf(order, stored, life);
    if (calls === "new externalId for each try") stored.name = `${order}-${this.#keys}`;
    const externalId = stored.name ?? order;
    const { status, retryAfterMs } = await this.#send({ externalId, amount: stored.amount, key }, life);
    if (life.isDead) return Response.error();
    if (status !== null && status < 400) {
      if (calls === "stored after its own answer")
        setImmediate(() => life.isDead || this.#isSent(order, stored));
      else this.#isSent(order, stored);
      return Response.json({});
    }
    if (this.#isFailed(status)) {
      this.#database.orders[order] = { ...stored, state: "failed" };
      return new Response("", { status: 422 });
    }
    if (this.#isWorker && this.#values.backOff !== IMPATIENT) await this.#place.sleep(retryAfterMs);
    return new Response("", { status: 503 });
  }

  #keyOf(order: string, stored: Order, life: Life): string {
    const { calls } = this.#values;
    if (calls === "stored after its own answer")
      return (life.keys[order] ??= `key-${this.#seed}-${++this.#keys}`);
    if (this.#isKeyNew) return `key-${this.#seed}-${++this.#keys}`;
    if (calls === "key with the number of the try") return (stored.key = `${stored.key ?? order}-again`);
    return (stored.key ??= `key-${order}`);
  }

  /** Returns true if the design gives an order up after this status. */
  #isFailed(status: number | null): boolean {
    const { calls } = this.#values;
    if (status === null || status >= 500)
      return calls === "takes an error for not done" || (calls === "gives up" && status === 503);
    if (status === 429)
      return ["takes Retry-After for milliseconds", "waits for Retry-After once", "gives up"].includes(calls);
    return status !== 401;
  }

  #isNameDrawn(order: string): boolean {
    const { names } = this.#values;
    const isSecond = Object.keys(this.#database.orders).indexOf(order) % 2 === 1;
    return names === "drawn by the system" || (names === "drawn for each second order" && isSecond);
  }

  #isSent(order: string, stored: Order): void {
    const { orders } = this.#database;
    const now = orders[order] ?? stored;
    if (now.state === "new") orders[order] = { ...now, state: "sent" };
  }

  #send(
    { externalId, amount, key }: { externalId: string; amount: string; key: string },
    life: Life,
  ): Promise<Answered> {
    const body = {
      externalId,
      accountId: ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: amount },
      description: "An order",
    };
    return this.#call({ method: "POST", path: "/order/v1/banking/order-payouts", body, key }, life);
  }

  #call(call: Parameters<typeof send>[0], life: Life): Promise<Answered> {
    return send(call, { life, place: this.#place, values: this.#values });
  }
}
