import { isDeepStrictEqual } from "node:util";
import { type Design, type Values, valuesOf } from "./choices.ts";
import { type Event, eventIn, rewritten } from "./event.ts";
import { here, type Place } from "./place.ts";
import { STARTS_MS } from "./payer.ts";
import type { PartnerProcess } from "../../src/partner/partner-process.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../src/simulator/api/signature.ts";

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
  /** The copies of handled events. */
  copies: number;
  /** The name of the first handled event. */
  opening: string | undefined;
  /** The times of all arrivals. */
  log: string[];
  /** The time of the newest event that a worker has taken. */
  cursor: string;
  /** The second of the last stored event. */
  second: number;
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

/** How long a started process answers before it is ready. */
const UNREADY_MS = 3_000;

const ALONE = "two that remember events alone";

/** States in their order; a later one is never replaced by an earlier one. */
const RANKS = ["PENDING", "ACCEPTED", "PAID", "COMPLETED", "REFUNDED", "CANCELED"];

/** The work for one event, by the speed of the partner; a queue works it off in the background. */
const WORK_MS: Readonly<Record<string, number>> = { prompt: 0.5, "50 ms": 50, "2 s": 0.5 };

/** What `#change` returns for a copy of a handled event. */
const COPY = 208;

/** How many handled events a receiver remembers, if its memory is short. */
const MEMORIES: Readonly<Record<string, number>> = { "memory of two": 2, "memory of one": 1 };

/** Returns a receiver whose values are the first of each choice, but for these. */
export function receiver(design: Design = {}, place: Place = here): Receiver {
  return new Receiver(valuesOf(design), place);
}

/** A partner's receiver of webhooks. */
export class Receiver {
  readonly #values: Values;
  readonly #place: Place;
  #database = empty();
  #life: Life = newLife();
  #count = 0;
  #isWorking = false;
  #lastEventMs = 0;
  #readyMs = 0;
  /** The states so far, as a replica gets them. */
  #versions: { readonly atMs: number; readonly state: unknown }[] = [];
  #cached: { readonly atMs: number; readonly state: unknown } | undefined;
  /** The events that each of two processes remembers. */
  #remembered = [new Set<string>(), new Set<string>()];
  /** Sends a request to the platform. Undefined if the judge has no platform to read from. */
  platform: ((path: string, init: RequestInit) => Promise<Response>) | undefined;

  constructor(values: Values, place: Place) {
    this.#values = values;
    this.#place = place;
  }

