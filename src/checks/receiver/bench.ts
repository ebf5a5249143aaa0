import type { AttemptResult, WebhookRequest, WireManner } from "../../server/access/webhook-sending.ts";
import { CommandFailure } from "../../base/failures.ts";
import type { ReceiverEndpoint } from "./endpoint.ts";
import type { CheckLevel, Finding, Sent } from "./finding.ts";
import { LateChanges } from "./late-changes.ts";
import { NothingShown, type Probe } from "./probe.ts";
import type { ObservedCalls } from "./observed-calls.ts";
import type { PartnerProcess } from "../../partner/partner-process.ts";
import { SIGNATURE_HEADER, signatureOf, webhookHeaders } from "../../simulator/api/signature.ts";
import type { SpentTime } from "../../base/spent-time.ts";
import type { Wall } from "../../base/wall.ts";
import { type ObservedDeliveries, UsualChange } from "./state-change.ts";
import type { CommonEvent, EventSource, WebhookEvent } from "./event-source.ts";

/** One requirement on a receiver. The ids are those of the catalogue: B1, S1, I2… */
export interface ReceiverCheck {
  readonly id: string;
  readonly title: string;
  readonly level: CheckLevel;
  /** The usual change to make if it fails, as a sentence. A finding may name a more exact one. */
  readonly fix: string;
  readonly run: (bench: Bench) => Promise<Finding>;
}

/** Makes a check from its id, its level, its requirement and its work. */
export function check(
  id: string,
  level: CheckLevel,
  title: string,
  fix: string,
  run: (bench: Bench, fix: string) => Promise<Finding>,
): ReceiverCheck {
  return { id, title, level, fix, run: (bench) => run(bench, fix) };
}

export interface BenchOptions {
  readonly wall: Wall;
  /** The waits for the receiver. They do not count as the check's time, so a slow receiver gets its verdict too. */
  readonly spent: SpentTime;
  readonly endpoint: ReceiverEndpoint;
  readonly url: string;
  readonly secret: string;
  /** The secret that the receiver accepts too during a rotation. */
  readonly nextSecret?: string;
  /** A secret from before a rotation, which the receiver must reject. */
  readonly retiredSecret?: string;
  readonly source: EventSource;
  /** Shows the state of the receiver. */
  readonly probe?: Probe;
  /** The receiver's calls to the sandbox, if they pass through the check. */
  readonly calls?: ObservedCalls;
  /** Wall time that work after the answer may take. */
  readonly settleMs: number;
  /** Wall time for one request. */
  readonly timeoutMs: number;
  /** The maximum number of requests in total. */
  readonly requestsMax: number;
  /** Wall time between two requests. */
  readonly pauseMs: number;
  /** The subject of the integration. By default everything. */
  readonly capabilities?: readonly string[];
  /** The process of the receiver, if it can be killed. */
  readonly partner?: PartnerProcess;
  /** Wall time for the work of the whole check, without waiting for the receiver; default: no limit. */
  readonly timeMaxMs?: number;
}

/** The differences of a request from an ordinary delivery. */
export interface SendOptions {
  readonly secret?: string;
  /** In place of the right signature; null sends none. */
  readonly signature?: string | null;
  readonly signatureHeader?: string;
  readonly contentType?: string;
  readonly manner?: WireManner;
  readonly timeoutMs?: number;
}

/** The budget of requests, or of time, is used up; the message says which. */
export class BudgetUsedUp extends Error {
  override readonly name = "BudgetUsedUp";
}

/** The number of events that are followed from their answer to the state. */
const ACKNOWLEDGED = 6;

/** The tools of a check: events about new objects, and ways to send them. */
export class Bench {
  readonly options: BenchOptions;
  readonly probe: Probe | undefined;
  /** The event that this receiver accepts; the first check finds it. */
  goodEvent: CommonEvent = "ORDER-PAYOUT.PAID";
  /** True if the probe shows a change by that event. */
  showsGoodEvent = false;
  #requests = 0;
  /** Results that were found once, by name. */
  readonly #known = new Map<string, Promise<unknown>>();
  /** The kind of object that a check is repeated for. Undefined for all kinds. */
  #only: string | undefined;
  /** The slowest answer so far that came in time. */
  #slowestMs = 0;
  readonly #begun: number;
  readonly lateChanges: LateChanges;

