import { clearTimeout, setTimeout } from "node:timers";
import { type AttemptResult, type WebhookRequest, unanswered } from "./attempt.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import { assertDefined } from "../engine/assertion.ts";

/** A program that receives the webhooks of a world and calls an address that only this program reaches. */
export interface Listening {
  /** The id that the program chose. The same program keeps it when it connects again. */
  readonly id: string;
  /** The name of its machine. */
  readonly host: string;
  /** The address that it calls. */
  readonly forward: string;
  /** The names of the events that it takes. Undefined for all. */
  readonly events?: ReadonlySet<string> | undefined;
  /** The company whose webhooks it takes. Null for all. */
  readonly companyId: string | null;
  /** Returns the reason why its token is not valid any more. Undefined while the token is valid. */
  readonly endOfToken: () => string | undefined;
}

/** Makes attempts, and returns one result for each. */
type Sending = (requests: readonly WebhookRequest[]) => Promise<readonly AttemptResult[]>;

/** Attempts that a listener makes together. */
export interface ListenerOrder {
  readonly number: number;
  readonly requests: readonly WebhookRequest[];
}

/** The end of a listener, with its reason if the server ends it. */
export interface ListenerEnd {
  readonly ended: string | undefined;
}

/** The time for the way to the listener and back, in addition to the deadline of the attempt. */
const WAY_MS = 5_000;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The connected listener of a world. */
export class Listener {
  readonly about: Listening;
  readonly #push: (order: ListenerOrder | ListenerEnd) => void;
  readonly #waiting = new Map<number, (results: readonly AttemptResult[] | AttemptFailure) => void>();
  #orders = 0;

  constructor(about: Listening, push: (order: ListenerOrder | ListenerEnd) => void) {
    this.about = about;
    this.#push = push;
  }

  takes({ about }: WebhookRequest): boolean {
    const { events, companyId } = this.about;
    return (
      (events === undefined || (about !== undefined && events.has(about.event))) &&
      (companyId === null || about?.companyId === companyId)
    );
  }

  /** Sends attempts to the listener and returns its results. It never rejects. */
  async send(requests: readonly WebhookRequest[]): Promise<readonly AttemptResult[]> {
    const number = ++this.#orders;
    const deadlineMs = Math.max(...requests.map((request) => request.deadlineMs));
    const { promise, resolve } = Promise.withResolvers<readonly AttemptResult[] | AttemptFailure>();
    this.#waiting.set(number, resolve);
    const timer = setTimeout(
      () => resolve(this.#failure("timeout", `gave no result within ${deadlineMs + WAY_MS} ms`)),
      Math.min(deadlineMs + WAY_MS, TIMER_MAX_MS),
    );
    this.#push({ number, requests });
    const results = await promise;
    clearTimeout(timer);
    this.#waiting.delete(number);
    const failure = this.#failure("protocol", "reported another number of results");
    return requests.map((_, index) =>
      results instanceof AttemptFailure ? unanswered(results) : (results[index] ?? unanswered(failure)),
    );
  }

  /** Takes the results of an order. Returns false if nothing waits for them. */
  report(number: number, results: readonly AttemptResult[]): boolean {
    const resolve = this.#waiting.get(number);
    resolve?.(results);
    return resolve !== undefined;
  }

  /** Ends the listener: its open attempts fail. */
  close(ended?: string): void {
    const failure = this.#failure("reset", "went away before it gave the receiver's answer");
    for (const resolve of this.#waiting.values()) resolve(failure);
    this.#push({ ended });
  }

  #failure(error: "timeout" | "reset" | "protocol", found: string): AttemptFailure {
    const { host, forward } = this.about;
    const advice = "Start sandbank listen again. Without it, webhooks go to their URL.";
    return new AttemptFailure(error, `the listener on ${host} for ${forward} ${found}`, advice);
  }
}

/** The key of the listener that takes the webhooks of all companies. */
const ALL = null;

/**
 * The listeners of all worlds of this server. A world has at most one for each company, and one for all companies,
 * which takes the webhooks that no listener of their company takes.
 */
export class Listeners {
  readonly #byWorld = new Map<string, Map<string | null, Listener>>();

  /** Returns the listener of a company, or with null that of all companies. */
  of(world: string, companyId: string | null): Listener | undefined {
    return this.#byWorld.get(world)?.get(companyId);
  }

  /** Connects a listener. Its place must be free, or have a listener with the same id, which is replaced. */
  connect(world: string, listener: Listener): () => void {
    const { companyId } = listener.about;
    const ofWorld = this.#byWorld.get(world) ?? new Map<string | null, Listener>();
    ofWorld.get(companyId)?.close();
    this.#byWorld.set(world, ofWorld.set(companyId, listener));
    return () => this.#disconnect(world, listener);
  }

  /** Ends a listener if its token is not valid any more. */
  endIfRefused(world: string, listener: Listener): void {
    const reason = listener.about.endOfToken();
    if (reason !== undefined) this.#disconnect(world, listener, reason);
  }

  /** Sends attempts to the listeners of their companies, and all others over the network. */
  async send(requests: readonly WebhookRequest[], overNetwork: Sending): ReturnType<Sending> {
    if (this.#byWorld.size === 0) return overNetwork(requests);
    const takers = new Map(requests.map((request) => [request, this.#takerOf(request)]));
    const groups = Map.groupBy(requests, (request) => takers.get(request));
    const sent = Array.from(groups, async ([listener, group]) => {
      const results = await (listener === undefined ? overNetwork(group) : listener.send(group));
      return group.map((request, index) => [request, results[index]] as const);
    });
    const results = new Map((await Promise.all(sent)).flat());
    return requests.map((request) => assertDefined(results.get(request), "the result of an attempt"));
  }

  #takerOf(request: WebhookRequest): Listener | undefined {
    const { world = "", about } = request;
    for (const listener of this.#byWorld.get(world)?.values() ?? []) this.endIfRefused(world, listener);
    const candidates = [this.of(world, about?.companyId ?? ALL), this.of(world, ALL)];
    return candidates.find((listener) => listener?.takes(request));
  }

  #disconnect(world: string, listener: Listener, reason?: string): void {
    const ofWorld = this.#byWorld.get(world);
    const { companyId } = listener.about;
    if (ofWorld?.get(companyId) !== listener) return;
    ofWorld.delete(companyId);
    if (ofWorld.size === 0) this.#byWorld.delete(world);
    listener.close(reason);
  }
}
