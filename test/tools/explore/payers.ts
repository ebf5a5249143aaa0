import type { PartnerClient, PartnerProcess } from "../../../src/tools/explore/partner-system.ts";

/** An order that money is paid out for, as the partner stores it. */
interface Order {
  state: "new" | "sent" | "paid" | "failed";
  amount: string;
  key?: string;
  id?: string;
}

/** What survives a kill. */
interface Database {
  orders: Record<string, Order>;
  handled: string[];
  received: number;
  queue: string[];
  refunds: Record<string, { state: string; key?: string }>;
}

const ACCOUNT = "11111111-1111-4111-8111-111111111111";
const TRIES_MAX = 1_000;

type Send = typeof fetch;

/** One life of a process: what it has in memory, and the database, which a dead process cannot reach. */
class Life {
  readonly #database: Database;
  isDead = false;
  token = "acme-token";
  readonly queue: string[] = [];
  readonly memory: Record<string, string> = {};
  keys = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  get database(): Database {
    if (this.isDead) throw new Error("the process is dead");
    return this.#database;
  }
}

/** How a system of a partner pays, and what it makes of answers. Everything that is left out is right. */
export interface Design {
  /** Which key a try has; default: one that was stored before the first try. */
  readonly key?: (order: string, life: Life, stored: Order) => string;
  readonly externalId?: (order: string, life: Life) => string;
  /** Whether it is stored that an order exists before it is paid; default: yes. */
  readonly isStoredFirst?: false;
  /** Stores an order only after it has answered its own caller. */
  readonly isStoredLate?: true;
  /** Which answers it takes for a failure for good; default: 4xx, except 401 and 429. */
  readonly failsFor?: (status: number | null) => boolean;
  readonly renewsToken?: false;
  /** Sends a call again at once while it is refused. */
  readonly repeatsRefusals?: true;
  /** Looks up before it sends again. */
  readonly looksUp?: true;
  /** Keeps what is to be done in a queue, and works it off in the background. */
  readonly queue?: "memory" | "database";
  readonly batch?: "whole";
  readonly refundKey?: "new";
  readonly marksFirst?: true;
}

/** A partner's system of this design, in this process: its client, its receiver and its process. */
export function payerOf(design: Design) {
  let database = empty();
  let life = new Life(database);
  const partner: PartnerProcess = {
    start: async () => void (life = new Life(database)),
    kill: async () => void (life.isDead = true),
  };
  const client: PartnerClient = async (request, { fetch }) => {
    const own = life;
    const { pathname } = new URL(request.url);
    const body = request.method === "POST" ? await bodyOf(request) : {};
    const worker = new Worker(design, own, fetch);
    if (pathname === "/orders") return worker.order(body as OrderBody);
    if (pathname === "/batches") return worker.batch((body as { parts: OrderBody[] }).parts);
    if (pathname === "/refunds") return worker.refund(body as { order: string; id: string });
    return worker.workOff();
  };
  const receiver = async (request: Request): Promise<Response> => {
    const own = life;
    const event = (await request.json()) as { id: string; code: string; event: string };
    await hear(design, own, event);
    return new Response("{}");
  };
  return {
    client,
    receiver,
    partner,
    probe: () => database,
    reset: () => {
      database = empty();
      life = new Life(database);
    },
  };
}

function empty(): Database {
  return { orders: {}, handled: [], received: 0, queue: [], refunds: {} };
}

async function bodyOf(request: Request): Promise<object> {
  const text = await request.text();
  return text === "" ? {} : (JSON.parse(text) as object);
}

interface OrderBody {
  readonly order: string;
  readonly amount: string;
}

