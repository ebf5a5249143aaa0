import type { Cause } from "../engine/journal.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import type { Transport } from "./transport.ts";
import { assertDefined } from "../engine/assertion.ts";
import { type Delivery, deliveries } from "../platform/webhook-events/delivery.ts";
import { LongWork } from "../../base/long-work.ts";
import { Queue } from "../../base/queue.ts";
import {
  commitOutcomes,
  type Exchange,
  type SavedExchange,
  savedExchange,
  exchangeAttempt,
  openExchange,
  isEarly,
  send,
} from "./exchange.ts";
import { InFlight } from "./in-flight.ts";
import { EarlyExchanges } from "./early-exchanges.ts";
import { type DueDelivery, ObjectQueues } from "./object-queues.ts";
import { Unfinished } from "./unfinished.ts";
import { Waves } from "./waves.ts";
import type { DeliveryClock } from "./delivery-clock.ts";

interface DeliveriesOptions {
  /** The sending world. Worlds share the connections fairly. */
  readonly world: string;
  readonly transport: Transport;
  readonly clock: DeliveryClock;
  /** Called with an attempt whose outcome is known and not committed yet. */
  readonly answered: (attempt: SavedExchange) => void;
}

/**
 * Makes the attempts that the simulation orders, and brings their outcomes back as commands. Attempts about one
 * object are made one after another. Attempts about different objects do not wait for each other.
 *
 * Outcomes of attempts that were opened at one instant are committed in the order of opening, not in the order of
 * their answers. On a running clock this happens as soon as possible. On a frozen clock it
 * happens only at barriers, always in the order of opening: when the clock is advanced, or when a control waits for
 * outcomes. Wall time is never a barrier: the journal of serial calls is the same for receivers of any speed, and for
 * any pause between two calls. A read gets a copy with the known outcomes (`shown`). An outcome is reported as soon as it is known,
 * so that a webhook which arrived is not sent again after a kill.
 *
 * An event that a command announces is opened at once, and sent when the attempt before it is answered: it leaves
 * although nobody advances the clock. An event that a timer announces waits for the outcome of that attempt.
 */
export class Deliveries {
  readonly #simulation: Simulation;
  /** The sending world. After its end no attempt is sent. */
  readonly #sender: { readonly world: string; readonly isOver: () => boolean };
  readonly #transport: Transport;
  readonly #clock: DeliveryClock;
  readonly #report: DeliveriesOptions["answered"];
  /** The deliveries whose next attempt is due. */
  readonly #due = new Queue<DueDelivery>();
  /** True while a command from outside runs. */
  #isInCommand = false;
  /** The queues of attempts, by object. */
  readonly #queues = new ObjectQueues();
  /** The exchanges without a committed outcome, by the instant of their opening and in that order. */
  readonly #open = new Map<Instant, Queue<Exchange>>();
  /** The ids of the deliveries with an attempt whose outcome is not committed. */
  readonly #openDeliveries = new Set<string>();
  readonly #early = new EarlyExchanges();
  readonly #unfinished = new Unfinished();
  readonly #inFlight = new InFlight();
  readonly #waves = new Waves();
  isClosed = false;
  /** The present work in turns: opening due webhooks, or committing outcomes. */
  #opening: Promise<void> | undefined;
  #committing: Promise<void> | undefined;
  /** An error of the sandbox itself while an attempt was opened, sent or closed. */
  #failure: Error | undefined;

  constructor(simulation: Simulation, { world, transport, clock, answered }: DeliveriesOptions) {
    this.#simulation = simulation;
    this.#sender = { world, isOver: () => this.isClosed };
    this.#transport = transport;
    this.#clock = clock;
    this.#report = answered;
  }

  /** Notes that an attempt of a delivery is due; `open` makes it. */
  makeDue(deliveryId: string): void {
    const sequence = this.#unfinished.add();
    this.#due.push({ id: deliveryId, isOfCommand: this.#isInCommand, sequence });
  }

  /** Runs a command from outside: its events are opened at once. */
  duringCommand<T>(command: () => T): T {
    this.#isInCommand = true;
    try {
      return command();
    } finally {
      this.#isInCommand = false;
    }
  }

  get #uncommitted(): Exchange[] {
    return [...this.#open.values()].flatMap((exchanges) => [...exchanges]);
  }

  /** The attempts without a committed outcome, in the order of their opening. */
  get opened(): SavedExchange[] {
    return this.#uncommitted.map(savedExchange);
  }

