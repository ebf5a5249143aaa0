import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Draw } from "./choices.ts";
import type { Machine } from "./machine.ts";
import { STARTS_MS } from "./calling.ts";
import type { PartnerProcess } from "../../src/partner/partner-process.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../src/simulator/api/signature.ts";

/** An event, as far as this partner reads it. */
interface Event {
  readonly key: string;
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly at: string;
  readonly hash: string;
  /** The object that has to be known before; undefined if any may come first. */
  readonly parent: string | undefined;
  readonly isOpening: boolean;
  readonly cents: number;
  /** The cents of a payout that came back because a part of its batch failed. */
  readonly returned: number;
}

interface Row {
  status: string;
  at: string;
}

/** What a process has in its memory. */
interface Life {
  isDead: boolean;
  readonly handled: Set<string>;
  readonly locks: Map<string, Promise<unknown>>;
}

function newLife(): Life {
  return { isDead: false, handled: new Set(), locks: new Map() };
}

/** Data that survives a kill. */
interface Database {
  rows: Record<string, Row>;
  handled: string[];
  waiting: Event[];
  inbox: Event[];
  outbox: number[];
  events: number;
  cents: number;
  /** The received cents of each day. */
  received: Record<string, number>;
  /** The received amounts as floats. */
  floats: number;
  refunded: number;
  paidOut: number;
  /** The local day of the newest event. */
  today: string;
}

export const SECRET = "acme-webhook-secret";

/** How often a worker looks for work. A debounced worker waits until no event has come for a while. */
const POLLS_MS: Readonly<Record<string, number>> = { "200 ms": 200, "each second": 1_000 };
const POLL_MS = 40;
const DEBOUNCE_MS = 150;

/** By how much a read replica lags, and how long a cache keeps a state. */
const REPLICA_MS = 100;
const CACHE_MS = 500;

/** The time of an event on its way to the other process. */
const HANDED_MS = 10;

const ALONE = "two that remember events alone";

/** States in their order; a later one is never replaced by an earlier one. */
const RANKS = ["PENDING", "ACCEPTED", "PAID", "COMPLETED", "REFUNDED", "CANCELED"];

/** The work for one event, by the speed of the partner; a queue works it off in the background. */
const WORK_MS: Readonly<Record<string, number>> = { prompt: 0.5, "50 ms": 50, "2 s": 0.5 };

/** The partner's receiver of a draw, on its machine. */
export class ReceivingPartner {
  readonly #draw: Draw;
  readonly #machine: Machine;
  #database = empty();
  #life: Life = newLife();
  #count = 0;
  #isWorking = false;
  #lastEventMs = 0;
  /** The states so far, as a replica gets them. */
  #versions: { readonly atMs: number; readonly state: unknown }[] = [];
  #cached: { readonly atMs: number; readonly state: unknown } | undefined;
  /** The events that each of two processes remembers. */
  #remembered = [new Set<string>(), new Set<string>()];
  /** Sends a request to the platform. Undefined if the judge has no platform to read from. */
  platform: ((path: string, init: RequestInit) => Promise<Response>) | undefined;

  constructor(draw: Draw, machine: Machine) {
    this.#draw = draw;
    this.#machine = machine;
  }

