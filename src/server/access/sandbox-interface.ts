import type {
  ActFields,
  ActName,
  Acts,
  CollectionName,
  EventName,
  OperationCalls,
  OperationId,
  PlanName,
  PlanOutcomes,
  ResourceViews,
  WebhookEvents,
} from "../../simulator/api/vocabulary.ts";
import type { EffectFields, EffectName, SideOf } from "../../simulator/platform/faults/effects.ts";
import type {
  AdvanceReport,
  Company,
  Delivery,
  Ledger,
  LoggedRequest,
  RestoredSnapshot,
  Snapshot,
  World,
  WorldReset,
} from "../../simulator/api/generated/shapes.ts";
import type { FollowClockOptions, FollowedClock } from "./followed-clock.ts";

/** The input of an act: the id of its object, if it has one, and its fields. */
export type ActInput<A extends ActName> = ActFields[A] &
  (Acts[A]["collection"] extends "companies"
    ? { /** The id of a company; default: the first company. */ readonly id?: string }
    : { readonly id: string });

/** The objects of `/sandbox/resources`, by the name of their collection. */
export type Resources = { readonly [C in CollectionName]: ResourceViews[C] };

/** A plan: the outcomes of the next steps, in order. */
export interface NewPlan<P extends PlanName = PlanName> {
  readonly plan: P;
  /** The id of an object; default: the next object that takes such a step. */
  readonly on?: string;
  readonly outcomes: readonly PlanOutcomes[P][];
}

/** The targets of a fault. All given selectors must match. */
interface FaultSelectors {
  /** The name of an event, or a glob such as `ORDER-PAYOUT.*`. */
  readonly event?: EventName | `${string}*${string}`;
  readonly operation?: OperationId;
  /** The id of an object. */
  readonly object?: string;
  /** Only the match with this number, counted from 1. */
  readonly nth?: number;
  /** Only the attempts with these numbers, counted from 1. */
  readonly attempt?: number | readonly number[];
  /** Only from the first RFC 3339 timestamp up to the second one. */
  readonly between?: readonly [from: string, to: string];
  /** The probability of the fault at a match, from 0 to 1. */
  readonly probability?: number;
  /** The maximum number of hits. */
  readonly times?: number;
}

/** A fault: an effect with its fields and targets. */
export type NewFault = {
  readonly [Name in EffectName]: { readonly on: SideOf<Name>; readonly effect: Name } & EffectFields[Name] &
    FaultSelectors;
}[EffectName];

/** The delivery of one event: its webhook, with all attempts. */
export type DeliveryOf<E extends EventName> = Omit<Delivery, "event" | "body"> & {
  readonly event: E;
  /** The body of the event. Null if the status is `not-sent`. Each attempt has the sent bytes in `requestBody`. */
  readonly body: WebhookEvents[E];
};

/** A delivery of any event. `event` determines the type of the body. */
export type WebhookDelivery = { readonly [E in EventName]: DeliveryOf<E> }[EventName];

/** An invented person, with right check digits: the value of `${fake.person}` and of `fakePerson()`. */
export interface FakePerson {
  readonly name: string;
  readonly document: { readonly type: "CPF"; readonly number: string };
  readonly email: string;
  readonly phone: string;
}

/** A company of a world, with its credentials. */
export interface SandboxCompany extends Omit<Company, "webhookUrl"> {
  /** The id of its first account that is ACTIVE at the start, otherwise of its first account. */
  readonly account: string;
}