  /**
   * Resumes the attempts that were open when the world was saved. The journal has their opening, and gets their
   * outcomes in the same order. Attempts without a known outcome are made again. Returns the ids of their deliveries.
   */
  resume(opened: readonly SavedExchange[]): ReadonlySet<string> {
    const resumed = new Set<string>();
    const { records } = this.#simulation;
    for (const { at, order, endedAttempts } of opened) {
      const delivery = records.get(deliveries, order.deliveryId);
      if (delivery?.pending[0] !== order.trigger || delivery.attempts.length + 1 !== order.number) continue;
      const { event, objectId, announcedBy } = delivery;
      const attempts = [order, ...order.together].map((one, index) => {
        const attempt = exchangeAttempt(one, this.#simulation, this.#sender);
        return endedAttempts?.[index] === undefined ? attempt : { ...attempt, ended: endedAttempts[index] };
      });
      for (const { deliveryId } of [order, ...order.together]) resumed.add(deliveryId);
      const cause: Cause = { by: "delivery", name: event, entry: announcedBy };
      const state = endedAttempts === undefined ? "opened" : "ended";
      this.#start({ cause, at, objectId, attempts, sequence: this.#unfinished.add(), state });
    }
    return resumed;
  }

  /** Opens due webhooks, unless an earlier attempt about the same object is open. */
  open(): void {
    while (this.#openFirst());
  }

  /** Opens due webhooks as `open`, in turns. Undefined if the present turn is long enough for all of them. */
  openInTurns(work = new LongWork()): Promise<void> | undefined {
    if (this.isDue) this.#opening ??= work.take(this.#openEach());
    return this.#opening;
  }

  /** The number of waves so far: see {@link Waves}. */
  get waves(): number {
    return this.#waves.count;
  }

  /** True if an attempt is due or in flight, or its outcome is not committed. */
  get isBusy(): boolean {
    return (this.#queues.size > 0 || this.#due.length > 0) && !this.isClosed;
  }

  /** True if an attempt is not answered. */
  get isInFlight(): boolean {
    return !this.#inFlight.isEmpty;
  }

  /** True if a due attempt is not opened. */
  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Resolves when the present work in turns is done. Undefined if there is none. */
  get inTurns(): Promise<void> | undefined {
    return this.#opening ?? this.#committing;
  }

  /**
   * Waits until the outcome of each attempt is committed that is due or open now, and of the attempts that these
   * outcomes make due. Webhooks of later commands do not delay it.
   */
  settledUntilNow(): Promise<void> {
    const { last } = this.#unfinished;
    return this.settled(() => !this.#unfinished.hasUntil(last));
  }

  /**
   * Waits until the outcome of every attempt is committed, also of attempts that are opened in the meantime. Ends early
   * once `isStopped` is true.
   */
  async settled(isStopped: () => boolean): Promise<void> {
    for (let ended = this.#inFlight.nextEnd; ; ended = this.#inFlight.nextEnd) {
      await this.#commitEnded({ stopsAtFirst: this.#clock.mode === "frozen" });
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure !== undefined) throw failure;
      if (!this.isBusy || isStopped()) return;
      await ended;
    }
  }

  /**
   * Prepares a read on a frozen clock. Waits until the attempts in flight are answered, but not for long. So a receiver
   * may read while it handles a webhook. Undefined if no wait is needed.
   */
  answeredForRead(): Promise<void> | undefined {
    return this.isInFlight && this.#clock.mode === "frozen" ? this.#inFlight.answeredSinceLast() : undefined;
  }

  /** Waits until the attempts in flight are answered, but not for long. */
  answeredSoon(): Promise<void> {
    return this.#inFlight.answeredSoon();
  }

  /** Waits until the attempts in flight are answered, and commits no outcome. */
  answered(isStopped?: () => boolean): Promise<void> {
    return this.#inFlight.answered(isStopped);
  }

  /** Lets the waiting callers check again if they are stopped. */
  wake(): void {
    this.#inFlight.wake();
  }

  /**
   * Returns the simulation with all known outcomes committed. Undefined if no outcome is known. It works on a copy: a
   * read changes neither the world nor the order of its commits.
   */
  shown(observed: Parameters<Simulation["copy"]>[0]): Simulation | undefined {
    const known = this.#uncommitted.filter(({ state }) => state === "ended");
    if (known.length === 0 || this.isClosed) return undefined;
    const copy = this.#simulation.copy(observed);
    for (const exchange of known) commitOutcomes(copy, exchange);
    return copy;
  }

  /** Commits the outcomes that are known, without waiting for others. */
  async commitKnown(): Promise<void> {
    await this.#commitEnded({ stopsAtFirst: false });
  }

  /**
   * Resolves when the early events of an entry, or of a later one, are answered (fault: early). Undefined without such
   * events.
   */
  earlySince(entry: number): Promise<unknown> | undefined {
    return this.#early.since(entry);
  }

  /** Stops sending and committing. Every waiting caller continues. */
  close(): void {
    this.isClosed = true;
    this.#inFlight.close();
  }

  /** Opens the first due delivery. Returns false if no delivery is due. */
  #openFirst(): boolean {
    const due = this.isClosed ? undefined : this.#due.shift();
    if (due === undefined) return false;
    const { id, isOfCommand, sequence } = due;
    const { objectId } = this.#tryTo(() => this.#delivery(id)) ?? {};
    if (objectId === undefined) {
      this.#unfinished.end(sequence);
      return true;
    }
    const queue = this.#queues.of(objectId);
    queue.waiting.push(due);
    if (isOfCommand || queue.open === 0) this.#openWaiting(objectId, { isAll: isOfCommand });
    return true;
  }

  /**
   * Opens the attempts about an object that wait for an outcome, and sends them: the next one, or all. Attempts of one
   * delivery have consecutive numbers, so its next attempt waits for the outcome of its open one.
   */
  #openWaiting(objectId: string, { isAll }: { readonly isAll: boolean }): void {
    const queue = this.#queues.of(objectId);
    for (let due = queue.waiting.first; due !== undefined; due = queue.waiting.first) {
      const { id, sequence } = due;
      if (this.#openDeliveries.has(id)) return;
      queue.waiting.shift();
      const exchange = this.#tryTo(() =>
        openExchange(this.#simulation, { delivery: this.#delivery(id), sequence, sender: this.#sender }),
      );
      if (exchange === undefined) {
        this.#unfinished.end(sequence);
        continue;
      }
      this.#start(exchange);
      if (!isAll) return;
    }
    if (queue.open === 0) this.#queues.delete(objectId);
  }

  *#openEach(): Generator<void, undefined> {
    try {
      while (this.#openFirst()) yield;
    } finally {
      this.#opening = undefined;
    }
  }

  #start(exchange: Exchange): void {
    const opened = this.#open.get(exchange.at) ?? new Queue<Exchange>();
    this.#open.set(exchange.at, opened);
    opened.push(exchange);
    this.#waves.opened();
    const queue = this.#queues.of(exchange.objectId);
    queue.open++;
    for (const { order } of exchange.attempts) this.#openDeliveries.add(order.deliveryId);
    const ended = this.#make(exchange, queue.answered).catch(
      (error: Error) => void this.#simulation.fail(error),
    );
    queue.answered = ended;
    if (isEarly(exchange)) this.#early.add(exchange.cause.entry ?? 0, ended);
  }

