import type { AttemptOrder } from "../platform/webhook-events/attempts.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Cause, Input } from "../engine/journal.ts";
import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { Instant } from "../engine/instant.ts";
import type { OpenedAttempt, StoredOrder } from "./opened-attempt.ts";
import type { Simulation } from "../engine/simulation.ts";
import type { Transport } from "./transport.ts";
import type { WireManner } from "./wire-manners.ts";
import { assumption } from "../platform/assumptions/assumptions.ts";
import { addDuration } from "../engine/instant.ts";
import { appliedOf } from "../platform/faults/selection.ts";
import { assertDefined } from "../engine/assertion.ts";
import { closeAttempt, openAttempt } from "../platform/webhook-events/attempts.ts";
import { outcomeOf, storedOrder } from "./opened-attempt.ts";
import { compose, unsentResult } from "./composition.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { performance } from "node:perf_hooks";

/** About how many characters the input of an opened attempt has. */
const ATTEMPT_INPUT_SIZE = 100;

/** Wall-clock durations that are kept for display; they are not part of a world's records. */
const DURATIONS_MAX = 50_000;

/** Wall time without a command after which a frozen world commits the results of its attempts automatically. */
const QUIET_MS = 250;

/** Wall time that a read waits at most for an attempt, counted from when the attempt was sent. */
const READ_WAIT_MS = 1_000;

/** What the journal keeps of the opening of an attempt and of the copies that are sent at the same moment. */
export interface AttemptInput extends Input {
  readonly kind: "attempt";
  names: readonly string[];
  /** Whether a fault loses it before it leaves. */
  isUnsent?: true;
  /** How it misbehaves on the wire. */
  manner?: WireManner["kind"];
  /** What a world that is loaded again needs to make the attempt again, without opening it a second time. */
  order?: StoredOrder;
}

/** What the journal keeps of an outcome that changed nothing; that of any other is in the record of the delivery. */
export interface OutcomeInput extends Input {
  readonly kind: "outcome";
  readonly name: string;
  readonly result: AttemptResult;
}

/** The clock of the world as deliveries need it. */
export interface Timekeeper {
  readonly mode: "running" | "frozen";
  /** Moves the simulation to the world's time. */
  readonly catchUp: () => void;
  /** Makes a running world wake up when its next timer is due. */
  readonly setAlarm: () => void;
}

interface DeliveriesOptions {
  readonly transport: Transport;
  readonly timekeeper: Timekeeper;
}

/** An attempt together with the copies and other events that are sent at the same moment. */
interface Exchange {
  readonly cause: Cause;
  readonly at: Instant;
  readonly objectId: string;
  readonly flights: readonly Flight[];
  /** Undefined until all of its attempts have ended. */
  results: readonly AttemptResult[] | undefined;
}

/** One attempt in flight, with a unique name. */
interface Flight {
  readonly name: string;
  readonly order: AttemptOrder;
  readonly request: WebhookRequest;
  /** Its result where a fault loses it before it leaves. */
  readonly unsent: AttemptResult | undefined;
}

/**
 * Makes the attempts that the simulation orders, and brings their outcomes back as commands. Attempts about one
 * object are made one after another; those about different objects do not wait for each other.
 *
 * Outcomes of attempts that were opened at one instant are committed in the order in which the attempts were opened,
 * independent of which answer comes first. On a running clock this happens as soon as possible. On a frozen clock it
 * happens only at barriers, always in the order of opening: when the clock is advanced, when a control or a read
 * waits for outcomes, or when no command has changed the world for {@link QUIET_MS}. So a call of the interface
 * neither waits for receivers nor depends on how fast they are, and the journal of serial calls is the same for
 * receivers of any speed.
 */
