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
}

/** Makes attempts, and returns one result for each. */
type Sending = (requests: readonly WebhookRequest[]) => Promise<readonly AttemptResult[]>;

/** Attempts that a listener makes together. */
export interface ListenerOrder {
  readonly number: number;
  readonly requests: readonly WebhookRequest[];
}

/** The time for the way to the listener and back, in addition to the deadline of the attempt. */
const WAY_MS = 5_000;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The connected listener of a world. */
export class Listener {
  readonly about: Listening;
  readonly #push: (order: ListenerOrder | undefined) => void;
  readonly #waiting = new Map<number, (results: readonly AttemptResult[] | AttemptFailure) => void>();
  #orders = 0;

  constructor(about: Listening, push: (order: ListenerOrder | undefined) => void) {
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
  close(): void {
    const failure = this.#failure("reset", "went away before it gave the receiver's answer");
    for (const resolve of this.#waiting.values()) resolve(failure);
    this.#push(undefined);
  }

  #failure(error: "timeout" | "reset" | "protocol", found: string): AttemptFailure {
    const { host, forward } = this.about;
    const advice = "Start sandbank listen again. Without it, webhooks go to their URL.";
    return new AttemptFailure(error, `the listener on ${host} for ${forward} ${found}`, advice);
  }
}

/** The listeners of all worlds of this server: at most one for each world. */
export class Listeners {
  readonly #byWorld = new Map<string, Listener>();

  of(world: string): Listener | undefined {
    return this.#byWorld.get(world);
  }

  /** Connects a listener. The world must be free, or have a listener with the same id, which is replaced. */
  connect(world: string, listener: Listener): () => void {
    this.#byWorld.get(world)?.close();
    this.#byWorld.set(world, listener);
    return () => {
      if (this.#byWorld.get(world) !== listener) return;
      this.#byWorld.delete(world);
      listener.close();
    };
  }

  /** Sends attempts to the listener of their world, and all others over the network. */
  async send(requests: readonly WebhookRequest[], overNetwork: Sending): ReturnType<Sending> {
    const listener = this.#byWorld.get(requests[0]?.world ?? "");
    if (listener === undefined) return overNetwork(requests);
    const taken = new Set(requests.filter((request) => listener.takes(request)));
    const others = requests.filter((request) => !taken.has(request));
    const [ofListener, ofNetwork] = await Promise.all([
      taken.size === 0 ? [] : listener.send([...taken]),
      others.length === 0 ? [] : overNetwork(others),
    ]);
    const results = { ofListener: ofListener.values(), ofNetwork: ofNetwork.values() };
    return requests.map((request) => {
      const { value } = results[taken.has(request) ? "ofListener" : "ofNetwork"].next();
      return assertDefined(value, "the result of an attempt");
    });
  }
}
