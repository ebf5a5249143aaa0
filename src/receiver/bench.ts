import type { AttemptResult, WebhookRequest } from "../webhooks/attempt.ts";
import type { BaselineEvent, EventSource } from "./event-source.ts";
import type { Effects } from "./effects.ts";
import type { Egress } from "../webhooks/egress-guard.ts";
import type { Evidence } from "./check.ts";
import type { ObservedCalls } from "./observed-calls.ts";
import type { WebhookEvent } from "./webhook-event.ts";
import type { WireManner } from "../webhooks/wire-manners.ts";
import { curlOf } from "./curl.ts";
import { OUTCOME_HEADER } from "./effects.ts";
import { postWebhook } from "../webhooks/post.ts";
import { sendRaw, sendTogether } from "../webhooks/wire.ts";
import { setTimeout as pause } from "node:timers/promises";
import { signatureOf } from "../webhooks/signature.ts";

export interface BenchOptions {
  readonly url: string;
  readonly secret: string;
  /** Secrets that the receiver takes after, or took before a rotation. */
  readonly nextSecret?: string;
  readonly retiredSecret?: string;
  readonly egress: Egress;
  readonly source: EventSource;
  readonly effects: Effects;
  readonly calls?: ObservedCalls;
  /** Wall time for one request. */
  readonly timeoutMs: number;
  /** How many requests may be made at all. */
  readonly requestsMax: number;
  /** Wall time between two requests. */
  readonly pauseMs: number;
  /** Wall time for all of it; no end unless given. */
  readonly timeMaxMs?: number;
}

/** How a request differs from an ordinary delivery. */
export interface SendOptions {
  readonly secret?: string;
  /** In place of the right signature; null sends none. */
  readonly signature?: string | null;
  readonly signatureHeader?: string;
  readonly contentType?: string | null;
  readonly manner?: WireManner;
  readonly timeoutMs?: number;
}

/** A request with what came of it. */
export interface Sent extends AttemptResult {
  readonly request: WebhookRequest;
}

/** No request, or no time, is left; the message says which. */
export class BudgetUsedUp extends Error {
  override readonly name = "BudgetUsedUp";
}

/** What a check has in its hands: events about new objects, and ways to send them. */
export class Bench {
  readonly options: BenchOptions;
  readonly effects: Effects;
  /** The event that this receiver takes; found out by the first check. */
  baseline: BaselineEvent = "ORDER-PAYOUT.PAID";
  #requests = 0;
  #answerToNew: Promise<string | undefined> | undefined;
  readonly #begun = performance.now();

  constructor(options: BenchOptions) {
    this.options = options;
    this.effects = options.effects;
  }

  get requests(): number {
    return this.#requests;
  }

  /** An event about an object of its own, so that no check poisons the next. */
  event(name: BaselineEvent = this.baseline): Promise<WebhookEvent> {
    return this.options.source.event(name);
  }

  /** Sends an event; whatever comes of it is a result. */
  async send(event: WebhookEvent, options: SendOptions = {}): Promise<Sent> {
    await this.#spend(1);
    const request = this.request(event, options);
    const result =
      options.manner === undefined
        ? await postWebhook(request, this.options.egress)
        : await sendRaw(request, options.manner, this.options.egress);
    return { ...result, request };
  }

  /** Sends copies whose last byte arrives at the same moment. */
  async sendTogether(event: WebhookEvent, copies: number): Promise<Sent[]> {
    await this.#spend(copies);
    const request = this.request(event);
    const results = await sendTogether(
      Array.from({ length: copies }, () => request),
      this.options.egress,
    );
    return results.map((result) => ({ ...result, request }));
  }

  /**
   * What the receiver answers to an event that it handles, where it answers something else to a duplicate; found
   * out once. Undefined where its answers tell nothing.
   */
  async answerToNew(): Promise<string | undefined> {
    this.#answerToNew ??= this.#learnAnswers();
    return this.#answerToNew;
  }

  async #learnAnswers(): Promise<string | undefined> {
    const answers: string[] = [];
    for (const event of [await this.event(), await this.event()]) {
      for (let copy = 0; copy < 2; copy += 1) {
        const sent = await this.send(event);
        if (!isAccepted(sent)) return undefined;
        answers.push(sent.responseBody);
      }
    }
    const [first, again, otherFirst, otherAgain] = answers;
    return first === otherFirst && again === otherAgain && first !== again ? first : undefined;
  }

  /** Sends many at once. */
  async sendAll(all: readonly (readonly [WebhookEvent, SendOptions?])[]): Promise<Sent[]> {
    await this.#spend(all.length);
    return Promise.all(
      all.map(async ([event, options]) => {
        const request = this.request(event, options);
        return { ...(await postWebhook(request, this.options.egress)), request };
      }),
    );
  }

  /** A request of another method, without a body. */
  async probe(method: string): Promise<{ readonly status: number | null }> {
    await this.#spend(1);
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const { status } = await fetch(this.options.url, { method, redirect: "manual", signal });
      return { status };
    } catch {
      return { status: null };
    }
  }

  /** Whether a good event is still accepted; a second chance covers a process that starts again. */
  async isAlive(): Promise<boolean> {
    const first = await this.send(await this.event());
    if (isAccepted(first)) return true;
    await pause(500);
    return isAccepted(await this.send(await this.event()));
  }

  request(event: WebhookEvent, options: SendOptions = {}): WebhookRequest {
    const { secret = this.options.secret, signatureHeader = "X-Signature-SHA256" } = options;
    const signature = options.signature === undefined ? signatureOf(secret, event.body) : options.signature;
    const contentType = options.contentType === undefined ? "application/json" : options.contentType;
    return {
      url: this.options.url,
      headers: {
        ...(contentType !== null && { "content-type": contentType }),
        "user-agent": "sandbank-webhooks",
        ...(signature !== null && { [signatureHeader]: signature }),
      },
      body: event.body,
      deadlineMs: options.timeoutMs ?? this.options.timeoutMs,
    };
  }

  async #spend(requests: number): Promise<void> {
    const { requestsMax, timeMaxMs = Infinity } = this.options;
    if (this.#requests + requests > requestsMax)
      throw new BudgetUsedUp(
        `The budget of ${requestsMax} requests is used up. Raise it with --budget, or choose checks with --only.`,
      );
    if (performance.now() - this.#begun > timeMaxMs)
      throw new BudgetUsedUp(
        `The ${timeMaxMs / 1000} s that a check may take are used up: the receiver answers slowly. Raise them with --time, or choose checks with --only.`,
      );
    if (this.#requests > 0 && this.options.pauseMs > 0) await pause(this.options.pauseMs);
    this.#requests += requests;
  }
}

export function isAccepted({ status }: Pick<Sent, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** What the receiver says it did with an event. */
export function outcomeOf({ responseHeaders }: Sent): string | undefined {
  return responseHeaders[OUTCOME_HEADER]?.trim().toLowerCase();
}

/** What was sent and came back, as evidence. */
export function evidenceOf(sent: Sent, what: string, expected: string): Evidence {
  const { status, responseBody, message, request } = sent;
  const body = responseBody.trim().slice(0, 300);
  const answered = status === null ? message : `${status}${body === "" ? "" : ` ${body}`}`;
  const curl = curlOf(request);
  return { sent: what, expected, answered, ...(curl !== undefined && { curl }) };
}
