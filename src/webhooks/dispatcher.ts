import type { AttemptOrder, AttemptOutcome } from "../platform/webhook-events/attempt.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Transport } from "./transport.ts";
import type { Cause } from "../core/journal.ts";
import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { Outcome, Simulation } from "../core/simulation.ts";
import type { Transaction } from "../core/transaction.ts";
import { assumption } from "../platform/assumptions/assumptions.ts";
import { addDuration } from "../core/instant.ts";
import { closeAttempt, openAttempt } from "../platform/webhook-events/attempt.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { known } from "../core/assertion.ts";
import { compose } from "./faults/composition.ts";
import { unsentResult } from "./faults/unsent.ts";

/** How much of a request's body is kept: far above any event, far below what a fault can make of one. */
const REQUEST_KEPT_BYTES = 256 * 1024;

/** Wall-clock durations that are kept to be looked at; they are no part of a world's records. */
const DURATIONS_MAX = 50_000;

/** What a running clock wants of whoever takes commands between requests. */
export interface Timekeeper {
  /** Moves time on to where the clock stands. */
  readonly catchUp: () => void;
  /** Sees to it that the next timer is fired when it is due. */
  readonly setAlarm: () => void;
}

/**
 * Makes the attempts that the simulation orders, and brings what came of them back as commands. Attempts about
 * one object leave one after another; those about different objects do not wait for each other.
 */
export class Dispatcher {
  readonly #simulation: Simulation;
  readonly #transport: Transport;
  readonly #timekeeper: Timekeeper;
  /** The last attempt about each object that is not over yet. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #durations = new Map<string, number>();

  constructor(
    simulation: Simulation,
    { transport, timekeeper }: { readonly transport: Transport; readonly timekeeper: Timekeeper },
  ) {
    this.#simulation = simulation;
    this.#transport = transport;
    this.#timekeeper = timekeeper;
  }

  /** Makes the attempt that is due for a delivery, after those about the same object that came before it. */
  dispatch(deliveryId: string): void {
    const { objectId } = this.#delivery(deliveryId);
    const before = this.#lanes.get(objectId) ?? afterTheAnswer();
    const lane = before.then(() => this.#attempt(deliveryId));
    this.#lanes.set(objectId, lane);
    void lane.finally(() => {
      if (this.#lanes.get(objectId) === lane) this.#lanes.delete(objectId);
    });
  }

  /** Whether an attempt is on its way. */
  get isBusy(): boolean {
    return this.#lanes.size > 0;
  }

  /** Resolves once nothing is on its way any more, attempts included that were ordered meanwhile. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#lanes.values());
  }

  /** How long an attempt took in wall time; null once that is forgotten. */
  durationMs(deliveryId: string, number: number): number | null {
    return this.#durations.get(durationKey(deliveryId, number)) ?? null;
  }

  async #attempt(deliveryId: string): Promise<void> {
    const delivery = this.#delivery(deliveryId);
    const cause: Cause = { by: "delivery", name: delivery.event, entry: delivery.announcedBy };
    const opened = this.#execute(cause, (tx) => openAttempt(tx, deliveryId));
    if (!opened.ok || opened.value === undefined) return;
    const at = this.#simulation.now;
    const orders = [opened.value, ...opened.value.copies];
    const requests = orders.map((order) => this.#requestOf(order));
    const results = await this.#send(orders, requests);
    for (const [index, order] of orders.entries()) {
      const result = known(results[index], `the result of ${order.deliveryId}`);
      const request = known(requests[index], `the request of ${order.deliveryId}`);
      this.#remember(durationKey(order.deliveryId, order.number), result);
      this.#execute(cause, (tx) => closeAttempt(tx, order, outcomeOf(at, { order, request, result })));
    }
  }

  /** Takes a command at the present time: an attempt may have taken long, and may have armed a timer. */
  #execute<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    this.#timekeeper.catchUp();
    const outcome = this.#simulation.execute(cause, command);
    this.#timekeeper.setAlarm();
    return outcome;
  }

  /** Makes an attempt and the copies that go beside it; one that is to be lost on the way never leaves. */
  async #send(
    orders: readonly AttemptOrder[],
    requests: readonly WebhookRequest[],
  ): Promise<readonly AttemptResult[]> {
    const [order] = orders;
    const lost = order === undefined ? undefined : unsentResult(order.injection);
    if (lost !== undefined) return [lost];
    if (requests.length > 1 && this.#transport.together !== undefined)
      return this.#transport.together(requests);
    const results: AttemptResult[] = [];
    for (const request of requests) results.push(await this.#transport(request));
    return results;
  }

  #requestOf(order: AttemptOrder): WebhookRequest {
    const { records } = this.#simulation;
    const deadlineMs = addDuration(0, assumption(records, "webhook.timeout"), "UTC");
    return { ...compose(order), deadlineMs, egressMode: assumption(records, "webhook.egress") };
  }

  #remember(key: string, { durationMs }: AttemptResult): void {
    const oldest = this.#durations.size >= DURATIONS_MAX ? this.#durations.keys().next().value : undefined;
    if (oldest !== undefined) this.#durations.delete(oldest);
    this.#durations.set(key, durationMs);
  }

  #delivery(id: string): Delivery {
    return known(this.#simulation.records.get(deliveries, id), `the delivery ${id}`);
  }
}

interface Exchange {
  readonly order: AttemptOrder;
  readonly request: WebhookRequest;
  readonly result: AttemptResult;
}

/** What a world remembers of an attempt: all but how long it took. */
function outcomeOf(at: number, { order, request, result }: Exchange): AttemptOutcome {
  const { headers, body } = request;
  const sent = Buffer.from(body.subarray(0, REQUEST_KEPT_BYTES)).toString("utf8");
  const { status, error, message, responseHeaders, responseBody, responseTruncated } = result;
  return {
    at,
    status,
    error,
    message,
    requestHeaders: headers,
    // The event's own text where a fault did not change it, so that all attempts share one copy.
    requestBody: sent === order.body ? order.body : sent,
    requestBytes: body.length,
    responseHeaders,
    responseBody,
    responseTruncated,
  };
}

/** An answer goes out before the webhooks that it caused. */
function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function durationKey(deliveryId: string, number: number): string {
  return `${deliveryId} ${number}`;
}