  constructor(options: BenchOptions) {
    this.options = options;
    this.probe = options.probe;
    this.lateChanges = new LateChanges(options.probe, options.source);
    this.#begun = options.wall.now();
  }

  /** Returns true if a kind of object is checked now. */
  includes(family: string): boolean {
    return this.#only === undefined || this.#only === family;
  }

  /** Makes a check again with more patience, for one kind of object. Learned results are learned again. */
  async patiently<Result>(
    patience: number,
    family: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { probe } = this;
    const known = new Map(this.#known);
    this.#known.clear();
    this.#only = family;
    if (probe !== undefined) probe.patience = patience;
    try {
      return await work();
    } finally {
      if (probe !== undefined) probe.patience = 1;
      this.#only = undefined;
      for (const [name, found] of known) if (!this.#known.has(name)) this.#known.set(name, found);
    }
  }

  /** Returns the number of events that can be sent one after another in so many milliseconds, between two bounds. */
  countWithin(ms: number, { min, max }: { readonly min: number; readonly max: number }): number {
    return Math.min(max, Math.max(min, Math.floor(ms / Math.max(1, this.#slowestMs))));
  }

  /** Returns the number of events, of so many, that a receiver answers in time if it handles them one after another. */
  countAtOnce(events: number): number {
    return this.countWithin(this.options.timeoutMs / 2, { min: 1, max: events });
  }

  /** The number of calls with a change that the receiver has made so far. */
  get writes(): number {
    return this.options.calls?.writes ?? 0;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Returns an event about a separate object, so that checks do not influence each other. */
  event(name: CommonEvent = this.goodEvent): Promise<WebhookEvent> {
    return this.options.source.event(name);
  }

  /** Sends an event; a failure is a result too. */
  async send(event: WebhookEvent, options: SendOptions = {}): Promise<Sent> {
    return this.#exchange(1, () => this.#post(event, options));
  }

  /** Sends many at once. */
  async sendAll(all: readonly (readonly [WebhookEvent, SendOptions?])[]): Promise<Sent[]> {
    return this.#exchange(all.length, () =>
      Promise.all(all.map(([event, options]) => this.#post(event, options))),
    );
  }

  /** Sends copies whose last byte arrives at the same moment. */
  async sendTogether(event: WebhookEvent, copies: number): Promise<Sent[]> {
    const request = this.#request(event);
    const results = await this.#exchange(copies, () =>
      this.options.endpoint.together(Array.from({ length: copies }, () => request)),
    );
    return results.map((result) => ({ ...mustBeSent(result), request }));
  }

  /** Kills the receiver's process and starts it again. Returns false if this is not possible. */
  async restart(): Promise<boolean> {
    const { partner } = this.options;
    if (partner === undefined) return false;
    // A state that was only in memory is lost by the kill, and not by late work.
    await this.lateChanges.look();
    await this.options.spent.during("start", async () => {
      await partner.kill();
      await partner.start();
    });
    return true;
  }

  /** Returns the status of a request of another method, without a body. Null if no answer came. */
  async statusOf(method: string): Promise<number | null> {
    return this.#exchange(1, () => this.options.endpoint.statusOf(method));
  }

  /** Waits for the receiver's work. */
  pause(ms: number): Promise<void> {
    return this.options.spent.during("rest", () => this.options.wall.pause(ms));
  }

  /** Returns true if a good event is still accepted. The second attempt allows for a process that restarts. */
  async isAlive(): Promise<boolean> {
    if (isAccepted(await this.send(await this.event()))) return true;
    await this.pause(500);
    return isAccepted(await this.send(await this.event()));
  }

  /** Finds something out the first time that it is asked for by this name. */
  once<Found>(name: string, find: () => Promise<Found>): Promise<Found> {
    const known = (this.#known.get(name) as Promise<Found> | undefined) ?? find();
    this.#known.set(name, known);
    return known;
  }

  /**
   * Learns the change of deliveries in the state that the probe shows, once for each name, from some that succeed.
   * Undefined without a probe. Rejects if the probe shows no change.
   */
  usualChange(
    name: string,
    observe: (probe: Probe) => Promise<ObservedDeliveries>,
  ): Promise<UsualChange | undefined> {
    return this.once(`usual change by ${name}`, () => this.#learnChange(observe));
  }

  /** Makes deliveries and reads the state before and after them. */
  async observe(probe: Probe, deliver: () => Promise<readonly WebhookEvent[]>): Promise<ObservedDeliveries> {
    const before = await probe.before();
    const events = await deliver();
    return { events, before, after: await probe.afterWork(before) };
  }

  /** Returns the number of acknowledged events without a trace in the state. It is found once. */
  losses(): Promise<{ readonly lost: number; readonly acknowledged: number }> {
    return this.once("losses", () => this.#countLosses());
  }

  async #countLosses(): Promise<{ readonly lost: number; readonly acknowledged: number }> {
    const { probe } = this;
    let [lost, acknowledged] = [0, 0];
    if (probe === undefined) return { lost, acknowledged };
    for (let count = 0; count < ACKNOWLEDGED; count += 1) {
      const event = await this.event();
      const before = await probe.before();
      if (!isAccepted(await this.send(event))) continue;
      acknowledged += 1;
      if (!probe.isChanged(before, await probe.afterWork(before))) lost += 1;
    }
    return { lost, acknowledged };
  }

  async #learnChange(
    observe: (probe: Probe) => Promise<ObservedDeliveries>,
  ): Promise<UsualChange | undefined> {
    const { probe } = this;
    if (probe === undefined) return undefined;
    const first = await observe(probe);
    const second = await observe(probe);
    let usual = new UsualChange(first, second);
    // The first event of its kind adds parts that exist for the second, such as a sum with its own key.
    if (!usual.isSteady) usual = new UsualChange(second, await observe(probe));
    if (await probe.shows(usual)) return usual;
    throw new NothingShown("The probe does not show an accepted event.");
  }

  async #exchange<Answer>(requests: number, send: () => Promise<Answer>): Promise<Answer> {
    await this.#spend(requests);
    const answer = await this.options.spent.during("answers", send);
    this.probe?.disturb(requests);
    return answer;
  }

  async #post(event: WebhookEvent, options: SendOptions = {}): Promise<Sent> {
    const request = this.#request(event, options);
    const { wall, endpoint } = this.options;
    const startedMs = wall.now();
    const result = mustBeSent(await endpoint.post(request));
    if (result.status !== null && options.manner === undefined)
      this.#slowestMs = Math.max(this.#slowestMs, wall.now() - startedMs);
    return { ...result, request };
  }

  #request(event: WebhookEvent, options: SendOptions = {}): WebhookRequest {
    const { secret = this.options.secret, signatureHeader = SIGNATURE_HEADER } = options;
    const { signature = signatureOf(secret, event.body), contentType } = options;
    return {
      url: this.options.url,
      headers: webhookHeaders(signature ?? undefined, { contentType, field: signatureHeader }),
      body: event.body,
      manner: options.manner,
      deadlineMs: options.timeoutMs ?? this.options.timeoutMs,
    };
  }

  async #spend(requests: number): Promise<void> {
    const { requestsMax, timeMaxMs = Infinity, pauseMs, wall, spent } = this.options;
    if (this.#requests + requests > requestsMax)
      throw new BudgetUsedUp(
        `The budget of ${requestsMax} requests is used up. Raise it with --budget, or select checks with --only.`,
      );
    if (wall.now() - this.#begun - spent.waitedMs > timeMaxMs)
      throw new BudgetUsedUp(
        `The time limit of ${timeMaxMs / 1000} s is used up, without the time that the receiver took. Raise it with --time, or select checks with --only.`,
      );
    if (this.#requests > 0 && pauseMs > 0) await this.pause(pauseMs);
    this.#requests += requests;
  }
}

/** Throws if the request was changed before it was sent: its result says nothing about the receiver. */
function mustBeSent(result: AttemptResult): AttemptResult {
  if (result.error === "changed") throw new CommandFailure(result.message);
  return result;
}

export function isAccepted({ status }: Pick<Sent, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}
