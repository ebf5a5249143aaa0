import { RECEIVER_URL } from "../../server/access/played-world.ts";
import type { Company } from "../../simulator/api/generated/shapes.ts";
import { type ControlClient, EVERY } from "../../server/control/client.js";
import { type JsonObject, at, parsed, textAt } from "../../simulator/engine/json.ts";
import { seededChance } from "../../simulator/engine/random.ts";

/** A webhook as the platform sends it: these bytes. */
export interface WebhookEvent {
  readonly name: string;
  readonly body: Buffer;
  /** The ids of the object in its body. They identify the effects of the event. */
  readonly ids: readonly string[];
}

/** Returns the event with another body. Name and ids stay. */
export function withBody(event: WebhookEvent, body: string | Buffer): WebhookEvent {
  return { ...event, body: Buffer.from(body) };
}

/** Returns the event with changed fields, written without spaces as the platform does. */
export function withFields(event: WebhookEvent, change: (body: JsonObject) => unknown): WebhookEvent {
  return withBody(event, JSON.stringify(change(jsonOf(event))));
}

export function jsonOf({ body }: WebhookEvent): JsonObject {
  return JSON.parse(body.toString("utf8")) as JsonObject;
}

/** The events that most receivers handle, in the order of trying. */
export const COMMON_EVENTS = ["ORDER-PAYOUT.PAID", "ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED"] as const;

export type CommonEvent = (typeof COMMON_EVENTS)[number];

/** The kinds of objects with events, in the order of trying. A payout has one event. */
export const OBJECT_KINDS = ["order", "subscription", "charge", "canceled charge", "payout"] as const;

export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** The events of an object, and the events that a receiver has to know before. */
export interface LifecycleEvents {
  readonly before: readonly WebhookEvent[];
  readonly events: readonly WebhookEvent[];
}

/** The amount of a payout. It differs from the amount of an order, so the two never cancel out in a balance. */
const PAYOUT_VALUE = "30.00";

/** A charge is due within 2 to 10 days. */
const DUE_MS = 5 * 86_400_000;

/** The name of its owner is ASCII: a separate check tries other characters. */
const ASCII_KEY = "other-owner@pix.example";
const PERSON = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };

/**
 * Creates objects in a sandbox and returns the webhooks that they cause. Every event is about a separate object. The
 * receiver can read the object if it calls that sandbox.
 */
export class EventSource {
  readonly #client: ControlClient;
  readonly #company: Omit<Company, "webhookUrl">;
  readonly #seed: number;
  /** The ids of all objects that events were about. */
  readonly ids = new Set<string>();
  #count = 0;

  constructor(client: ControlClient, company: Omit<Company, "webhookUrl">, seed: number) {
    this.#client = client;
    this.#company = company;
    this.#seed = seed;
  }