  readonly process: PartnerProcess = {
    start: async () => {
      const { start, view } = this.#values;
      await this.#place.work(STARTS_MS[start] ?? 0);
      if (start === "answers before it is ready") this.#readyMs = this.#place.wall.now() + UNREADY_MS;
      if (view === "a cache without an end") this.#cached = undefined;
      this.#life = newLife();
      if (this.#values.storage === "only in memory") this.#database = empty();
      if (this.#hasWork) void this.#workOff(this.#life);
    },
    kill: async () => void (this.#life.isDead = true),
  };

  readonly probe = (): unknown => {
    const nowMs = this.#place.wall.now();
    const { view } = this.#values;
    if (view === "a replica that lags 100 ms") {
      this.#note();
      const known = this.#versions.findLast(({ atMs }) => atMs <= nowMs - REPLICA_MS);
      return (known ?? this.#versions[0])?.state;
    }
    if (view === "a replica that has stopped") {
      if (this.#versions.length === 0) this.#note();
      return this.#versions[0]?.state;
    }
    if (view === "a cache without an end")
      return (this.#cached ??= { atMs: nowMs, state: this.#state() }).state;
    if (view !== "a cache of half a second") return this.#state();
    if (this.#cached === undefined || nowMs - this.#cached.atMs >= CACHE_MS)
      this.#cached = { atMs: nowMs, state: this.#state() };
    return this.#cached.state;
  };

  /** Notes the state for a replica, if it has changed. */
  #note(): void {
    const state = this.#state();
    if (isDeepStrictEqual(this.#versions.at(-1)?.state, state)) return;
    this.#versions.push({ atMs: this.#place.wall.now(), state });
  }

  #state(): unknown {
    const { rows, events, cents, received, refunded, paidOut, today, floats, opening, log } = this.#database;
    const { records, shown } = this.#values;
    const statuses = Object.entries(rows).map(([id, { status }], index) => ({
      id,
      status,
      ...(records === "a number by arrival" && { number: index + 1 }),
    }));
    if (shown === "rows alone") return { rows: statuses };
    const days = Object.entries(received).filter(([day]) => day <= today);
    const sum = days.reduce((total, [, ofDay]) => total + ofDay, 0);
    return {
      rows: statuses,
      events,
      cents,
      received: this.#values.books === "floats" ? String(floats) : amount(sum),
      refunded: amount(refunded),
      paidOut: amount(paidOut),
      ...(records === "the first arrival" && { opening }),
      ...(records === "times of arrivals" && { log }),
    };
  }

  /** Returns the stored object of an id, or null. */
  rowOf(id: string): unknown {
    return this.#database.rows[id] ?? null;
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
    const { signature: choice } = this.#values;
    if (choice === "not verified") return true;
    const signed = choice === "re-serialised JSON" ? rewritten(body) : body;
    return signature === signatureOf(SECRET, Buffer.from(signed));
  }

  get #hasWork(): boolean {
    const { inbox, outbox } = this.#database;
    return inbox.length + outbox.length > 0;
  }

  async #take(event: Event, life: Life): Promise<number> {
    const { storage, speed, processes, subjects, copies, poll } = this.#values;
    this.#database.log.push(`${new Date().toISOString()} ${event.name}`);
    if (subjects === "charges alone" && !event.name.includes("SCHEDULED_PAYMENT")) return 200;
    this.#lastEventMs = this.#place.wall.now();
    if (speed === "2 s") await this.#place.sleep(2_000);
    const isQueue = speed === "queue with 15 ms per event" || storage === "inbox with a worker";
    this.#count += 1;
    if (storage === "never for each third" && this.#count % 3 === 0) return 200;
    if (this.#place.wall.now() < this.#readyMs) return 200;
    if (processes !== "one" && this.#count % 2 === 0) await this.#place.sleep(HANDED_MS);
    // A request of a dead process changes nothing any more.
    if (life.isDead) return 500;
    const isPostponed = this.#values.unknown === "503 until known" && this.#isUnknown(event);
    if (isPostponed) return 503;
    if (storage === "after the answer") {
      void this.#handle(event, life);
      return 200;
    }
    if (!isQueue) {
      const status = await this.#handle(event, life);
      if (status !== COPY) return status;
      if (copies === "never answered") await new Promise(() => undefined);
      return copies === "refused with 500" ? 500 : 200;
    }
    if (poll === "one event of each second" && this.#isSecondTaken()) return 200;
    this.#database.inbox.push(event);
    void this.#workOff(life);
    await this.#place.work(0.2);
    return 200;
  }

  /** The worker: it looks for work now and then, and ends once none is left. */
  async #workOff(life: Life): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (!life.isDead && this.#hasWork) {
        await this.#wake();
        const { cursor } = this.#database;
        for (const event of this.#database.inbox.slice()) {
          if (this.#isPassed(event, cursor)) {
            this.#database.inbox.shift();
            continue;
          }
          if (this.#values.speed === "queue with 15 ms per event") await this.#place.work(15);
          if (life.isDead) break;
          await this.#handle(event, life);
          if (life.isDead) break;
          this.#database.inbox.shift();
          if (event.at > this.#database.cursor) this.#database.cursor = event.at;
        }
        for (const cents of this.#database.outbox.slice()) {
          await this.#place.work(1);
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

  /** Takes the second of an event. Returns true if another event has it, because the inbox has one row for each second. */
  #isSecondTaken(): boolean {
    const second = Math.floor(this.#place.wall.now() / 1_000);
    const isTaken = this.#database.second === second;
    this.#database.second = second;
    return isTaken;
  }

  /** Returns true if the worker looks only for events after a cursor, and does not see an event. */
  #isPassed({ at }: Event, cursor: string): boolean {
    return this.#values.poll === "events after its cursor" && at <= cursor;
  }

  /** Waits until the worker looks for work. */
  async #wake(): Promise<void> {
    const { poll } = this.#values;
    const { wall } = this.#place;
    if (poll !== "debounced by 150 ms") return this.#place.sleep(POLLS_MS[poll] ?? POLL_MS);
    for (;;) {
      const leftMs = this.#lastEventMs + DEBOUNCE_MS - wall.now();
      await this.#place.sleep(Math.max(POLL_MS, leftMs));
      if (wall.now() - this.#lastEventMs >= DEBOUNCE_MS) return;
    }
  }

  async #handle(event: Event, life: Life): Promise<number> {
    const { concurrency } = this.#values;
    if (concurrency === "none") return this.#change(event, life);
    // Objects that share a balance have one lock: by object, each change of the balance is one statement.
    const key = { "lock by account": "account", "lock by event": event.key }[concurrency] ?? event.id;
    const before = life.locks.get(key) ?? Promise.resolve();
    const change = before.then(() => this.#change(event, life));
    life.locks.set(
      key,
      change.catch(() => undefined),
    );
    return change;
  }

  async #change(event: Event, life: Life): Promise<number> {
    const { recognition, concurrency, storage, speed, processes } = this.#values;
    const key = this.#keyOf(event);
    const { handled } = this.#database;
    const own = this.#remembered[this.#count % 2] ?? life.handled;
    const memory =
      processes === ALONE
        ? own
        : recognition === "in memory only"
          ? life.handled
          : new Set(handled.slice(-(MEMORIES[recognition] ?? 0)));
    if (recognition !== "none" && memory.has(key) && !this.#isForgotten()) return COPY;
    const read = this.#database.cents;
    const status = await this.#readStatus(event);
    await this.#place.work(WORK_MS[speed] ?? 0.5);
    if (life.isDead) return 500;
    const database = this.#database;
    if (this.#isUnknown(event)) {
      if (this.#values.unknown === "dropped") return 200;
      if (this.#values.unknown === "kept for later") database.waiting.push(event);
    } else this.#apply(event, status);
    own.add(key);
    if (recognition === "in memory only") life.handled.add(key);
    else database.handled.push(key);
    database.events += 1;
    database.opening ??= event.name;
    if (storage === "outbox") {
      database.outbox.push(event.cents);
      void this.#workOff(life);
    } else if (concurrency === "none" || concurrency === "lock by event") database.cents = read + event.cents;
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

  /** Counts a copy. Returns true if the memory has no place for it. */
  #isForgotten(): boolean {
    this.#database.copies += 1;
    return this.#values.recognition === "one copy" && this.#database.copies === 2;
  }

  /** Reads the status of the object at the platform. Undefined if this partner takes it from the event. */
  async #readStatus({ name, id }: Event): Promise<string | undefined> {
    const isReadable = name.startsWith("SUBSCRIPTION.") && !name.includes("SCHEDULED_PAYMENT");
    if (this.#values.order !== "reading the object" || !isReadable) return undefined;
    const headers = { authorization: "Bearer acme-token" };
    const answer = await this.platform?.(`/order/v1/banking/subscriptions/${id}`, { headers });
    return answer?.ok === true ? ((await answer.json()) as { status: string }).status : undefined;
  }

  #book({ name, cents, at, status, returned }: Event): void {
    const { books } = this.#values;
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
    const { recognition } = this.#values;
    if (recognition === "object and time") return `${id} ${at}`;
    if (recognition === "hash of the body") return hash;
    return recognition === "object and status" ? `${id} ${status} ${key}` : key;
  }

  #isUnknown({ parent, isOpening, id }: Event): boolean {
    const { unknown } = this.#values;
    if (unknown === "stored from the event") return false;
    const { rows } = this.#database;
    return (parent !== undefined && rows[parent] === undefined) || (!isOpening && rows[id] === undefined);
  }

  #apply({ id, status: ofEvent, at, name, key }: Event, read?: string): void {
    const status = read ?? ofEvent;
    const { order } = this.#values;
    const { rows, handled } = this.#database;
    const row = rows[id];
    const isCharge = name.includes("SCHEDULED_PAYMENT");
    const isLast =
      order === "last arrival" ||
      (order === "last arrival for charges" && isCharge) ||
      (order === "last arrival for copies" && handled.includes(key));
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
    copies: 0,
    opening: undefined,
    log: [],
    cursor: "",
    second: -1,
  };
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