async function hear(
  { marksFirst }: Design,
  life: Life,
  { id, code, event }: { id: string; code: string; event: string },
): Promise<void> {
  const key = `${event} ${id}`;
  if (life.database.handled.includes(key)) return;
  if (marksFirst) {
    life.database.handled.push(key);
    // The work takes a while, and is not in the same transaction.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }
  const { database } = life;
  const order = database.orders[code];
  if (order !== undefined && event === "ORDER-PAYOUT.PAID") order.state = "paid";
  database.received += 1;
  if (!marksFirst) database.handled.push(key);
}

const OK = (): Response => Response.json({ ok: true });
const AGAIN = (): Response => new Response("try again", { status: 503 });

class Worker {
  readonly #design: Design;
  readonly #life: Life;
  readonly #fetch: Send;

  constructor(design: Design, life: Life, send: Send) {
    this.#design = design;
    this.#life = life;
    this.#fetch = send;
  }

  async order({ order, amount }: OrderBody): Promise<Response> {
    const { queue } = this.#design;
    if (queue === undefined) return this.#pay(order, amount);
    const { database } = this.#life;
    if (database.orders[order]?.state === undefined) {
      if (queue === "database") {
        database.orders[order] = { state: "new", amount, key: `key-${order}` };
        database.queue.push(order);
      } else this.#life.queue.push(`${order} ${amount}`);
    }
    // The answer does not wait for the work.
    void this.workOff().catch(() => undefined);
    return OK();
  }

  /** Works off the queue; what fails stays in it. */
  async workOff(): Promise<Response> {
    const { database, queue } = this.#life;
    for (const order of database.queue.slice()) {
      const answer = await this.#pay(order, database.orders[order]?.amount ?? "");
      const { database: now } = this.#life;
      if (answer.ok) now.queue = now.queue.filter((other) => other !== order);
    }
    for (const written of queue.slice()) {
      const [order = "", amount = ""] = written.split(" ");
      if ((await this.#pay(order, amount)).ok) queue.splice(queue.indexOf(written), 1);
    }
    return OK();
  }

  async batch(parts: readonly OrderBody[]): Promise<Response> {
    if (this.#design.queue === "memory") {
      this.#life.queue.push(...parts.map(({ order, amount }) => `${order} ${amount}`));
      void this.workOff().catch(() => undefined);
      return OK();
    }
    if (this.#design.batch === "whole") return this.#wholeBatch(parts);
    for (const { order, amount } of parts) {
      const { database } = this.#life;
      if (database.orders[order]?.state !== "sent" && database.orders[order]?.state !== "paid") {
        const answer = await this.#pay(order, amount);
        if (!answer.ok) return answer;
      }
    }
    return OK();
  }

  async #wholeBatch(parts: readonly OrderBody[]): Promise<Response> {
    const again = `${++this.#life.keys}`;
    let isDone = true;
    for (const { order, amount } of parts) {
      const status = await this.#send(order, amount, `key-${order}-${again}`);
      if (status === null || status >= 400) isDone = false;
      else this.#life.database.orders[order] = { state: "sent", amount };
    }
    return isDone ? OK() : AGAIN();
  }

  async refund({ order, id }: { order: string; id: string }): Promise<Response> {
    const { refundKey } = this.#design;
    const { refunds } = this.#life.database;
    const stored = (refunds[order] ??= { state: "new", key: crypto.randomUUID() });
    if (stored.state === "done") return OK();
    const key = refundKey === "new" ? crypto.randomUUID() : (stored.key ?? "");
    const body = {
      orderId: id,
      amount: "10.00",
      reason: "CUSTOMER_REQUEST",
      requestedBy: { name: "Ana", email: "ana@acme.example" },
    };
    const status = await this.#call("PUT", "/order/v2/refund", body, key);
    if (status === null || status >= 400) return AGAIN();
    this.#life.database.refunds[order] = { state: "done", ...(stored.key && { key: stored.key }) };
    return OK();
  }

  async #pay(order: string, amount: string): Promise<Response> {
    const { isStoredFirst, isStoredLate, looksUp, failsFor } = this.#design;
    const { orders } = this.#life.database;
    const stored = orders[order] ?? { state: "new", amount, key: `key-${order}` };
    if (stored.state === "failed") return new Response("it failed", { status: 422 });
    if (stored.state !== "new") return OK();
    const isAgain = orders[order] !== undefined;
    if (isStoredFirst !== false) orders[order] = stored;
    if (looksUp && isAgain && (await this.#isThere(order))) {
      this.#life.database.orders[order] = { ...this.#stored(order, stored), state: "sent" };
      return OK();
    }
    const key = this.#design.key?.(order, this.#life, stored) ?? stored.key ?? "";
    const status = await this.#send(order, amount, key);
    if (status !== null && status < 400) {
      const store = (): void => {
        const now = this.#stored(order, stored);
        this.#life.database.orders[order] = { ...now, state: now.state === "paid" ? "paid" : "sent" };
      };
      if (isStoredLate) setImmediate(() => this.#life.isDead || store());
      else store();
      return OK();
    }
    const { database } = this.#life;
    const isFailed =
      failsFor?.(status) ?? (status !== null && status < 500 && status !== 401 && status !== 429);
    if (isFailed) {
      database.orders[order] = { ...stored, state: "failed" };
      return new Response("it failed", { status: 422 });
    }
    return AGAIN();
  }

  #stored(order: string, otherwise: Order): Order {
    return this.#life.database.orders[order] ?? otherwise;
  }

  async #isThere(order: string): Promise<boolean> {
    const answer = await this.#fetch("/sandbox/resources/payouts", {
      headers: { authorization: `Bearer ${this.#life.token}` },
    });
    const { data } = (await answer.json()) as { data: { externalId: string }[] };
    return data.some(({ externalId }) => externalId === order);
  }

  #send(order: string, amount: string, key: string): Promise<number | null> {
    const body = {
      externalId: this.#design.externalId?.(order, this.#life) ?? order,
      accountId: ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: amount },
      description: "An order",
    };
    return this.#call("POST", "/order/v1/banking/order-payouts", body, key);
  }

  /** The status of the answer; null without one. */
  async #call(method: string, path: string, body: object, key: string): Promise<number | null> {
    const { repeatsRefusals, renewsToken } = this.#design;
    for (let tried = 0; tried < TRIES_MAX; tried++) {
      const status = await this.#once(method, path, body, key);
      if (status === 401 && renewsToken !== false && tried === 0) await this.#renew();
      else if (!(repeatsRefusals && status !== null && status >= 400 && status < 500)) return status;
    }
    return null;
  }

  async #once(method: string, path: string, body: object, key: string): Promise<number | null> {
    try {
      const headers = {
        authorization: `Bearer ${this.#life.token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      };
      return (await this.#fetch(path, { method, headers, body: JSON.stringify(body) })).status;
    } catch {
      return null;
    }
  }

  async #renew(): Promise<void> {
    try {
      const answer = await this.#fetch("/oauth2/v2.0/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
      });
      const { access_token: token } = (await answer.json()) as { access_token?: string };
      if (token !== undefined) this.#life.token = token;
    } catch {
      // The next call is refused, and so the order is tried again.
    }
  }
}
