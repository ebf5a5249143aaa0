import { randomUUID } from "node:crypto";
import { ACME_ACCOUNT } from "../../partner.ts";
import {
  centPayout,
  type PayoutReceiver,
  type ServerProcess,
  startReceiver,
  startServer,
} from "./servers.ts";
import { refundBody } from "../../simulator/platform/refunds/paid-order.ts";
import { type Chance, seededChance } from "../../../src/simulator/engine/random.ts";
import { setTimeout as pause } from "node:timers/promises";
import { type DatabaseProxy, type Passage, startDatabaseProxy } from "./database-proxy.ts";

interface SwarmOptions {
  /** Chooses the kinds of faults and of requests, and each of them. */
  readonly seed: number;
  readonly durationMs: number;
  /** The URL of the database. */
  readonly database: string;
  readonly onEnd: (end: () => void) => void;
  /** Called with everything that is done, for a person who looks for a cause. */
  readonly trace?: (line: string) => void;
}

/** What happened, and what of it breaks a promise. */
export interface SwarmReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const SERVERS = 3;
const PARTNERS = 10;
const WORLDS_MAX = 14;
const LEASE_MS = 1_000;

/** A request that has no answer by then is never answered. */
const ANSWER_MAX_MS = 30_000;
/** For so long a world that nobody asks may be late with what is due in it. */
const WAKE_MAX_MS = 15_000;
const SETTLED_MAX_MS = 30_000;

const FAULTS = [
  "kill",
  "stop",
  "pause",
  "cut",
  "cut statements",
  "delay statements",
  "outlast the lease",
] as const;
type Fault = (typeof FAULTS)[number];

/** Statements about a world, which decide who has it and what it is. */
const STATEMENTS = ["load", "claim", "claim due", "owner", "write", "release", "make"];

const REQUESTS = {
  pay: 6,
  read: 8,
  deposit: 2,
  cancel: 2,
  advance: 2,
  fault: 1,
  make: 1,
  fork: 1,
  snapshot: 1,
  restore: 1,
  drop: 1,
  leave: 4,
  rest: 6,
  order: 4,
} as const;
type RequestKind = keyof typeof REQUESTS;

/** What nobody else may come between. */
const ALONE: ReadonlySet<RequestKind> = new Set(["snapshot", "restore", "drop", "rest"]);

interface Slot {
  readonly name: string;
  readonly proxy: DatabaseProxy;
  process: ServerProcess;
  isInTrouble: boolean;
}

/** What partners know of a payout that was acknowledged. */
interface KnownPayout {
  readonly id: string;
  canceled: "no" | "maybe" | "yes";
}

/** What partners know of a world. */
interface KnownWorld {
  readonly id: string;
  readonly token: string;
  readonly isFrozen: boolean;
  payouts: Map<string, KnownPayout>;
  /** Deposits of 1.00 that were acknowledged, and those that may have been made. */
  deposits: { least: number; most: number };
  saved:
    | { readonly id: string; readonly payouts: Map<string, KnownPayout>; readonly deposits: number }
    | undefined;
  /** Requests to it that are not answered. */
  users: number;
  /** It was dropped, or it is not known what became of it. */
  isGone: boolean;
  /** Nothing but the present request may change it. */
  isReserved: boolean;
}

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Payout {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
}

/**
 * Drives a sandbox of three servers on one database with random requests and faults, and holds it to what it
 * answered: what was acknowledged exists once, no read is older than it, books balance, and webhooks arrive.
 */
export async function runSwarm(options: SwarmOptions): Promise<SwarmReport> {
  const swarm = new Swarm(options, await startReceiver(options.onEnd));
  await swarm.run();
  return { counts: swarm.counts, violations: swarm.violations };
}

class Swarm {
  readonly counts: Record<string, number> = {};
  readonly violations: string[] = [];
  readonly #options: SwarmOptions;
  readonly #receiver: PayoutReceiver;
  readonly #slots: Slot[] = [];
  readonly #worlds: KnownWorld[] = [];
  readonly #dropped: string[] = [];
  readonly #waking: Promise<void>[] = [];
  /** Its own, so that no earlier run in the database counts. */
  readonly #schema = `swarm_${randomUUID().replaceAll("-", "")}`;
  #isOver = false;
  #keys = 0;