  /** Sends an exchange after the answer to its cause and after the answer to the attempt `before` it. */
  async #make(exchange: Exchange, before: Promise<void> | undefined): Promise<void> {
    this.#inFlight.begin();
    if (before !== undefined) await before;
    const isNew = exchange.state === "opened";
    this.#inFlight.sent();
    if (isNew) await send(exchange, this.#transport).catch((error: Error) => void (this.#failure ??= error));
    this.#inFlight.end();
    if (this.isClosed) return;
    if (this.#clock.mode === "running") while (this.#commitFirstOf(exchange.at));
    const isCommittedNext = this.#clock.isMoving && this.#open.get(exchange.at)?.first === exchange;
    if (isNew && exchange.state === "ended" && !isCommittedNext) this.#report(savedExchange(exchange));
    this.wake();
  }

  /**
   * Commits outcomes in turns. On a frozen clock it first opens all due webhooks, in the order of the commands.
   * Webhooks that a failed command left due are opened here.
   */
  async #commitEnded({ stopsAtFirst }: { readonly stopsAtFirst: boolean }): Promise<void> {
    while (!this.isClosed && (this.isDue || this.inTurns !== undefined))
      await (this.inTurns ?? this.openInTurns());
    if (this.#open.size > 0) this.#committing = new LongWork().take(this.#commitEach(stopsAtFirst));
    await this.#committing;
  }

  *#commitEach(stopsAtFirst: boolean): Generator<void, undefined> {
    try {
      for (const at of this.#open.keys()) {
        while (this.#commitFirstOf(at)) yield;
        if (stopsAtFirst && this.#open.has(at)) return;
      }
    } finally {
      this.#committing = undefined;
    }
  }

  /** Commits the outcome of the first attempt of an instant. Returns false if it has not ended. */
  #commitFirstOf(at: Instant): boolean {
    const opened = this.#open.get(at);
    const first = opened?.first;
    if (opened === undefined || first?.state !== "ended" || this.isClosed) return false;
    opened.shift();
    first.state = "committed";
    // On a running clock it ends at the present time, which may be much later.
    this.#unfinished.during(first.sequence, () =>
      this.#tryTo(() => commitOutcomes(this.#simulation, first, () => this.#clock.catchUp())),
    );
    this.#unfinished.end(first.sequence);
    this.#queues.of(first.objectId).open--;
    const objectIds = new Set([first.objectId]);
    for (const { order } of first.attempts) {
      this.#openDeliveries.delete(order.deliveryId);
      objectIds.add(this.#delivery(order.deliveryId).objectId);
    }
    for (const objectId of objectIds)
      if (this.#queues.of(objectId).open === 0) this.#openWaiting(objectId, { isAll: false });
    this.#waves.committed();
    if (opened.length === 0) this.#open.delete(at);
    void this.openInTurns();
    this.#clock.scheduleNext();
    return true;
  }

  /**
   * Opens or closes an attempt. If the sandbox itself fails, the next `settled` throws that error, so a request reports
   * it. Later attempts continue.
   */
  #tryTo<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#failure ??= error as Error;
      return undefined;
    }
  }

  #delivery(id: string): Delivery {
    return assertDefined(this.#simulation.records.get(deliveries, id), `the delivery ${id}`);
  }
}
