import type { Draw } from "./choices.ts";
import { type Chance, seededChance } from "../../src/simulator/engine/random.ts";
import type { Machine } from "./machine.ts";
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

interface Database {
  orders: Record<string, Order>;
  handled: string[];
  /** The number of orders before the cursor of the nightly job. */
  cursor: number;
}

/** How long the partner's process needs to start. */
export const STARTS_MS: Readonly<Record<string, number>> = { "30 ms": 30, "three seconds": 3_000 };

/** What a process has in its memory. */
interface Life {
  isDead: boolean;
  token: string;
  fetch: typeof fetch | undefined;
}

function newLife(): Life {
  return { isDead: false, token: "acme-token", fetch: undefined };
}

/** How long a system that repeats refusals goes on. */
const TRIES_MAX = 250;

/** How often a worker looks for work. */
const POLLS_MS: Readonly<Record<string, number>> = { "200 ms": 200, "each second": 1_000 };
const POLL_MS = 40;

/** The pause of a worker after a failed try. */
function backOffMs(backOff: string, tries: number, jitter: number): number {
  if (backOff === "doubling with jitter") return 250 * 2 ** tries * (1 + jitter / 4);
  return { "100 ms": 100, "half a second": 500 }[backOff] ?? 0;
}

/** How often a worker tries an order. The next night tries the order again. */
const WORKER_TRIES_MAX = 8;

/** How often a system tries again that takes Retry-After for milliseconds, before it gives up. */
const HASTY_TRIES = 3;

/** The nightly job whose cursor leaves open orders behind. */
const PASSES = "the cursor passes open orders";

const HASTY = "takes Retry-After for milliseconds";

/** The designs that make a new idempotency key for each try. */
const NEW_KEYS = new Set([
  "new key for each try",
  "new externalId for each try",
  "key stored after the answer",
]);

const ACCOUNT = "11111111-1111-4111-8111-111111111111";

/** The partner's system that pays orders out, on its machine. */
export class CallingPartner {
  readonly #draw: Draw;
  readonly #machine: Machine;
  #database: Database = { orders: {}, handled: [], cursor: 0 };
  #life: Life = newLife();
  #keys = 0;
  /** Every run has other drawn names, so a reset keeps the count. */
  #names = 0;
  #isWorking = false;
  readonly #jitter: Chance;

  constructor(draw: Draw, machine: Machine) {
    this.#jitter = seededChance(draw.seed, "jitter");
    this.#draw = draw;
    this.#machine = machine;
  }