/** The options of one request of `call`. */
export interface CallOptions {
  /** The idempotency key; default: a new key for each call if the operation requires one. The seed determines it. */
  readonly idempotencyKey?: string;
  /** The id of the calling company; default: the first company. */
  readonly company?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One world of a sandbox. `createSandbox` and `connectSandbox` both return it, so the same test runs in this process
 * and against a server. After `close()` every method rejects. Durations are ISO 8601, timestamps RFC 3339, amounts
 * decimal texts such as "59.90". `docs/library.md` describes each method.
 */
export interface SandboxWorld extends AsyncDisposable {
  /**
   * Returns a company of this world by its id. Throws an error with the nearest id if the company does not exist.
   *
   * ```ts
   * const { token, account, webhookSecret } = world.company("acme");
   * ```
   */
  company(id: string): SandboxCompany;
  /**
   * Calls an operation of the API as a company, and returns the body of the answer. `input` is one object with the path
   * parameters, the query parameters and the fields of the body. Rejects with a `SandboxRefusal` if the call is
   * refused.
   *
   * ```ts
   * const { account } = world.company("acme");
   * const { balance } = await world.call("getAccountBalance", { accountId: account });
   * ```
   */
  call<O extends keyof OperationCalls>(
    operation: O,
    input?: OperationCalls[O]["input"],
    options?: CallOptions,
  ): Promise<OperationCalls[O]["answer"]>;
  /**
   * Sends all further webhooks of this world to this URL. Use it if your service needs the world before it has a URL.
   *
   * ```ts
   * const service = await startService({ bankUrl: (await world.listen()).url });
   * await world.sendWebhooksTo(`${service.url}/webhooks`);
   * ```
   */
  sendWebhooksTo(url: string): Promise<void>;
  /**
   * Waits until a webhook of this event was attempted, and returns the newest one. The sandbox's clock does not move,
   * so later events need `advance`. Rejects after `timeoutMs` of wall time (default: 5,000) with the names of the sent
   * events.
   *
   * ```ts
   * const paid = await world.webhook("ORDER-PAYOUT.PAID", { object: payout.id });
   * console.log(paid.status, paid.body.endToEndId);
   * ```
   */
  webhook<E extends EventName>(
    event: E,
    options?: { readonly object?: string; readonly timeoutMs?: number },
  ): Promise<Extract<WebhookDelivery, { readonly event: E }>>;
  /**
   * Sends a request to this world: a path, a URL or a `Request`, with the options of `fetch`. The host of a URL is
   * ignored, so a client can use this method in place of `fetch`. Returns the answer, also if the request is refused.
   *
   * ```ts
   * const headers = { authorization: `Bearer ${world.company("acme").token}` };
   * const response = await world.fetch("/order/v1/banking/accounts", { headers });
   * ```
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Performs an act of a payer or an institution, and waits until its immediate webhooks were attempted. Returns the
   * changed object. Rejects with a `SandboxRefusal` if the act is not possible.
   *
   * ```ts
   * const { status } = await world.act("subscription.accept", { id }); // "ACCEPTED"
   * await world.act("account.deposit", { id: accountId, amount: "10.00" });
   * ```
   */
  act<A extends ActName>(act: A, input: ActInput<A>): Promise<ResourceViews[Acts[A]["collection"]]>;
  /**
   * Advances the clock by a duration or to a time, or until the next step or until idle. All due steps and webhooks
   * happen in order, at their own times. Returns them as `happened`. Rejects if the time is in the past.
   *
   * ```ts
   * await world.advance("P1M");
   * await world.advance({ to: "2026-11-25T21:00:00-03:00" });
   * const { happened } = await world.advance({ until: "idle" });
   * ```
   */
  advance(
    target:
      | string
      | Readonly<
          | { by: string; to?: never; until?: never }
          | { to: string; by?: never; until?: never }
          | { until: "next" | "idle"; by?: never; to?: never }
        >,
  ): Promise<AdvanceReport>;
  /**
   * Returns the present time of the world's clock, as an RFC 3339 timestamp.
   *
   * ```ts
   * const dueDate = (await world.now()).slice(0, 10);
   * ```
   */
  now(): Promise<string>;
  /**
   * Makes `Date` and the timers of this thread follow the clock of this world, until `stop()` or `close()`. Due timers
   * run inside an advance, at their exact instants. Rejects if this thread already follows a clock.
   *
   * ```ts
   * await world.followClock();
   * setTimeout(() => console.log("a day is over"), 86_400_000); // runs in world.advance("P2D")
   * ```
   */
  followClock(options?: FollowClockOptions): Promise<FollowedClock>;
  /**
   * Returns a new invented person at each call, like `${fake.person}` in scenarios. The check digits of the document
   * are right. The same seed gives the same people in the same order. `reset()` starts the order again.
   *
   * ```ts
   * const { name, document } = await world.fakePerson();
   * ```
   */
  fakePerson(): Promise<FakePerson>;
  /**
   * Waits until every webhook in flight was answered. The clock does not move. `act` and `advance` wait by themselves.
   */
  settled(): Promise<void>;
  /**
   * Sets the outcomes of the next steps, for one object or for the next objects. Returns the plan with its id. Rejects
   * with a `SandboxRefusal` for an unknown plan, outcome or object.
   *
   * ```ts
   * await world.plan({ plan: "scheduled-payment.settlement", outcomes: ["SETTLEMENT_ERROR", "SETTLED"] });
   * ```
   */
  plan<P extends PlanName>(
    plan: NewPlan<P>,
  ): Promise<NewPlan<P> & { readonly id: string; readonly used: number }>;
  /**
   * Arms a fault and returns it with its id. Rejects with a `SandboxRefusal` that lists the problems of a wrong fault.
   *
   * ```ts
   * await world.fault({ on: "webhook", effect: "reset-after-request", event: "ORDER-PAYOUT.*", times: 1 });
   * ```
   */
  fault(fault: NewFault): Promise<SandboxObject>;
  /**
   * Removes all faults, or the fault with this id. Events that a fault holds back are then sent.
   *
   * ```ts
   * const { id } = await world.fault({ on: "api", effect: "unavailable" });
   * await world.removeFaults(id);
   * ```
   */
  removeFaults(id?: string): Promise<void>;
  /**
   * Returns the deliveries so far, newest last. `filter` selects an event, an object or a status.
   *
   * ```ts
   * const [paid] = await world.deliveries({ event: "ORDER-PAYOUT.PAID" });
   * console.log(paid?.status, paid?.body.endToEndId);
   * ```
   */
  deliveries<E extends EventName = EventName>(filter?: {
    readonly event?: E;
    /** The id of the object that the events are about. */
    readonly object?: string;
    readonly status?: Delivery["status"];
  }): Promise<Extract<WebhookDelivery, { readonly event: E }>[]>;
  /**
   * Returns an object with its present state, in the shape of the API. Rejects if it does not exist.
   *
   * ```ts
   * const { status } = await world.resource("subscriptions", id);
   * ```
   */
  resource<C extends CollectionName>(collection: C, id: string): Promise<Resources[C]>;
  /** Returns all objects of a collection, newest last. */
  resources<C extends CollectionName>(collection: C): Promise<Resources[C][]>;
  /**
   * Returns the last calls of the API with their answers, newest last, including refused calls. Tokens, secrets and
   * card numbers are masked.
   *
   * ```ts
   * const [refused] = await world.requests({ operation: "createPayout", status: "4xx", limit: 1 });
   * console.log(refused?.requestBody, refused?.responseBody);
   * ```
   */
  requests(filter?: {
    readonly operation?: OperationId;
    /** A status such as `404`, or a class such as `"4xx"`. */
    readonly status?: number | string;
    /** The maximum number of calls. The newest calls are taken. */
    readonly limit?: number;
  }): Promise<LoggedRequest[]>;
  /** Returns the ledger: every account with its amount, and every entry. */
  ledger(): Promise<Ledger>;
  /**
   * Takes a snapshot of the world, and returns it with its id.
   *
   * ```ts
   * const { id } = await world.snapshot();
   * await world.advance("P1Y");
   * await world.restore(id); // a year younger
   * ```
   */
  snapshot(): Promise<Snapshot>;
  /** Restores a snapshot. Rejects if it does not exist. */
  restore(snapshotId: string): Promise<RestoredSnapshot>;
  /** Removes a snapshot and frees its memory. Rejects if it does not exist. */
  removeSnapshot(snapshotId: string): Promise<void>;
  /**
   * Copies this world into a new world with its own credentials, and returns the new world. New ids there come from
   * `seed`. With the seed of this world, both worlds draw the same ids.
   *
   * ```ts
   * const { companies } = await world.fork();
   * const headers = { authorization: `Bearer ${companies[0]?.token}` };
   * ```
   */
  fork(options?: { readonly seed?: number }): Promise<World>;
  /** Returns all requests and acts so far as the text of a scenario file. */
  recording(): Promise<string>;
  /** Returns the SHA-256 of the journal. The same seed and the same inputs give the same digest. */
  digest(): string | Promise<string>;
  /**
   * Restores the initial state of the world, with its seed and its start time. `keep: ["settings"]` keeps assumptions
   * and webhook URLs that changed since then.
   */
  reset(options?: { readonly keep?: readonly "settings"[] }): Promise<WorldReset>;
  /**
   * Opens a port in this process, by default a free one, and returns its URL. For a world on a server, returns the URL
   * of the server. Rejects if the port is in use.
   *
   * ```ts
   * const { url } = await world.listen(); // http://127.0.0.1:49152
   * ```
   */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Closes the world. `await using` calls it at the end of its block. */
  close(): Promise<void>;
}

/** A sandbox in this process, with the engine and the platform API of `sandbank serve`. It has no port before `listen`. */
export interface Sandbox extends SandboxWorld {
  digest(): string;
}

/** A separate world on a running server. `close()` drops it there, unless `keep` is true. */
export interface ConnectedSandbox extends SandboxWorld {
  /** The id of the world: `w3`. */
  readonly id: string;
  /** The address of the server. */
  readonly url: string;
  /** The dashboard of this world. */
  readonly dashboard: string;
  digest(): Promise<string>;
}

/** An object of the platform API or of the sandbox's own API, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- its content depends on the request, as with Response.json()
export type SandboxObject = Record<string, any>;