  /** Makes an event about a new object. */
  async event(name: CommonEvent, value?: string): Promise<WebhookEvent> {
    const id = await this.#make(name, value);
    const found = (await this.#all(id)).findLast((event) => event.name === name);
    if (found === undefined) throw new Error(`${id} caused no ${name}`);
    return found;
  }

  /** Returns the events of one new object in their order, and the events that come before the reordered part. */
  async lifecycle(of: ObjectKind): Promise<LifecycleEvents> {
    if (of === "payout") return { before: [], events: [await this.event("ORDER-PAYOUT.PAID", PAYOUT_VALUE)] };
    const id = await this.#make(of === "order" ? "ORDER-PAYIN.PAID" : "SUBSCRIPTION.ACCEPTED");
    // Each event has a different time: events of the same time have no order.
    await this.#advance("PT1M");
    if (of === "order") return { before: [], events: await this.#refunded(id) };
    if (of !== "subscription")
      return { before: await this.#all(id), events: await this.#charged(id, of === "charge") };
    await this.#act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
    await this.#advance("PT5S");
    return { before: [], events: await this.#all(id) };
  }

  /** Makes the events of a charge that is scheduled, and settled or canceled by its payer. */
  async #charged(subscriptionId: string, isSettled: boolean): Promise<readonly WebhookEvent[]> {
    const { now } = await this.#client.ask("GET /sandbox/clock");
    const id = await this.#ask("PUT", `/public/v1/banking/subscriptions/${subscriptionId}/payments`, {
      externalId: `check-${this.#seed}-${++this.#count}`,
      dueDate: new Date(Date.parse(now) + DUE_MS).toISOString().slice(0, 10),
      amount: { currency: "BRL", value: "10.00" },
    });
    await this.#advance("PT1M");
    if (!isSettled)
      await this.#act("scheduled-payment.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
    await this.#advance(isSettled ? "P6D" : "PT1M");
    return this.#all(id);
  }

  async #refunded(orderId: string): Promise<readonly WebhookEvent[]> {
    const refundId = await this.#ask("PUT", "/order/v2/refund", {
      orderId,
      reason: "Receiver check",
      requestedBy: { name: "Receiver check", email: "check@partner.example" },
      amount: "10.00",
    });
    await this.#advance("P1D");
    return [...(await this.#all(orderId)), ...(await this.#all(refundId))];
  }

  get #accountId(): string | undefined {
    return this.#company.accounts[0];
  }

  async #make(name: CommonEvent, value = "10.00"): Promise<string> {
    const externalId = `check-${this.#seed}-${++this.#count}`;
    if (name === "ORDER-PAYOUT.PAID") {
      const id = await this.#ask("POST", "/order/v1/banking/order-payouts", {
        externalId,
        accountId: this.#accountId,
        paymentMethod: "PIX",
        paymentData: { pixKey: ASCII_KEY },
        amount: { currency: "BRL", value },
        description: "Receiver check",
      });
      await this.#advance("PT2S");
      return id;
    }
    const id =
      name === "ORDER-PAYIN.PAID" ? await this.#order(externalId) : await this.#subscription(externalId);
    const act = name === "ORDER-PAYIN.PAID" ? "order.pay" : "subscription.accept";
    await this.#act(act, { id, payer: PERSON });
    return id;
  }

  #order(externalId: string): Promise<string> {
    const amount = { currency: "BRL", value: "10.00" };
    return this.#ask("PUT", "/order/v2/transparent", {
      customer: { ...PERSON, entityType: "INDIVIDUAL" },
      order: {
        externalId,
        paymentMethod: "PIX",
        amount,
        description: "Receiver check",
        notificationUrl: RECEIVER_URL,
      },
    });
  }

  async #subscription(externalId: string): Promise<string> {
    const clock = await this.#client.ask("GET /sandbox/clock");
    return this.#ask("POST", "/order/v1/banking/subscriptions", {
      accountId: this.#accountId,
      type: "AUTHORIZATION_QRCODE",
      externalId,
      description: "Receiver check",
      webhookUrl: RECEIVER_URL,
      frequencyType: "MONTHLY",
      startDate: clock.now.slice(0, 10),
      debtor: PERSON,
    });
  }

  async #all(objectId: string): Promise<WebhookEvent[]> {
    const { data } = await this.#client.ask("GET /sandbox/deliveries", {
      object: objectId,
      // All of its webhooks. Without a status the answer has the events without a webhook too, and reads the journal.
      status: "delivered",
      last: EVERY,
    });
    const events = data.map(({ body }) => webhookEvent(body));
    for (const id of events.flatMap((event) => event.ids)) this.ids.add(id);
    return events;
  }

  async #advance(by: string): Promise<void> {
    await this.#client.ask("POST /sandbox/clock/advance", { by });
  }

  async #act(act: string, fields: { readonly id: string; readonly [name: string]: unknown }): Promise<void> {
    await this.#client.ask("POST /sandbox/acts/{act}", { act, ...fields });
  }

  async #ask(method: string, path: string, body: object): Promise<string> {
    const key = seededChance(this.#seed, `idempotency key of ${method} ${path} ${this.#count}`).uuid();
    const response = await this.#client.send(path, {
      method,
      headers: { authorization: `Bearer ${this.#company.token}`, "idempotency-key": key },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { readonly id?: string };
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${JSON.stringify(answer)}`);
    return answer.id ?? "";
  }
}

/** Reads an event from the text of a delivery. */
function webhookEvent(text: string): WebhookEvent {
  const body = parsed(text);
  const paths = ["refundId", "id", "code", "data.id", "data.externalId"];
  const ids = new Set(paths.flatMap((path) => textAt(body, path) ?? []));
  return { name: String(at(body, "event")), body: Buffer.from(text), ids: [...ids] };
}