export class Deliveries {
  readonly #simulation: Simulation;
  readonly #transport: Transport;
  readonly #timekeeper: Timekeeper;
  /** The deliveries whose next attempt the last commands made due. */
  readonly #due: string[] = [];
  /** By object, the deliveries that wait until the outcome of the attempt about it is committed. */
  readonly #lanes = new Map<string, string[]>();
  /** By instant of opening, and in the order of opening, the exchanges whose outcome is not committed. */
  readonly #open = new Map<Instant, Exchange[]>();
  /** By the journal entry that announced them, the exchanges in flight that the answer to the call waits for. */
  readonly #early = new Map<number, Promise<void>[]>();
  readonly #durations = new Map<string, number>();
  /** How many exchanges wait for a receiver. */
  #inFlight = 0;
  #lastSentMs = 0;
  #ended = Promise.withResolvers<void>();
  #quietTimer: NodeJS.Timeout | undefined;
  #isQuiet = false;
  #isClosed = false;

  constructor(simulation: Simulation, { transport, timekeeper }: DeliveriesOptions) {
    this.#simulation = simulation;
    this.#transport = transport;
    this.#timekeeper = timekeeper;
  }

  /** Notes that an attempt of a delivery is due; `open` makes it. */
  makeDue(deliveryId: string): void {
    this.#due.push(deliveryId);
  }