  readonly process: PartnerProcess = {
    start: async () => {
      await this.#machine.work(STARTS_MS[this.#draw.values.start] ?? 0);
      this.#life = newLife();
    },
    kill: async () => void (this.#life.isDead = true),
  };

  readonly probe = (): unknown =>
    Object.fromEntries(
      Object.entries(this.#database.orders).map(([order, { state, amount }]) => [order, { state, amount }]),
    );

  readonly reset = (): void => {
    this.#life.isDead = true;
    this.#life = newLife();
    this.#database = { orders: {}, handled: [], cursor: 0 };
  };

  readonly client: PartnerClient = async (request, { fetch }) => {
    const life = this.#life;
    life.fetch = fetch;
    await this.#machine.work(0.5);
    if (life.isDead) return Response.error();
    const { orders } = this.#database;
    if (request.url.endsWith("/work")) {
      await this.#workAtNight(life);
      return Response.json({});
    }
    const { order, amount } = (await request.json()) as { order: string; amount: string };
    const isStoredFirst = this.#draw.values.calls !== "key stored after the answer";
    const known = orders[order] ?? { state: "new", amount };
    if (isStoredFirst || this.#isWorker) orders[order] = known;
    if (this.#isWorker) {
      if (!NEW_KEYS.has(this.#draw.values.calls)) known.key ??= `key-${order}`;
      if (!this.#isNightly) void this.#workOff(life);
      return new Response("", { status: 202 });
    }
    return this.#pay(order, life, known);
  };

  readonly receive = async (request: Request): Promise<Response> => {
    const life = this.#life;
    const { event, id, code } = (await request.json()) as { event: string; id: string; code: string };
    await this.#machine.work(this.#draw.values.speed === "50 ms" ? 50 : 0.5);
    if (life.isDead) return new Response("", { status: 500 });
    const { handled, orders } = this.#database;
    if (!handled.includes(`${event} ${id}`)) {
      handled.push(`${event} ${id}`);
      // An order that is known only by its webhook was paid all the same.
      const known = Object.entries(orders).find(([order, { name = order }]) => name === code)?.[1];
      if (event === "ORDER-PAYOUT.PAID" && known !== undefined) known.state = "paid";
    }
    return Response.json({ returnCode: "OK" });
  };

  get #isWorker(): boolean {
    const { calls, answers } = this.#draw.values;
    return this.#isNightly || calls === "worker that honours Retry-After" || answers === "202 and a worker";
  }

  /** True if only the nightly job sends orders. */
  get #isNightly(): boolean {
    const { night } = this.#draw.values;
    return night === "nothing is sent before" || night === PASSES;
  }

  async #workAtNight(life: Life): Promise<void> {
    const database = this.#database;
    const { night } = this.#draw.values;
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
    if (this.#isWorking) return;
    this.#isWorking = true;
    const { backOff, poll } = this.#draw.values;
    const pollMs = backOff === "a table that is polled each second" ? 1_000 : (POLLS_MS[poll] ?? POLL_MS);
    try {
      for (;;) {
        await this.#machine.sleep(pollMs);
        const waiting = Object.entries(this.#database.orders).filter(
          ([, { state, tries = 0 }]) => state === "new" && tries < WORKER_TRIES_MAX,
        );
        if (life.isDead || waiting.length === 0) return;
        for (const [order, stored] of waiting) {
          if ((stored.dueMs ?? 0) > this.#machine.wall.now()) continue;
          const tries = stored.tries ?? 0;
          stored.tries = tries + 1;
          await this.#pay(order, life);
          stored.dueMs =
            this.#machine.wall.now() + backOffMs(backOff, tries, this.#jitter.below(1000) / 1000);
        }
      }
    } finally {
      this.#isWorking = false;
    }
  }

  async #pay(order: string, life: Life, given?: Order): Promise<Response> {
    const { calls } = this.#draw.values;
    const { orders } = this.#database;
    const stored = given ?? orders[order];
    if (stored === undefined || stored.state !== "new")
      return new Response("", { status: stored?.state === "failed" ? 422 : 200 });
    const isAgain = orders[order] !== undefined;
    if (this.#isNameDrawn(order)) stored.name ??= `payment-${this.#draw.seed}-${++this.#names}`;
    if (calls === "look-up first" && isAgain && (await this.#isThere(order, life))) {
      this.#isSent(order, stored);
      return Response.json({});
    }
    const isStable = !NEW_KEYS.has(calls);
    const key = isStable ? (stored.key ??= `key-${order}`) : `key-${this.#draw.seed}-${++this.#keys}`;
    if (calls === "new externalId for each try") stored.name = `${order}-${this.#keys}`;
    const externalId = stored.name ?? order;
    const { status, retryAfterMs } = await this.#send({ externalId, amount: stored.amount, key }, life);
    if (life.isDead) return Response.error();
    if (status !== null && status < 400) {
      this.#isSent(order, stored);
      return Response.json({});
    }
    const isFailed =
      (calls === HASTY && status === 429) ||
      (calls === "gives up" && (status === 503 || status === 429)) ||
      (calls === "takes an error for not done" && (status === null || status >= 500)) ||
      (status !== null && status >= 400 && status < 500 && status !== 401 && status !== 429);
    if (isFailed) {
      this.#database.orders[order] = { ...stored, state: "failed" };
      return new Response("", { status: 422 });
    }
    if (this.#isWorker) await this.#machine.sleep(retryAfterMs);
    return new Response("", { status: 503 });
  }

  #isNameDrawn(order: string): boolean {
    const { names } = this.#draw.values;
    const isSecond = Object.keys(this.#database.orders).indexOf(order) % 2 === 1;
    return names === "drawn by the system" || (names === "drawn for each second order" && isSecond);
  }

  #isSent(order: string, stored: Order): void {
    const { orders } = this.#database;
    const now = orders[order] ?? stored;
    if (now.state === "new") orders[order] = { ...now, state: "sent" };
  }

  async #isThere(order: string, life: Life): Promise<boolean> {
    const headers = { authorization: `Bearer ${life.token}` };
    const answer = await life.fetch?.("/sandbox/resources/payouts", { headers });
    const { data = [] } = (answer === undefined ? {} : await answer.json()) as {
      data?: { externalId: string }[];
    };
    const { name = order } = this.#database.orders[order] ?? {};
    return data.some(({ externalId }) => externalId === name);
  }

  async #send(
    { externalId, amount, key }: { externalId: string; amount: string; key: string },
    life: Life,
  ): Promise<{ status: number | null; retryAfterMs: number }> {
    const { calls } = this.#draw.values;
    const body = JSON.stringify({
      externalId,
      accountId: ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: amount },
      description: "An order",
    });
    for (let tried = 0; tried < TRIES_MAX; tried++) {
      const headers = {
        authorization: `Bearer ${life.token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      };
      let answer: Response | undefined;
      try {
        await this.#machine.work(0.2);
        answer = await life.fetch?.("/order/v1/banking/order-payouts", { method: "POST", headers, body });
        await this.#machine.work(0.2);
      } catch {
        return { status: null, retryAfterMs: 0 };
      }
      const status = answer?.status ?? null;
      const retryAfterMs = Number(answer?.headers.get("retry-after") ?? 0) * 1000;
      if (calls === "repeats a 4xx" && status !== null && status >= 400 && status < 500) continue;
      if (calls === HASTY && status === 429 && tried < HASTY_TRIES) {
        await this.#machine.sleep(retryAfterMs / 1000);
        continue;
      }
      if (status === 401 && tried === 0 && calls !== "keeps an old token") await this.#renew(life);
      else return { status, retryAfterMs };
    }
    return { status: null, retryAfterMs: 0 };
  }

  async #renew(life: Life): Promise<void> {
    try {
      const answer = await life.fetch?.("/oauth2/v2.0/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
      });
      const { access_token: token } = (answer === undefined ? {} : await answer.json()) as {
        access_token?: string;
      };
      if (token !== undefined) life.token = token;
    } catch {
      // The next call is refused, so the order is tried again.
    }
  }
}