  constructor(options: SwarmOptions, receiver: PayoutReceiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  async run(): Promise<void> {
    const { seed, durationMs, database, onEnd } = this.#options;
    const chosen = seededChance(seed, "choice");
    const faults = FAULTS.filter(() => chosen.below(2) === 0);
    const requests = (Object.keys(REQUESTS) as RequestKind[]).filter(
      (kind) => kind === "pay" || kind === "read" || chosen.below(4) > 0,
    );
    this.#trace(`faults: ${faults.join(", ")}; requests: ${requests.join(", ")}`);
    for (let number = 1; number <= SERVERS; number++) {
      const proxy = await startDatabaseProxy(database, onEnd);
      const process = await this.#start(proxy);
      this.#slots.push({ name: `server ${number}`, proxy, process, isInTrouble: false });
    }
    this.#know({ id: "default", token: "acme-token", isFrozen: true });
    const load = Array.from({ length: PARTNERS }, (_, number) =>
      this.#repeat(`partner ${number + 1}`, (chance) => this.#request(chance, requests)),
    );
    const trouble =
      faults.length === 0 ? [] : [1, 2].map((number) => this.#trouble(`trouble ${number}`, faults));
    await pause(durationMs);
    this.#isOver = true;
    await Promise.all([...load, ...trouble]);
    await Promise.all(this.#waking);
    for (const world of this.#worlds) if (!world.isGone) await this.#judge(world);
    await this.#judgeDropped();
  }

  // What goes wrong

  async #trouble(name: string, faults: readonly Fault[]): Promise<void> {
    await this.#repeat(name, async (chance) => {
      await pause(200 + chance.below(1_500));
      const slot = pick(
        chance,
        this.#slots.filter(({ isInTrouble }) => !isInTrouble),
      );
      const fault = pick(chance, faults);
      const forMs = 200 + chance.below(3 * LEASE_MS);
      if (slot === undefined || fault === undefined || this.#isOver) return;
      slot.isInTrouble = true;
      this.#trace(`${slot.name}: ${fault} ${forMs}`);
      this.#count(fault);
      try {
        await this.#harm(slot, { fault, forMs, chance });
      } finally {
        slot.proxy.intercept = () => "pass";
        slot.isInTrouble = false;
        this.#trace(`${slot.name}: well`);
      }
    });
  }

  async #harm(
    slot: Slot,
    { fault, forMs, chance }: { readonly fault: Fault; readonly forMs: number; readonly chance: Chance },
  ): Promise<void> {
    const { proxy, process } = slot;
    switch (fault) {
      case "kill":
        await process.end("SIGKILL");
        await pause(forMs / 2);
        slot.process = await this.#start(proxy);
        return;
      case "stop": {
        const code = await process.end("SIGTERM");
        if (code !== 0)
          this.#violated(`${slot.name} ended with ${code} after SIGTERM: ${process.log().slice(-500)}`);
        slot.process = await this.#start(proxy);
        return;
      }
      case "pause":
        process.child.kill("SIGSTOP");
        await pause(forMs);
        process.child.kill("SIGCONT");
        return;
      case "cut":
        proxy.cutAll();
        return;
      case "cut statements": {
        // Of one kind more than of others, or those that are rare would never meet it.
        const chosen = pick(chance, STATEMENTS);
        proxy.intercept = (statement, moment): Passage => {
          if (chance.below(statement === chosen ? 3 : 12) > 0) return "pass";
          this.#trace(`${slot.name}: ${brief(statement)} cut when ${moment}`);
          return "cut";
        };
        await pause(2 * forMs);
        return;
      }
      case "delay statements": {
        const isLate = new Map<string, boolean>();
        proxy.intercept = async (statement, moment): Promise<Passage> => {
          const late = isLate.get(statement) ?? chance.below(2) === 0;
          isLate.set(statement, late);
          const delayMs = late ? chance.below(3 * LEASE_MS) : 0;
          if (late) this.#trace(`${slot.name}: ${brief(statement)} late by ${delayMs} when ${moment}`);
          await pause(delayMs);
          return "pass";
        };
        await pause(2 * forMs);
        return;
      }
      case "outlast the lease": {
        const held = pick(chance, STATEMENTS);
        const leaseLost = pause(1.5 * LEASE_MS);
        const answered = pause(2 * LEASE_MS + forMs);
        this.#trace(`${slot.name}: answers to ${held} are held`);
        proxy.intercept = async (statement, moment): Promise<Passage> => {
          if (statement === "renew") await leaseLost;
          if (statement === held && moment === "answered") await answered;
          return "pass";
        };
        await answered;
      }
    }
  }

  async #start(proxy: DatabaseProxy): Promise<ServerProcess> {
    const flags = ["--lease", "PT1S", "--world-sleep", "PT1S", "--log-level", "warn"];
    flags.push("--data-schema", this.#schema);
    const started = { data: proxy.url, flags: [...flags, "--webhook-url", this.#receiver.url] };
    for (let attempt = 1; ; attempt++) {
      try {
        return await startServer(started, this.#options.onEnd);
      } catch (error) {
        // A start may meet the trouble of another server with the database.
        if (attempt === 5) throw error;
      }
    }
  }

  // What partners do

  async #request(chance: Chance, kinds: readonly RequestKind[]): Promise<void> {
    const weighted = kinds.flatMap((kind) => Array.from({ length: REQUESTS[kind] }, () => kind));
    const kind = pick(chance, weighted)!;
    await pause(chance.below(60));
    if (kind === "make") return this.#make(chance);
    if (kind === "leave") return this.#leave(chance);
    const world = pick(
      chance,
      this.#worlds.filter(({ isGone, isReserved }) => !isGone && !isReserved),
    );
    if (world === undefined) return;
    const isAlone = ALONE.has(kind);
    if (isAlone && (world.id === "default" || world.users > 0)) return;
    world.isReserved = isAlone;
    world.users++;
    try {
      await this.#requestIn(world, kind, chance);
    } finally {
      world.users--;
      world.isReserved = false;
    }
  }

  async #requestIn(
    world: KnownWorld,
    kind: Exclude<RequestKind, "make" | "leave">,
    chance: Chance,
  ): Promise<void> {
    const { token } = world;
    const expected = (answer: Answered | undefined, ...statuses: number[]): boolean =>
      this.#expect(`${kind} in ${world.id}`, answer, statuses);
    switch (kind) {
      case "pay":
        await this.#pay(world, chance);
        if (chance.below(2) === 0) await this.#read(world, chance);
        return;
      case "read":
        return this.#read(world, chance);
      case "deposit": {
        const body = { id: ACME_ACCOUNT, amount: "1.00" };
        world.deposits.most++;
        if (expected(await this.#ask(chance, "POST /sandbox/acts/account.deposit", { token, body }), 200))
          world.deposits.least++;
        return;
      }
      case "cancel": {
        const payout = pick(chance, [...world.payouts.values()]);
        if (payout === undefined || payout.canceled === "yes") return;
        payout.canceled = "maybe";
        const body = { id: payout.id };
        const answer = await this.#ask(chance, "POST /sandbox/acts/payout.cancel", { token, body });
        if (answer?.status !== 409 && answer?.status !== 422 && expected(answer, 200))
          payout.canceled = "yes";
        return;
      }
      case "advance":
        if (world.isFrozen)
          expected(
            await this.#ask(chance, "POST /sandbox/clock/advance", { token, body: { by: "PT1M" } }),
            200,
          );
        return;
      case "fault": {
        const effect = pick(chance, ["duplicate", "reorder"]);
        const body = { on: "webhook", effect, times: 1 + chance.below(5) };
        if (world.isFrozen) expected(await this.#ask(chance, "POST /sandbox/faults", { token, body }), 201);
        return;
      }
      case "fork": {
        if (this.#isFull) return;
        const payouts = copyOf(world.payouts);
        const { least } = world.deposits;
        const answer = await this.#ask(chance, "POST /sandbox/fork", { token, body: {} });
        if (!expected(answer, 201)) return;
        const fork = this.#knowMade(answer, world.isFrozen);
        // A cancellation that was under way may be part of the fork.
        for (const payout of payouts.values()) if (payout.canceled === "no") payout.canceled = "maybe";
        fork.payouts = payouts;
        fork.deposits = { least, most: world.deposits.most };
        return;
      }
      case "snapshot": {
        const answer = await this.#ask(chance, "POST /sandbox/snapshots", { token });
        if (!expected(answer, 201)) return;
        const { least } = world.deposits;
        world.saved = { id: String(answer?.body["id"]), payouts: copyOf(world.payouts), deposits: least };
        return;
      }
      case "restore": {
        if (world.saved === undefined) return;
        const { id, payouts, deposits } = world.saved;
        // What was not answered may still take effect.
        world.isGone = !expected(
          await this.#ask(chance, `POST /sandbox/snapshots/${id}/restore`, { token }),
          200,
        );
        world.payouts = copyOf(payouts);
        world.deposits.least = deposits;
        return;
      }
      case "rest": {
        // It goes to sleep. One server may just be loading it when another one is asked.
        const [one, other] = [pick(chance, this.#slots)!, pick(chance, this.#slots)!];
        await pause(LEASE_MS + chance.below(LEASE_MS));
        const first = this.#readFrom(one, world);
        await pause(chance.below(200));
        await this.#readFrom(other, world);
        await this.#pay(world, chance, other);
        await this.#readFrom(one, world);
        await first;
        return;
      }
      case "order":
        return this.#order(world, chance);
      case "drop":
        world.isGone = true;
        if (expected(await this.#ask(chance, `DELETE /sandbox/worlds/${world.id}`, { token: null }), 200))
          this.#dropped.push(world.id);
    }
  }

  /** Repeats the request with its key until it is answered, as a partner does. */
  async #pay(
    world: KnownWorld,
    chance: Chance,
    slot: Slot | undefined = pick(chance, this.#slots),
  ): Promise<string | undefined> {
    const key = `payout-${++this.#keys}`;
    const headers = { "idempotency-key": key };
    const request = { token: world.token, headers, body: centPayout(key) };
    for (let asked = slot; asked !== undefined && !this.#isOver; asked = pick(chance, this.#slots)) {
      const answer = await this.#askOne(asked, "POST /order/v1/banking/order-payouts", request);
      if (this.#expect(`pay in ${world.id}`, answer, [201])) {
        world.payouts.set(key, { id: String(answer?.body["id"]), canceled: "no" });
        this.#trace(`${key} in ${world.id} is acknowledged`);
        return key;
      }
      await pause(50);
    }
    return undefined;
  }

  /**
   * Creates, pays, refunds, disputes or returns an order, in parts and late. Its company is not the company of the
   * payouts. A step may be refused, and the books must balance.
   */
  async #order(world: KnownWorld, chance: Chance): Promise<void> {
    const token = world.token.replace("acme", "globex");
    const listed = await this.#ask(chance, "GET /sandbox/resources/orders", { token });
    if (!this.#expect(`orders of ${world.id}`, listed, [200])) return;
    const order = pick(chance, listed?.body["data"] as { id: string }[]);
    const step = order === undefined ? "create" : pick(chance, ORDER_STEPS)!;
    const amount = pick(chance, ["10.00", "30.00", "70.00", "100.00", "110.00"]);
    const headers = { "idempotency-key": `order-${++this.#keys}` };
    let answer: Answered | undefined;
    if (step === "create") {
      const body = orderOf(`order-${this.#keys}`);
      answer = await this.#ask(chance, "PUT /order/v2/transparent", { token, headers, body });
    } else if (step === "refund") {
      const body = refundBody(order!.id, { amount });
      answer = await this.#ask(chance, "PUT /order/v2/refund", { token, headers, body });
    } else if (step === "late") {
      if (!world.isFrozen) return;
      answer = await this.#ask(chance, "POST /sandbox/clock/advance", { token, body: { by: "P4D" } });
    } else {
      const body = { id: order!.id, ...(chance.below(3) > 0 && { amount }) };
      answer = await this.#ask(chance, `POST /sandbox/acts/${step}`, { token, body });
    }
    if (this.#expect(`${step} in ${world.id}`, answer, [200, 201, 400, 409, 422])) this.#count(step);
  }

  async #read(world: KnownWorld, chance: Chance): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++)
      if (await this.#readFrom(pick(chance, this.#slots)!, world)) return;
  }

  /** Reads a world; false where there is no answer. */
  async #readFrom(slot: Slot, world: KnownWorld): Promise<boolean> {
    const known = copyOf(world.payouts);
    const found = await this.#payoutsOf(slot, world);
    if (found !== undefined) this.#compare(`${slot.name} answered a read of ${world.id}`, known, found);
    return found !== undefined;
  }

  async #make(chance: Chance): Promise<void> {
    if (this.#isFull) return;
    const isFrozen = chance.below(2) === 0;
    const body = { mode: isFrozen ? "frozen" : "running", seed: chance.below(1_000) };
    const answer = await this.#ask(chance, "POST /sandbox/worlds", { token: null, body });
    if (this.#expect("make", answer, [201])) this.#knowMade(answer, isFrozen);
  }

  /** Leaves a world with a payout in it alone: it has to wake by itself where the payout is due. */
  async #leave(chance: Chance): Promise<void> {
    const body = { mode: "running", assumptions: { "payout.pix-delay": "PT3S" } };
    const answer = await this.#ask(chance, "POST /sandbox/worlds", { token: null, body });
    if (!this.#expect("leave", answer, [201])) return;
    const id = String(answer?.body["id"]);
    const left: KnownWorld = {
      ...NEW,
      id,
      token: `acme-token.${id}`,
      payouts: new Map(),
      deposits: { least: 0, most: 0 },
    };
    const key = await this.#pay(left, chance);
    if (key === undefined) return;
    this.#waking.push(
      (async () => {
        const isPaid = (): boolean => this.#receiver.events.get(key)?.has("ORDER-PAYOUT.PAID") === true;
        if (!(await within(WAKE_MAX_MS, isPaid))) this.#violated(`${id} did not wake to pay ${key}`);
        await this.#ask(chance, `DELETE /sandbox/worlds/${id}`, { token: null });
      })(),
    );
  }

  async #repeat(name: string, act: (chance: Chance) => Promise<void>): Promise<void> {
    const chance = seededChance(this.#options.seed, name);
    while (!this.#isOver) await act(chance);
  }

  // What is asked and known

  get #isFull(): boolean {
    return this.#worlds.filter(({ isGone }) => !isGone).length >= WORLDS_MAX;
  }

  #knowMade(answer: Answered | undefined, isFrozen: boolean): KnownWorld {
    const id = String(answer?.body["id"]);
    return this.#know({ id, token: `acme-token.${id}`, isFrozen });
  }

  #know(world: Pick<KnownWorld, "id" | "token" | "isFrozen">): KnownWorld {
    const known = {
      ...NEW,
      ...world,
      payouts: new Map<string, KnownPayout>(),
      deposits: { least: 0, most: 0 },
    };
    this.#worlds.push(known);
    return known;
  }

  /** Asks any server; undefined where the connection broke. */
  #ask(chance: Chance, request: string, given: Asked): Promise<Answered | undefined> {
    return this.#askOne(pick(chance, this.#slots)!, request, given);
  }

  async #askOne(slot: Slot, request: string, { token, headers, body }: Asked): Promise<Answered | undefined> {
    const [method = "", path = ""] = request.split(" ");
    const { url } = slot.process;
    this.#count("requests");
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      const text = await response.text();
      const isJson = text.startsWith("{");
      return {
        status: response.status,
        body: (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>,
      };
    } catch (error) {
      if ((error as Error).name === "TimeoutError") this.#violated(`${slot.name} did not answer ${request}`);
      return undefined;
    }
  }

  async #payoutsOf(slot: Slot, { id, token }: KnownWorld): Promise<Payout[] | undefined> {
    const answer = await this.#askOne(slot, "GET /sandbox/resources/payouts", { token });
    return this.#expect(`read of ${id}`, answer, [200]) ? (answer?.body["data"] as Payout[]) : undefined;
  }

  // The judge

  /** Whether an answer has one of the statuses; any other than a request to come back is a violation. */
  #expect(what: string, answer: Answered | undefined, statuses: readonly number[]): boolean {
    if (answer === undefined || answer.status === 503) {
      this.#count("unanswered");
      return false;
    }
    if (statuses.includes(answer.status)) {
      this.#count("answered");
      return true;
    }
    this.#violated(`${what} was answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
    return false;
  }

  /** Compares what was acknowledged before a read with what it found. */
  #compare(what: string, known: ReadonlyMap<string, KnownPayout>, found: readonly Payout[]): void {
    this.#count("reads compared");
    const byKey = Map.groupBy(found, ({ externalId }) => externalId);
    for (const [key, { length }] of byKey)
      if (length > 1) this.#violated(`${what} with ${key} ${length} times`);
    if (new Set(found.map(({ id }) => id)).size < found.length) this.#violated(`${what} with an id twice`);
    for (const [key, { id, canceled }] of known) {
      const [payout] = byKey.get(key) ?? [];
      if (payout?.id !== id) this.#violated(`${what} without ${key}, which was acknowledged as ${id}`);
      else if (canceled === "yes" && payout.status !== "CANCELED")
        this.#violated(`${what} with ${key} ${payout.status}, which was canceled`);
    }
  }

  /** Judges a world once nothing goes wrong any more. */
  async #judge(world: KnownWorld): Promise<void> {
    const { id, token, isFrozen, payouts, deposits } = world;
    let latest: Payout[] = [];
    const [first] = this.#slots as [Slot];
    const isSettled = async (): Promise<boolean> => {
      const body = { by: "PT2H" };
      if (
        isFrozen &&
        (await this.#askOne(first, "POST /sandbox/clock/advance", { token, body }))?.status !== 200
      )
        return false;
      latest = (await this.#payoutsOf(first, world)) ?? [];
      const isTold = ({ externalId, status }: Payout): boolean =>
        this.#receiver.events.get(externalId)?.has(`ORDER-PAYOUT.${status}`) === true;
      return latest.length >= payouts.size && latest.every((one) => one.status !== "PENDING" && isTold(one));
    };
    if (!(await within(SETTLED_MAX_MS, isSettled)))
      this.#violated(`${id} does not settle, or does not say so`);
    for (const slot of this.#slots) {
      const found = await this.#payoutsOf(slot, world);
      if (found === undefined) {
        const { process } = slot;
        const ended = process.child.exitCode ?? process.child.signalCode ?? "no";
        this.#violated(
          `${slot.name} gave no last read of ${id}; ended: ${ended}; ${process.url}; ${process.log().slice(-500)}`,
        );
        continue;
      }
      this.#compare(`${slot.name} answered the last read of ${id}`, payouts, found);
      if (JSON.stringify(found) !== JSON.stringify(latest))
        this.#violated(`${slot.name} reads another ${id}`);
    }
    const ledger = (await this.#askOne(first, "GET /sandbox/ledger", { token }))?.body;
    if (ledger?.["balanced"] !== true) this.#violated(`the books of ${id} do not balance`);
    const accounts = (ledger?.["accounts"] ?? []) as { account: string; value: string }[];
    const available = accounts.find(({ account }) => account === `available:${ACME_ACCOUNT}`)?.value;
    const paid = latest.filter(({ status }) => status !== "CANCELED").length;
    const deposited = (Math.round(Number(available) * 100) - 10_000_000 + paid) / 100;
    if (!Number.isInteger(deposited) || deposited < deposits.least || deposited > deposits.most)
      this.#violated(`${id} has ${deposited} deposits; ${deposits.least} to ${deposits.most} were made`);
    this.#count("payouts", payouts.size);
  }

  async #judgeDropped(): Promise<void> {
    for (const slot of this.#slots) {
      const answer = await this.#askOne(slot, "GET /sandbox/worlds", { token: null });
      const listed = new Set(((answer?.body["data"] ?? []) as { id: string }[]).map(({ id }) => id));
      for (const id of this.#dropped)
        if (listed.has(id)) this.#violated(`${slot.name} lists ${id}, which was dropped`);
    }
  }

  #violated(what: string): void {
    this.#trace(`VIOLATION ${what}`);
    this.violations.push(what);
  }

  #count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  #trace(line: string): void {
    this.#options.trace?.(line);
  }
}

interface Asked {
  readonly token: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A step of an order. The first steps are more frequent. */
const ORDER_STEPS = [
  "create",
  "order.pay",
  "order.pay",
  "order.pay",
  "refund",
  "refund",
  "order.return",
  "order.dispute",
  "order.dispute-lost",
  "late",
];

function orderOf(externalId: string): object {
  const customer = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };
  const amount = { currency: "BRL", value: "100.00" };
  return { customer, order: { externalId, paymentMethod: "BOLETO", amount } };
}

const NEW = { isFrozen: false, saved: undefined, users: 0, isGone: false, isReserved: false };

function pick<T>(chance: Chance, all: readonly T[]): T | undefined {
  return all[chance.below(Math.max(1, all.length))];
}

function copyOf(payouts: ReadonlyMap<string, KnownPayout>): Map<string, KnownPayout> {
  return new Map(Array.from(payouts, ([key, payout]) => [key, { ...payout }]));
}

async function within(ms: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; await pause(100)) {
    if (await isSo()) return true;
  }
  return false;
}

function brief(statement: string): string {
  return statement.trim().replaceAll(/\s+/g, " ").slice(0, 40);
}
