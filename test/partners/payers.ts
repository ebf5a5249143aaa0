import type { CauseCode } from "../../src/checks/cause-texts.ts";
import type { KindName } from "../../src/checks/explore/deviations.ts";
import type { PartnerClient } from "../../src/partner/partner-system.ts";
import type { PartnerProcess } from "../../src/partner/partner-process.ts";

/** An order that money is paid out for, as the partner stores it. */
interface Order {
  state: "new" | "sent" | "paid" | "failed";
  amount: string;
  key?: string;
  id?: string;
}

/** What survives a kill. */
export interface Database {
  orders: Record<string, Order>;
  handled: string[];
  received: number;
  queue: string[];
  refunds: Record<string, { state: string; key?: string }>;
}

const ACCOUNT = "11111111-1111-4111-8111-111111111111";
/** Some more than what is taken for calls without end. */
const TRIES_MAX = 250;

type Send = typeof fetch;

/** One life of a process: what it has in memory, and the database, which a dead process cannot reach. */
class Life {
  readonly #database: Database;
  isDead = false;
  token = "acme-token";
  readonly queue: string[] = [];
  readonly memory: Record<string, string> = {};
  readonly handled: string[] = [];
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
  /** Sends a call that was answered with 429 again so often, after these pauses; default: its caller does. */
  readonly limited?: { readonly tries: number; readonly pauseMs: number };
  /** Looks up before it sends again. */
  readonly looksUp?: true;
  /** Keeps what is to be done in a queue, and works it off in the background. */
  readonly queue?: "memory" | "database";
  readonly batch?: "whole" | "whole until one fails";
  readonly refundKey?: "new";
  readonly marksFirst?: true;
  /** Which webhooks it has handled is only in its memory. */
  readonly marksInMemory?: true;
  /** Answers a webhook before it has stored what it says. */
  readonly answersFirst?: true;
}

let keys = 0;
const newKey = (): string => `key-${process.pid}-${++keys}`;

/** Designs by what such a system does. */
export const designs = {
  "stores its key before the call and uses it again": {},
  "looks up by externalId before it repeats": { looksUp: true },
  "has an outbox with a worker": { queue: "database" },
  "reads the platform before each repetition": { looksUp: true, queue: "database" },
  "makes a new key for each try": { key: newKey },
  "makes the key after the call was sent": { isStoredFirst: false, key: newKey },
  "makes the order again under a new externalId": {
    key: newKey,
    externalId: (name) => `${name}-${process.pid}-${++keys}`,
  },
  "stores the id after it has answered its caller": {
    isStoredFirst: false,
    isStoredLate: true,
    key: (name, life) => (life.memory[name] ??= newKey()),
  },
  "takes 5xx and no answer for a failure for good": {
    failsFor: (status) => status === null || status >= 500,
  },
  "gives up after 503": { failsFor: (status) => status === 503 },
  "gives up after 401": { renewsToken: false },
  "repeats a 4xx without end": { repeatsRefusals: true, renewsToken: false },
  "repeats a 429 at once until it gives up": {
    limited: { tries: 3, pauseMs: 0 },
    failsFor: (status) => status === 429,
  },
  "shows that each try has a key of its own": {
    key: (_name, _life, stored) => (stored.key = `${stored.key}-again`),
  },
  "sends a batch again whole": { batch: "whole" },
  "sends a batch again whole, and stops where one fails": { batch: "whole until one fails" },
  "asks for a refund again under a new key": { refundKey: "new" },
  "marks webhooks as handled before the work is committed": { marksFirst: true },
  "remembers in its memory which webhooks it has handled": { marksInMemory: true },
  "answers webhooks before it stores them": { answersFirst: true },
  "keeps its queue in memory": { queue: "memory" },
} as const satisfies Readonly<Record<string, Design>>;
export type DesignName = keyof typeof designs;

export const rightDesigns = Object.keys(designs).slice(0, 4) as readonly DesignName[];

interface Planted {
  readonly scenario?: "batch" | "refund";
  /** Whether only a process that is killed shows it. */
  readonly isKilled?: true;
  readonly only?: readonly KindName[];
  /** How long the work after its answers takes over sockets; default: it takes none. */
  readonly settleMs?: number;
  readonly schedule: string;
  readonly cause: CauseCode;
}

const twoKeys = { schedule: "call-answer-lost-1", cause: "new-key-for-retry" } as const;

/** The smallest schedule that shows each bug, and its cause. */
export const planted: Partial<Readonly<Record<DesignName, Planted>>> = {
  "makes a new key for each try": twoKeys,
  "makes the key after the call was sent": twoKeys,
  "makes the order again under a new externalId": {
    schedule: "call-answer-lost-1",
    cause: "new-key-for-retry",
  },
  "stores the id after it has answered its caller": {
    isKilled: true,
    only: ["crashes"],
    schedule: "killed-in-call-1",
    cause: "not-stored-before-call",
  },
  "takes 5xx and no answer for a failure for good": {
    only: ["call-answer-lost", "call-fails-after"],
    schedule: "call-answer-lost-1",
    cause: "error-taken-for-not-done",
  },
  "gives up after 503": { schedule: "call-refused-1", cause: "gave-up" },
  "gives up after 401": { schedule: "token-expired-1", cause: "token-not-renewed" },
  "repeats a 4xx without end": {
    only: ["token-expired"],
    schedule: "token-expired-1",
    cause: "repeated-refusal",
  },
  "sends a batch again whole": {
    scenario: "batch",
    schedule: "call-refused-1",
    cause: "batch-sent-again",
  },
  "repeats a 429 at once until it gives up": {
    schedule: "call-limited-1",
    cause: "repeated-refusal",
  },
  "shows that each try has a key of its own": {
    only: ["call-refused"],
    schedule: "call-refused-1",
    cause: "new-key-for-retry",
  },
  "sends a batch again whole, and stops where one fails": {
    scenario: "batch",
    only: ["call-answer-lost"],
    schedule: "call-answer-lost-1",
    cause: "batch-sent-again",
  },
  "asks for a refund again under a new key": {
    ...twoKeys,
    scenario: "refund",
    schedule: "call-answer-lost-2",
  },
  "marks webhooks as handled before the work is committed": {
    isKilled: true,
    schedule: "killed-before-answer-1",
    cause: "marked-before-work",
  },
  "remembers in its memory which webhooks it has handled": {
    isKilled: true,
    only: ["crashes"],
    schedule: "killed-before-answer-1",
    cause: "handled-events-forgotten",
  },
  "answers webhooks before it stores them": {
    isKilled: true,
    settleMs: 300,
    schedule: "killed-after-answer-1",
    cause: "acknowledged-before-stored",
  },
  "keeps its queue in memory": {
    isKilled: true,
    scenario: "batch",
    schedule: "killed-in-call-1",
    cause: "acknowledged-before-stored",
  },
};

