import type { AttemptOrder } from "../platform/webhook-events/attempt.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Transport } from "./transport.ts";
import type { Cause } from "../core/journal.ts";
import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { Simulation } from "../core/simulation.ts";
import { assumption } from "../platform/assumptions/assumptions.ts";
import { addDuration } from "../core/instant.ts";
import { closeAttempt, openAttempt } from "../platform/webhook-events/attempt.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { known } from "../core/assertion.ts";
import { signatureOf } from "./signature.ts";

/** Wall-clock durations that are kept to be looked at; they are no part of a world's records. */
const DURATIONS_MAX = 50_000;

/**
 * Makes the attempts that the simulation orders, and brings what came of them back as commands. Attempts about
 * one object leave one after another; those about different objects do not wait for each other.
 */
export class Dispatcher {
  readonly #simulation: Simulation;
  readonly #transport: Transport;
  /** The last attempt about each object that is not over yet. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #durations = new Map<string, number>();

  constructor(simulation: Simulation, transport: Transport) {
    this.#simulation = simulation;
    this.#transport = transport;
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
    const opened = this.#simulation.execute(cause, (tx) => openAttempt(tx, deliveryId));
    if (!opened.ok || opened.value === undefined) return;
    const order = opened.value;
    const at = this.#simulation.now;
    const request = this.#sign(order);
    const result = await this.#transport(request);
    this.#remember(durationKey(deliveryId, order.number), result);
    const { status, error, message, responseHeaders, responseBody } = result;
    const { headers: requestHeaders } = request;
    const outcome = { at, status, error, message, requestHeaders, requestBody: order.body };
    this.#simulation.execute(cause, (tx) =>
      closeAttempt(tx, order, { ...outcome, responseHeaders, responseBody, injected: [] }),
    );
  }

  #sign({ url, body: text, secret }: AttemptOrder): WebhookRequest {
    const body = Buffer.from(text);
    const headers = {
      "content-type": "application/json",
      "user-agent": "sandbank-webhooks",
      "x-signature-sha256": signatureOf(secret, body),
    };
    const deadlineMs = addDuration(0, assumption(this.#simulation.records, "webhook.timeout"), "UTC");
    return { url, headers, body, deadlineMs };
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

/** An answer goes out before the webhooks that it caused. */
function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function durationKey(deliveryId: string, number: number): string {
  return `${deliveryId} ${number}`;
}
