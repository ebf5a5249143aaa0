import type { AttemptOrder, AttemptOutcome } from "../platform/webhook-events/attempts.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Transport } from "./transport.ts";
import type { Cause } from "../engine/journal.ts";
import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import { assumption } from "../platform/assumptions/assumptions.ts";
import { addDuration } from "../engine/instant.ts";
import { closeAttempt, openAttempt } from "../platform/webhook-events/attempts.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { assertDefined } from "../engine/assertion.ts";
import { compose } from "./faults/composition.ts";
import { unsentResult } from "./faults/unsent.ts";

/** How much of a request's body is kept: far above any event, far below what a fault can make of one. */
const REQUEST_KEPT_BYTES = 256 * 1024;

/** Wall-clock durations that are kept to be looked at; they are no part of a world's records. */
const DURATIONS_MAX = 50_000;

/** Told of every attempt as it is opened and as its answer comes in, before the world takes the answer. */
export interface DispatchWatcher {
  readonly opened: (at: Instant, attempts: readonly OpenedAttempt[]) => void;
  readonly answered: (at: Instant, name: string, result: AttemptResult) => void;
}

/** One attempt on its way, by a name of its own. */
export interface OpenedAttempt {
  readonly name: string;
  readonly request: WebhookRequest;
  /** What comes of it where it is lost on purpose before it leaves. */
  readonly unsent: AttemptResult | undefined;
}

/** What a running clock wants of whoever takes commands between requests. */
export interface Timekeeper {
  /** Moves time on to where the clock stands. */
  readonly catchUp: () => void;
  /** Sees to it that the next timer is fired when it is due. */
  readonly setAlarm: () => void;
}

interface DispatcherOptions {
  readonly transport: Transport;
  readonly timekeeper: Timekeeper;
  readonly watcher?: DispatchWatcher;
}

interface Opened {
  readonly cause: Cause;
  readonly at: number;
  /** The attempt, and the copies that go beside it. */
  readonly flights: readonly Flight[];
}

/** One attempt on its way, with what ordered it. */
interface Flight extends OpenedAttempt {
  readonly order: AttemptOrder;
}

/**
 * Makes the attempts that the simulation orders, and brings what came of them back as commands. Attempts about
 * one object leave one after another; those about different objects do not wait for each other. An attempt is
 * opened right after the command that made it due and sent only then, so that the journal depends on the order
 * in which commands and answers come, and on nothing else.
 */
export class Dispatcher {
  readonly #simulation: Simulation;
  readonly #transport: Transport;
  readonly #timekeeper: Timekeeper;
  readonly #watcher: DispatchWatcher | undefined;
  /** The deliveries whose next attempt the last commands made due. */
  readonly #due: string[] = [];
  /** By object, the deliveries that wait for the attempt about it to be over. */
  readonly #lanes = new Map<string, string[]>();
  readonly #flights = new Set<Promise<void>>();
  readonly #durations = new Map<string, number>();

  constructor(simulation: Simulation, { transport, timekeeper, watcher }: DispatcherOptions) {
    this.#simulation = simulation;
    this.#transport = transport;
    this.#timekeeper = timekeeper;
    this.#watcher = watcher;
  }

  /** Notes that an attempt of a delivery is due; `open` makes it. */
  dispatch(deliveryId: string): void {
    this.#due.push(deliveryId);
  }

  /** Opens what is due, after attempts about the same object that are on their way. Call it after each command. */
  open(): void {
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

  /** Whether an attempt is on its way. */
  get isBusy(): boolean {
    return this.#lanes.size > 0;
  }

  /** Resolves once nothing is on its way any more, attempts included that were ordered meanwhile. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#flights);
  }

  /** How long an attempt took in wall time; null once that is forgotten. */
  durationMs(deliveryId: string, number: number): number | null {
    return this.#durations.get(attemptName({ deliveryId, number })) ?? null;
  }

  #openNext(objectId: string): void {
    const lane = assertDefined(this.#lanes.get(objectId), `the deliveries about ${objectId}`);
    for (let id = lane.shift(); id !== undefined; id = lane.shift()) {
      const opened = this.#openAttempt(id);
      if (opened === undefined) continue;
      const flight = this.#fly(objectId, opened);
      this.#flights.add(flight);
      void flight.finally(() => this.#flights.delete(flight));
      return;
    }
    this.#lanes.delete(objectId);
  }

  #openAttempt(deliveryId: string): Opened | undefined {
    const delivery = this.#delivery(deliveryId);
    const cause: Cause = { by: "delivery", name: delivery.event, entry: delivery.announcedBy };
    const opened = this.#simulation.execute(cause, (tx) => openAttempt(tx, deliveryId));
    if (!opened.ok || opened.value === undefined) return undefined;
    const flights = [opened.value, ...opened.value.copies].map((order) => this.#flightOf(order));
    this.#watcher?.opened(this.#simulation.now, flights);
    return { cause, at: this.#simulation.now, flights };
  }

  /** Sends what was opened once the answer to its cause is out, and takes in what comes of it. */
  async #fly(objectId: string, { cause, at, flights }: Opened): Promise<void> {
    await afterTheAnswer();
    const results = await this.#send(flights);
    for (const [index, flight] of flights.entries()) {
      const result = assertDefined(results[index], `the result of ${flight.name}`);
      this.#remember(flight.name, result);
      // It ends at the present time: it may have taken long.
      this.#timekeeper.catchUp();
      this.#watcher?.answered(this.#simulation.now, flight.name, result);
      this.#simulation.execute(cause, (tx) => closeAttempt(tx, flight.order, outcomeOf(at, flight, result)));
    }
    this.#openNext(objectId);
    this.open();
    this.#timekeeper.setAlarm();
  }

  /** Makes an attempt and the copies that go beside it; one that is to be lost on the way never leaves. */
  async #send(flights: readonly Flight[]): Promise<readonly AttemptResult[]> {
    const lost = flights[0]?.unsent;
    if (lost !== undefined) return [lost];
    if (flights.length > 1 && this.#transport.together !== undefined)
      return this.#transport.together(flights.map(({ request }) => request));
    const results: AttemptResult[] = [];
    for (const { request } of flights) results.push(await this.#transport(request));
    return results;
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

/** What a world remembers of an attempt: all but how long it took. */
function outcomeOf(at: number, { order, request }: Flight, result: AttemptResult): AttemptOutcome {
  const { headers, body } = request;
  const { status, error, message, responseHeaders, responseBody, responseTruncated } = result;
  return {
    at,
    status,
    error,
    message,
    requestHeaders: headers,
    requestBody: sentText(order, body),
    requestBytes: body.length,
    responseHeaders,
    responseBody,
    responseTruncated,
  };
}

/** The event's own text where no fault changed it, so that all attempts share one copy. */
function sentText({ body: told, injection }: AttemptOrder, body: Uint8Array): string {
  if (injection.faults.length === 0 && body.length <= REQUEST_KEPT_BYTES) return told;
  const sent = Buffer.from(body.subarray(0, REQUEST_KEPT_BYTES)).toString("utf8");
  return sent === told ? told : sent;
}

/** An answer goes out before the webhooks that it caused. */
function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function attemptName({ deliveryId, number }: Pick<AttemptOrder, "deliveryId" | "number">): string {
  return `${deliveryId} ${number}`;
}