  readonly process: PartnerProcess = {
    start: async () => {
      await this.#machine.work(STARTS_MS[this.#draw.values.start] ?? 0);
      this.#life = newLife();
      if (this.#draw.values.storage === "only in memory") this.#database = empty();
      if (this.#hasWork) void this.#workOff(this.#life);
    },
    kill: async () => void (this.#life.isDead = true),
  };

  readonly probe = (): unknown => {
    const nowMs = this.#machine.wall.now();
    const { view } = this.#draw.values;
    if (view === "a replica that lags 100 ms") {
      this.#note();
      const known = this.#versions.findLast(({ atMs }) => atMs <= nowMs - REPLICA_MS);
      return (known ?? this.#versions[0])?.state;
    }
    if (view !== "a cache of half a second") return this.#state();
    if (this.#cached === undefined || nowMs - this.#cached.atMs >= CACHE_MS)
      this.#cached = { atMs: nowMs, state: this.#state() };
    return this.#cached.state;
  };

  /** Notes the state for a replica, if it has changed. */
  #note(): void {
    const state = this.#state();
    if (isDeepStrictEqual(this.#versions.at(-1)?.state, state)) return;
    this.#versions.push({ atMs: this.#machine.wall.now(), state });
  }

  #state(): unknown {
    const { rows, events, cents, received, refunded, paidOut, today, floats } = this.#database;
    const statuses = Object.entries(rows).map(([id, { status }]) => ({ id, status }));
    const days = Object.entries(received).filter(([day]) => day <= today);
    const sum = days.reduce((total, [, ofDay]) => total + ofDay, 0);
    return {
      rows: statuses,
      events,
      cents,
      received: this.#draw.values.books === "floats" ? String(floats) : amount(sum),
      refunded: amount(refunded),
      paidOut: amount(paidOut),
    };
  }

  readonly reset = (): void => {
    this.#database = empty();
    this.#count = 0;
    this.#life.isDead = true;
    this.#life = newLife();
    this.#versions = [];
    this.#cached = undefined;
    this.#remembered = [new Set(), new Set()];
    this.#note();
  };

  readonly receive = async (request: Request): Promise<Response> => {
    const life = this.#life;
    const body = await request.text();
    if (request.method !== "POST") return new Response("", { status: 405 });
    if (!this.#isSigned(body, request.headers.get(SIGNATURE_HEADER) ?? ""))
      return new Response("", { status: 401 });
    let event: Event;
    try {
      event = eventIn(body);
    } catch {
      return new Response("", { status: 400 });
    }
    const status = await this.#take(event, life);
    return Response.json({ returnCode: "OK" }, { status });
  };

  #isSigned(body: string, signature: string): boolean {
    const { signature: choice } = this.#draw.values;
    if (choice === "not verified") return true;
    const signed = choice === "re-serialised JSON" ? rewritten(body) : body;
    return signature === signatureOf(SECRET, Buffer.from(signed));
  }

  get #hasWork(): boolean {
    const { inbox, outbox } = this.#database;
    return inbox.length + outbox.length > 0;
  }

  async #take(event: Event, life: Life): Promise<number> {
    const { storage, speed, processes } = this.#draw.values;
    this.#lastEventMs = this.#machine.wall.now();
    if (speed === "2 s") await this.#machine.sleep(2_000);
    const isQueue = speed === "queue with 15 ms per event" || storage === "inbox with a worker";
    this.#count += 1;
    if (storage === "never for each third" && this.#count % 3 === 0) return 200;
    if (processes !== "one" && this.#count % 2 === 0) await this.#machine.sleep(HANDED_MS);
    // A request of a dead process changes nothing any more.
    if (life.isDead) return 500;
    const isPostponed = this.#draw.values.unknown === "503 until known" && this.#isUnknown(event);
    if (isPostponed) return 503;
    if (storage === "after the answer") {
      void this.#handle(event, life);
      return 200;
    }
    if (!isQueue) return this.#handle(event, life);
    this.#database.inbox.push(event);
    void this.#workOff(life);
    await this.#machine.work(0.2);
    return 200;
  }

  /** The worker: it looks for work now and then, and ends once none is left. */
  async #workOff(life: Life): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (!life.isDead && this.#hasWork) {
        await this.#wake();
        for (const event of this.#database.inbox.slice()) {
          if (this.#draw.values.speed === "queue with 15 ms per event") await this.#machine.work(15);
          if (life.isDead) break;
          await this.#handle(event, life);
          if (!life.isDead) this.#database.inbox.shift();
        }
        for (const cents of this.#database.outbox.slice()) {
          await this.#machine.work(1);
          if (life.isDead) break;
          this.#database.outbox.shift();
          this.#database.cents += cents;
          this.#note();
        }
      }
    } finally {
      this.#isWorking = false;
    }
    if (life !== this.#life && this.#hasWork) void this.#workOff(this.#life);
  }

  /** Waits until the worker looks for work. */
  async #wake(): Promise<void> {
    const { poll } = this.#draw.values;
    const { wall } = this.#machine;
    if (poll !== "debounced by 150 ms") return this.#machine.sleep(POLLS_MS[poll] ?? POLL_MS);
    for (;;) {
      const leftMs = this.#lastEventMs + DEBOUNCE_MS - wall.now();
      await this.#machine.sleep(Math.max(POLL_MS, leftMs));
      if (wall.now() - this.#lastEventMs >= DEBOUNCE_MS) return;
    }
  }

  async #handle(event: Event, life: Life): Promise<number> {
    const { concurrency } = this.#draw.values;
    if (concurrency === "none") return this.#change(event, life);
    // Objects that share a balance have one lock: by object, each change of the balance is one statement.
    const key = concurrency === "lock by account" ? "account" : event.id;
    const before = life.locks.get(key) ?? Promise.resolve();
    const change = before.then(() => this.#change(event, life));
    life.locks.set(
      key,
      change.catch(() => undefined),
    );
    return change;
  }

  async #change(event: Event, life: Life): Promise<number> {
    const { recognition, concurrency, storage, speed, processes } = this.#draw.values;
    const key = this.#keyOf(event);
    const { handled } = this.#database;
    const own = this.#remembered[this.#count % 2] ?? life.handled;
    const memory =
      processes === ALONE
        ? own
        : recognition === "in memory only"
          ? life.handled
          : new Set(handled.slice(recognition === "memory of two" ? -2 : 0));
    if (recognition !== "none" && memory.has(key)) return 200;
    const read = this.#database.cents;
    const status = await this.#readStatus(event);
    await this.#machine.work(WORK_MS[speed] ?? 0.5);
    if (life.isDead) return 500;
    const database = this.#database;
    if (this.#isUnknown(event)) {
      if (this.#draw.values.unknown === "dropped") return 200;
      if (this.#draw.values.unknown === "kept for later") database.waiting.push(event);
    } else this.#apply(event, status);
    own.add(key);
    if (recognition === "in memory only") life.handled.add(key);
    else database.handled.push(key);
    database.events += 1;
    if (storage === "outbox") {
      database.outbox.push(event.cents);
      void this.#workOff(life);
    } else if (concurrency === "none") database.cents = read + event.cents;
    else database.cents += event.cents;
    this.#book(event);
    // Each event may make the object of another one known.
    for (;;) {
      const known = database.waiting.find((waiting) => !this.#isUnknown(waiting));
      if (known === undefined) break;
      database.waiting = database.waiting.filter((other) => other !== known);
      this.#apply(known);
    }
    this.#note();
    return 200;
  }

  /** Reads the status of the object at the platform. Undefined if this partner takes it from the event. */
  async #readStatus({ name, id }: Event): Promise<string | undefined> {
    const isReadable = name.startsWith("SUBSCRIPTION.") && !name.includes("SCHEDULED_PAYMENT");
    if (this.#draw.values.order !== "reading the object" || !isReadable) return undefined;
    const headers = { authorization: "Bearer acme-token" };
    const answer = await this.platform?.(`/order/v1/banking/subscriptions/${id}`, { headers });
    return answer?.ok === true ? ((await answer.json()) as { status: string }).status : undefined;
  }

  #book({ name, cents, at, status, returned }: Event): void {
    const { books } = this.#draw.values;
    const database = this.#database;
    const today = dayOf(at, LOCAL_MS);
    if (today > database.today) database.today = today;
    if (name === "ORDER-PAYIN.PAID") {
      const day = dayOf(at, books === "UTC days" ? 0 : LOCAL_MS);
      const received =
        books === "net"
          ? Math.round(cents * 0.99)
          : books === "cents cut off"
            ? Math.floor(cents / 100) * 100
            : cents;
      database.received[day] = (database.received[day] ?? 0) + received;
      database.floats += cents / 100;
    }
    const received = Object.values(database.received).reduce((sum, ofDay) => sum + ofDay, 0);
    if (name === "ORDER-PAYIN.REFUNDED" && books !== "refunds forgotten")
      database.refunded += books === "whole refunds" ? received : 1000;
    if (!name.startsWith("ORDER-PAYOUT")) return;
    if (books === "a batch as one payout") database.paidOut += -cents;
    else if (books !== "paid batches only") database.paidOut += -cents - returned;
    else if (status === "PAID") database.paidOut += -cents;
  }

  #keyOf({ key, id, status, at, hash }: Event): string {
    const { recognition } = this.#draw.values;
    if (recognition === "object and time") return `${id} ${at}`;
    if (recognition === "hash of the body") return hash;
    return recognition === "object and status" ? `${id} ${status} ${key}` : key;
  }

  #isUnknown({ parent, isOpening, id }: Event): boolean {
    const { unknown } = this.#draw.values;
    if (unknown === "stored from the event") return false;
    const { rows } = this.#database;
    return (parent !== undefined && rows[parent] === undefined) || (!isOpening && rows[id] === undefined);
  }

  #apply({ id, status: ofEvent, at, name }: Event, read?: string): void {
    const status = read ?? ofEvent;
    const { order } = this.#draw.values;
    const { rows } = this.#database;
    const row = rows[id];
    const isCharge = name.includes("SCHEDULED_PAYMENT");
    const isLast = order === "last arrival" || (order === "last arrival for charges" && isCharge);
    const isNewer =
      row === undefined ||
      read !== undefined ||
      isLast ||
      (order === "updatedAt" && row.at !== at ? row.at < at : rankOf(row.status) < rankOf(status));
    if (isNewer) rows[id] = { status, at };
  }
}

function rankOf(status: string): number {
  return RANKS.indexOf(status.split(" ").at(-1) ?? "");
}

function empty(): Database {
  return {
    rows: {},
    handled: [],
    waiting: [],
    inbox: [],
    outbox: [],
    events: 0,
    cents: 0,
    received: {},
    floats: 0,
    refunded: 0,
    paidOut: 0,
    today: "",
  };
}

function eventIn(body: string): Event {
  const read = JSON.parse(body) as {
    event: string;
    id?: string;
    refundId?: string;
    status?: string;
    updatedAt?: string;
    occurredAt?: string;
    amount?: { value: string };
    message?: string;
    subscription?: { id: string };
    data?: { id: string; status: string; subscriptionId?: string; cancellation?: { status: string } };
  };
  const { event: name, data } = read;
  const id = data?.id ?? read.id ?? "";
  if (typeof name !== "string" || id === "") throw new Error("not an event");
  const at = read.occurredAt ?? read.updatedAt ?? "";
  const status = data?.status ?? read.status ?? "";
  const own = data?.cancellation === undefined ? status : status === "CANCELED" ? "CANCELED" : "ACCEPTED";
  const isMoney = name.startsWith("ORDER-");
  const sign = name.endsWith(".REFUNDED") || name.startsWith("ORDER-PAYOUT") ? -1 : 1;
  return {
    key: `${name} ${id} ${read.refundId ?? ""} ${status} ${data?.cancellation?.status ?? ""} ${at}`,
    name,
    id,
    status: own,
    at,
    hash: createHash("sha256").update(body).digest("hex"),
    parent: name.includes("SCHEDULED_PAYMENT") ? data?.subscriptionId : undefined,
    isOpening: !name.includes("CANCELLATION") && !name.endsWith(".REFUNDED"),
    returned: Math.round(Number(/; (\S+) BRL went back/.exec(read.message ?? "")?.[1] ?? 0) * 100),
    cents: isMoney ? sign * Math.round(Number(read.amount?.value ?? "10.00") * 100) : 0,
  };
}

/** The body as a parser and a serialiser leave it. */
function rewritten(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

/** The distance of the local time of the partner's books from UTC. */
const LOCAL_MS = -3 * 3_600_000;

/** Returns the day of a time, for a distance from UTC. */
function dayOf(time: string, distanceMs: number): string {
  return new Date(Date.parse(time) + distanceMs).toISOString().slice(0, 10);
}

function amount(cents: number): string {
  return (cents / 100).toFixed(2);
}