  /** The attempts whose outcome is not committed, in the order in which they were opened. */
  get opened(): OpenedAttempt[] {
    return [...this.#open.values()]
      .flat()
      .flatMap(({ at, flights: [first] }) =>
        first === undefined ? [] : [{ at, order: storedOrder(first.order) }],
      );
  }

  /**
   * Makes the attempts again that were open when the world was saved: the journal has their opening, and gets their
   * outcome in the same order. Gives the ids of their deliveries.
   */
  resume(opened: readonly OpenedAttempt[]): ReadonlySet<string> {
    const resumed = new Set<string>();
    for (const { at, order } of opened) {
      const delivery = this.#simulation.records.get(deliveries, order.deliveryId);
      if (delivery?.pending[0] !== order.trigger || delivery.attempts.length + 1 !== order.number) continue;
      const { event, objectId, announcedBy } = delivery;
      const flights = [order, ...order.together].map((one) => this.#flightOf(this.#orderOf(one)));
      for (const { deliveryId } of [order, ...order.together]) resumed.add(deliveryId);
      const cause: Cause = { by: "delivery", name: event, entry: announcedBy };
      this.#lanes.set(objectId, this.#lanes.get(objectId) ?? []);
      this.#fly({ cause, at, objectId, flights, results: undefined });
    }
    return resumed;
  }

  /** Opens what is due, unless an earlier attempt about the same object is open. Call it after each command. */
  open(): void {
    if (this.#isClosed) return;
    for (let id = this.#due.shift(); id !== undefined; id = this.#due.shift()) {
      const { objectId } = this.#delivery(id);
      const lane = this.#lanes.get(objectId);
      if (lane !== undefined) {
        lane.push(id);
        continue;
      }
      this.#lanes.set(objectId, [id]);
      this.#openNext(objectId);
    }
  }

  /** Whether an attempt is in flight, or its outcome is not committed. */
  get isBusy(): boolean {
    return this.#lanes.size > 0 && !this.#isClosed;
  }

  /** A command from outside changed the world: the time without a command begins again. */
  commandTaken(): void {
    this.#isQuiet = false;
    this.#quietTimer?.refresh();
  }

  /** Waits until the outcome of every attempt is committed, including attempts that are opened meanwhile. */
  async settled(): Promise<void> {
    for (this.#takeInAll(); this.isBusy; this.#takeInAll()) await this.#ended.promise;
  }

  /**
   * Prepares a read on a frozen clock: waits as `settled` does, but no longer than {@link READ_WAIT_MS} for any one
   * attempt, so that a receiver may read while it handles a webhook. Undefined where there is nothing to wait for.
   */
  settledSoon(): Promise<void> | undefined {
    return this.isBusy && this.#timekeeper.mode === "frozen" ? this.#settledSoon() : undefined;
  }

  /** Commits the outcomes that are known, without waiting. */
  takeIn(): void {
    for (const at of this.#open.keys()) this.#takeInOpenedAt(at);
  }

  /**
   * When the receivers have answered the events in flight that were announced from a journal entry on, and that a fault
   * sends before the answer to the call (fault: early). Undefined where there are none.
   */
  earlySince(entry: number): Promise<unknown> | undefined {
    const early = Array.from(this.#early).flatMap(([announced, ended]) => (announced < entry ? [] : ended));
    return early.length === 0 ? undefined : Promise.all(early);
  }

  #rememberEarly(entry: number | undefined, ended: Promise<void>): void {
    if (entry === undefined) return;
    const early = this.#early.get(entry);
    if (early === undefined) this.#early.set(entry, [ended]);
    else early.push(ended);
    void ended.then(() => this.#early.delete(entry));
  }

  /** How long an attempt took in wall time; null if it is not known any more. */
  durationMs(deliveryId: string, number: number): number | null {
    return this.#durations.get(attemptName({ deliveryId, number })) ?? null;
  }

  /** Closes it: nothing more is sent or committed, and every waiting caller continues. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#quietTimer);
    this.#ended.resolve();
  }

  #openNext(objectId: string): void {
    const lane = assertDefined(this.#lanes.get(objectId), `the deliveries about ${objectId}`);
    for (let id = lane.shift(); id !== undefined; id = lane.shift()) {
      const exchange = this.#openAttempt(id);
      if (exchange === undefined) continue;
      this.#fly(exchange);
      return;
    }
    this.#lanes.delete(objectId);
  }

  #fly(exchange: Exchange): void {
    const opened = this.#open.get(exchange.at);
    if (opened === undefined) this.#open.set(exchange.at, [exchange]);
    else opened.push(exchange);
    const ended = this.#make(exchange);
    if (isEarly(exchange)) this.#rememberEarly(exchange.cause.entry, ended);
  }

  #orderOf({ together, ...order }: StoredOrder): AttemptOrder {
    const { url, body } = this.#delivery(order.deliveryId);
    return { ...order, url, body, together: together.map((one) => this.#orderOf(one)) };
  }

  #openAttempt(deliveryId: string): Exchange | undefined {
    const { event, objectId, announcedBy } = this.#delivery(deliveryId);
    const cause: Cause = { by: "delivery", name: event, entry: announcedBy };
    const input: AttemptInput = { kind: "attempt", size: ATTEMPT_INPUT_SIZE, names: [] };
    const opened = this.#simulation.execute({ ...cause, input }, (tx) => openAttempt(tx, deliveryId));
    if (!opened.ok || opened.value === undefined) return undefined;
    const flights = [opened.value, ...opened.value.together].map((order) => this.#flightOf(order));
    const [{ request, unsent } = {}] = flights;
    input.names = flights.map(({ name }) => name);
    input.order = storedOrder(opened.value);
    if (unsent !== undefined) input.isUnsent = true;
    if (request?.manner !== undefined) input.manner = request.manner.kind;
    return { cause, at: this.#simulation.now, objectId, flights, results: undefined };
  }

  /** Sends what was opened once the answer to its cause is out. */
  async #make(exchange: Exchange): Promise<void> {
    this.#inFlight++;
    this.#lastSentMs = performance.now();
    await afterTheAnswer();
    exchange.results = await this.#send(exchange);
    this.#inFlight--;
    if (this.#isClosed) return;
    if (this.#timekeeper.mode === "running") this.#takeInOpenedAt(exchange.at);
    else if (!this.#isQuiet) this.#awaitQuiet();
    else if (this.#inFlight === 0) this.#takeInAll();
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }

  async #send({ flights }: Exchange): Promise<readonly AttemptResult[]> {
    // What a fault loses on the way is lost with its copies.
    const lost = flights.map(({ unsent }) => flights[0]?.unsent ?? unsent);
    if (this.#isClosed && !lost.every((result) => result !== undefined)) return [];
    const leaving = flights.filter((_, index) => lost[index] === undefined);
    const results =
      leaving.length === 0 ? [] : [...(await this.#transport(leaving.map(({ request }) => request)))];
    return lost.map((result) => result ?? assertDefined(results.shift(), "the result of an attempt"));
  }

  /** Takes in, oldest first, what has ended up to the first attempt that has not. */
  #takeInAll(): void {
    if (this.#timekeeper.mode === "running") return this.takeIn();
    for (const at of this.#open.keys()) {
      this.#takeInOpenedAt(at);
      if (this.#open.has(at)) return;
    }
  }

  #takeInOpenedAt(at: Instant): void {
    const opened = this.#open.get(at);
    if (opened === undefined) return;
    for (let first = opened[0]; first?.results !== undefined && !this.#isClosed; first = opened[0]) {
      opened.shift();
      this.#close(first, first.results);
    }
    if (opened.length === 0) this.#open.delete(at);
  }

  #close({ cause, at, objectId, flights }: Exchange, results: readonly AttemptResult[]): void {
    for (const [index, flight] of flights.entries()) {
      const result = assertDefined(results[index], `the result of ${flight.name}`);
      this.#remember(flight.name, result);
      // On a running clock it ends at the present time, which may be much later.
      this.#timekeeper.catchUp();
      const { nextNumber } = this.#simulation.journal;
      this.#simulation.execute(cause, (tx) => closeAttempt(tx, flight.order, outcomeOf(at, flight, result)));
      if (this.#simulation.journal.entry(nextNumber)?.cause !== cause) {
        const input: OutcomeInput = {
          kind: "outcome",
          size: result.responseBody.length,
          name: flight.name,
          result,
        };
        this.#simulation.note({ ...cause, input });
      }
    }
    this.#openNext(objectId);
    this.open();
    this.#timekeeper.setAlarm();
  }

  async #settledSoon(): Promise<void> {
    for (this.#takeInAll(); this.isBusy; this.#takeInAll()) {
      const waitMs = this.#lastSentMs + READ_WAIT_MS - performance.now();
      if (waitMs <= 0) return;
      await withTimeout(this.#ended.promise, waitMs);
    }
  }

  /** Makes a frozen world commit its outcomes once no command has changed it for a while. */
  #awaitQuiet(): void {
    this.#quietTimer ??= setTimeout(() => {
      this.#quietTimer = undefined;
      this.#isQuiet = true;
      // A request that arrived while this process was busy is read before.
      setImmediate(() => {
        if (this.#isClosed) return;
        if (!this.#isQuiet) this.#awaitQuiet();
        else if (this.#inFlight === 0) this.#takeInAll();
      });
    }, QUIET_MS).unref();
  }

  #flightOf(order: AttemptOrder): Flight {
    const { reading } = this.#simulation;
    const deadlineMs = addDuration(0, assumption(reading, "webhook.timeout"), "UTC");
    const request = { ...compose(order), deadlineMs, egressMode: assumption(reading, "webhook.egress") };
    return { name: attemptName(order), request, unsent: unsentResult(order.injection), order };
  }

  #remember(key: string, { durationMs }: AttemptResult): void {
    const oldest = this.#durations.size >= DURATIONS_MAX ? this.#durations.keys().next().value : undefined;
    if (oldest !== undefined) this.#durations.delete(oldest);
    this.#durations.set(key, durationMs);
  }

  #delivery(id: string): Delivery {
    return assertDefined(this.#simulation.records.get(deliveries, id), `the delivery ${id}`);
  }
}

function isEarly({ flights }: Exchange): boolean {
  return flights.some(({ order }) => appliedOf(order.injection.faults, "early") !== undefined);
}

/** An answer is sent before the webhooks of its request. */
function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, timeoutMs);
  await Promise.race([promise, timeout.promise]);
  clearTimeout(timer);
}

function attemptName({ deliveryId, number }: Pick<AttemptOrder, "deliveryId" | "number">): string {
  return `${deliveryId} ${number}`;
}