/** The scenarios that these systems play; `base` is where their own API is. */
export function scenariosAt(base: string) {
  const start = "2026-11-20T09:00:00-03:00";
  // The customer tries again before a payout settles.
  const assumptions = { "payout.pix-delay": "PT30M" };
  const order = (name: string, amount: string) => ({ order: `${name}-\${run}`, amount });
  const ends = [{ advance: "PT1H" }, { request: `POST ${base}/jobs/work`, tick: true }];
  return {
    orders: {
      name: "Two orders are paid out",
      start,
      assumptions,
      steps: [
        { request: `POST ${base}/orders`, body: order("first", "100.00") },
        { request: `POST ${base}/orders`, body: order("second", "50.00") },
        ...ends,
      ],
    },
    batch: {
      name: "A batch is paid out",
      start,
      assumptions,
      steps: [
        {
          request: `POST ${base}/batches`,
          body: { parts: [order("one", "10.00"), order("two", "20.00"), order("three", "30.00")] },
        },
        ...ends,
      ],
    },
    refund: {
      name: "An order is refunded",
      start,
      steps: [
        { call: "createTransparentOrder", body: { $use: "order.pix" }, save: "sale" },
        { act: "order.pay", on: "${sale.id}" },
        { advance: "PT1M" },
        { request: `POST ${base}/refunds`, body: { order: "sale-${run}", id: "${sale.id}" } },
        { advance: "PT1H" },
      ],
    },
  };
}

/**
 * A partner's system of this design: its client, its receiver, and what stands for its process. It keeps its data in
 * `database`; its work takes `workMs`, or some turns of the event loop.
 */
export function payerOf(design: Design, database: Database = empty(), workMs?: number) {
  let life = new Life(database);
  const work = async (): Promise<void> => {
    if (workMs !== undefined) await new Promise((resolve) => setTimeout(resolve, workMs));
    else for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
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
    const heard = hear(design, own, { event, work });
    if (design.answersFirst) heard.catch(() => undefined);
    else await heard;
    return new Response("{}");
  };
  return {
    client,
    receiver,
    partner,
    probe: () => database,
    reset: () => {
      life.isDead = true;
      Object.assign(database, empty());
      life = new Life(database);
    },
  };
}

export function empty(): Database {
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

interface Heard {
  readonly event: { readonly id: string; readonly code: string; readonly event: string };
  readonly work: () => Promise<void>;
}

async function hear(
  { marksFirst, marksInMemory, answersFirst }: Design,
  life: Life,
  { event: { id, code, event }, work }: Heard,
): Promise<void> {
  const key = `${event} ${id}`;
  const handled = marksInMemory ? life.handled : life.database.handled;
  if (handled.includes(key)) return;
  if (marksFirst) life.database.handled.push(key);
  // The work takes a while, and is not in the same transaction.
  if (marksFirst || answersFirst || marksInMemory) await work();
  const { database } = life;
  if (answersFirst && database.handled.includes(key)) return;
  const order = database.orders[code];
  if (order !== undefined && event === "ORDER-PAYOUT.PAID") order.state = "paid";
  database.received += 1;
  if (!marksFirst) (marksInMemory ? handled : database.handled).push(key);
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
    if (this.#design.batch !== undefined) return this.#wholeBatch(parts);
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
      if (status === null || status >= 400) {
        isDone = false;
        if (this.#design.batch === "whole until one fails") break;
      } else this.#life.database.orders[order] = { state: "sent", amount };
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
      this.#isSent(order, stored);
      return OK();
    }
    const key = this.#design.key?.(order, this.#life, stored) ?? stored.key ?? "";
    const status = await this.#send(order, amount, key);
    if (status !== null && status < 400) {
      const store = (): void => this.#isSent(order, stored);
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

  /** Its webhook may have come before the answer. */
  #isSent(order: string, stored: Order): void {
    const { orders } = this.#life.database;
    const now = orders[order] ?? stored;
    orders[order] = { ...now, state: now.state === "paid" ? "paid" : "sent" };
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
    const { repeatsRefusals, renewsToken, limited } = this.#design;
    for (let tried = 0; tried < TRIES_MAX; tried++) {
      const status = await this.#once(method, path, body, key);
      if (status === 401 && renewsToken !== false && tried === 0) await this.#renew();
      else if (status === 429 && tried < (limited?.tries ?? 0))
        await new Promise((resolve) => setTimeout(resolve, limited?.pauseMs));
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
