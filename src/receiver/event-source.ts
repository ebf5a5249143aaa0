import type { Fetch } from "../scenarios/world.ts";
import type { WebhookEvent } from "./webhook-event.ts";
import { webhookEvent } from "./webhook-event.ts";

/** The events that receivers are most often written for, in the order in which they are tried. */
export const BASELINE_EVENTS = ["ORDER-PAYOUT.PAID", "ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED"] as const;

export type BaselineEvent = (typeof BASELINE_EVENTS)[number];

const ACCOUNT = "11111111-1111-4111-8111-111111111111";
/** Its owner is written in ASCII: what else a body may hold is tried on purpose, not by the way. */
const ASCII_KEY = "other-owner@pix.example";
const RECEIVER_URL = "http://receiver.example/webhooks";
const PERSON = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };

/**
 * Makes real things happen in a sandbox and gives the webhooks that come of it: every event is about an object
 * of its own, which the receiver can read back where it calls that sandbox.
 */
export class EventSource {
  readonly #fetch: Fetch;
  readonly #seed: number;
  #count = 0;

  constructor(fetch: Fetch, seed: number) {
    this.#fetch = fetch;
    this.#seed = seed;
  }

  /** An event about a new object. */
  async event(name: BaselineEvent): Promise<WebhookEvent> {
    const id = await this.#make(name);
    return this.#last(id, name);
  }

  /** A new subscription that is accepted and then canceled: three events, in the order in which they happened. */
  async lifecycle(): Promise<readonly WebhookEvent[]> {
    const id = await this.#make("SUBSCRIPTION.ACCEPTED");
    // Each event has a time of its own: what happens at the same time has no order.
    await this.#advance("PT1M");
    await this.#ask("POST", "/sandbox/acts/subscription.request-cancellation", {
      id,
      reason: "REQUESTED_BY_PAYER",
    });
    await this.#advance("PT5S");
    return this.#all(id);
  }

  async #make(name: BaselineEvent): Promise<string> {
    const externalId = `check-${this.#seed}-${++this.#count}`;
    if (name === "ORDER-PAYOUT.PAID") {
      const id = await this.#ask("POST", "/order/v1/banking/order-payouts", {
        externalId,
        accountId: ACCOUNT,
        paymentMethod: "PIX",
        paymentData: { pixKey: ASCII_KEY },
        amount: { currency: "BRL", value: "10.00" },
        description: "Receiver check",
      });
      await this.#advance("PT2S");
      return id;
    }
    const id =
      name === "ORDER-PAYIN.PAID" ? await this.#order(externalId) : await this.#subscription(externalId);
    const act = name === "ORDER-PAYIN.PAID" ? "order.pay" : "subscription.accept";
    await this.#ask("POST", `/sandbox/acts/${act}`, { id, payer: PERSON });
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
    const clock = (await (await this.#fetch("/sandbox/clock")).json()) as { readonly now: string };
    return this.#ask("POST", "/order/v1/banking/subscriptions", {
      accountId: ACCOUNT,
      type: "AUTHORIZATION_QRCODE",
      externalId,
      description: "Receiver check",
      webhookUrl: RECEIVER_URL,
      frequencyType: "MONTHLY",
      startDate: clock.now.slice(0, 10),
      debtor: PERSON,
    });
  }

  async #last(objectId: string, name: string): Promise<WebhookEvent> {
    const found = (await this.#all(objectId)).findLast((event) => event.name === name);
    if (found === undefined) throw new Error(`no ${name} came of ${objectId}`);
    return found;
  }

  async #all(objectId: string): Promise<WebhookEvent[]> {
    const response = await this.#fetch(`/sandbox/deliveries?object=${objectId}`);
    const { data } = (await response.json()) as { readonly data: readonly { readonly body: string }[] };
    return data.map(({ body }) => webhookEvent(body));
  }

  async #advance(by: string): Promise<void> {
    await this.#ask("POST", "/sandbox/clock/advance", { by });
  }

  async #ask(method: string, path: string, body: object): Promise<string> {
    const key = `check-${this.#seed}-${this.#count}`;
    const response = await this.#fetch(path, {
      method,
      headers: { authorization: "Bearer acme-token", "idempotency-key": key },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { readonly id?: string };
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${JSON.stringify(answer)}`);
    return answer.id ?? "";
  }
}
