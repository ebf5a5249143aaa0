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
} from "../api/vocabulary.ts";
import type { EffectFields, EffectName, SideOf } from "../platform/faults/effects.ts";
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
} from "../api/generated/shapes.ts";
import type { FollowClockOptions, FollowedClock } from "./followed-clock.ts";
import type { FakePerson } from "./fake-person.ts";

/** The input of an act: the id of its object, if it has one, and its fields. */
export type ActInput<A extends ActName> = ActFields[A] &
  (Acts[A]["collection"] extends "companies"
    ? { /** Default: the first company. */ readonly id?: string }
    : { readonly id: string });

/** The objects of `/sandbox/resources`, by the name of their collection. */
export type Resources = { readonly [C in CollectionName]: ResourceViews[C] };

/** A plan: the outcomes of the next steps. */
export interface NewPlan<P extends PlanName = PlanName> {
  readonly plan: P;
  /** The id of an object; default: the next object that takes such a step. */
  readonly on?: string;
  readonly outcomes: readonly PlanOutcomes[P][];
}

/** The targets of a fault: all selectors have to match. */
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
  /** From the first timestamp up to the second. */
  readonly between?: readonly [from: string, to: string];
  /** From 0 to 1. */
  readonly probability?: number;
  /** At most so often. */
  readonly times?: number;
}

/** A fault: an effect with its fields and targets. */
export type NewFault = {
  readonly [Name in EffectName]: { readonly on: SideOf<Name>; readonly effect: Name } & EffectFields[Name] &
    FaultSelectors;
}[EffectName];

/** A webhook of one event on its way, with its attempts. */
export type DeliveryOf<E extends EventName> = Omit<Delivery, "event" | "body"> & {
  readonly event: E;
  /** The body of the event. Null if it is `not-sent`. Each attempt has the sent bytes as `requestBody`. */
  readonly body: WebhookEvents[E];
};

/** A webhook on its way; `event` says what its body is. */
export type WebhookDelivery = { readonly [E in EventName]: DeliveryOf<E> }[EventName];

/** A company of a world, with its credentials. */
export interface SandboxCompany extends Omit<Company, "webhookUrl"> {
  /** The id of its first account that is ACTIVE at the start; of one without such an account, the first account. */
  readonly account: string;
}

/** How `call` sends a request. */
export interface CallOptions {
  /** Default, if the operation requires a key: a new key for each call, which follows from the seed. */
  readonly idempotencyKey?: string;
  /** The id of the company that calls; default: the first one. */
  readonly company?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One world of a sandbox, in this process or on a server: what `createSandbox` and `connectSandbox` have in common, so
 * that the same test runs against both. After `close()` every method fails with a sentence.
 */
export interface SandboxWorld extends AsyncDisposable {
  /**
   * Returns a company of this world by its id. If it does not exist, the error names the nearest id.
   *
   * ```ts
   * const { token, account, webhookSecret } = world.company("acme");
   * ```
   */
  company(id: string): SandboxCompany;
  /**
   * Calls an operation of the API as a company, and returns the body of the answer. The parameters of the path, the
   * query and the fields of the body are one object. Rejects with a `SandboxRefusal` if the call is refused.
   *
   * ```ts
   * const { id } = await world.call("createPayout", body, { idempotencyKey: "payout-1" });
   * const { balance } = await world.call("getAccountBalance", { accountId: world.company("acme").account });
   * ```
   */
  call<O extends keyof OperationCalls>(
    operation: O,
    input?: OperationCalls[O]["input"],
    options?: CallOptions,
  ): Promise<OperationCalls[O]["answer"]>;
  /**
   * Sends all webhooks of this world to this URL from now on, for a service that needs the world before it has a URL.
   *
   * ```ts
   * const service = await startService({ bankUrl: (await world.listen()).url });
   * await world.sendWebhooksTo(`${service.url}/webhooks`);
   * ```
   */
  sendWebhooksTo(url: string): Promise<void>;
  /**
   * Waits until a webhook of this event was attempted, and returns the newest one. No time of the sandbox passes: later
   * events need `advance`. Rejects after `timeoutMs` of wall time (default: 5,000), with the names of the sent events.
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
   * Sends a request to this world: a path, a URL or a `Request`, and what `fetch` takes. Of a URL only the path counts,
   * so it can be given to a client in place of `fetch`.
   *
   * ```ts
   * const headers = { authorization: `Bearer ${world.company("acme").token}` };
   * const response = await world.fetch("/order/v1/banking/accounts", { headers });
   * ```
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Performs an act of a payer or an institution, waits until the webhooks that it causes at once were attempted, and
   * returns the changed object. Rejects with the refusal's sentence.
   *
   * ```ts
   * const { status } = await world.act("subscription.accept", { id }); // "ACCEPTED"
   * await world.act("account.deposit", { id: accountId, amount: "10.00" });
   * ```
   */
  act<A extends ActName>(act: A, input: ActInput<A>): Promise<ResourceViews[Acts[A]["collection"]]>;
  /**
   * Advances the clock by a duration or to a time. Everything due happens at its own time, webhooks included.
   * Returns the timeline, in order.
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
   * The present time of its clock, as an RFC 3339 timestamp.
   *
   * ```ts
   * const dueDate = (await world.now()).slice(0, 10);
   * ```
   */
  now(): Promise<string>;
  /**
   * Makes `Date` and the timers of this thread follow the clock of this world, until `stop()` or `close()`: they run in
   * an advance, at their exact instants. Rejects if this thread follows a clock already.
   * ```ts
   * await world.followClock();
   * setTimeout(remind, 86_400_000); // runs in world.advance("P2D")
   * ```
   */
  followClock(options?: FollowClockOptions): Promise<FollowedClock>;
  /**
   * Invents another person at each call, as `${fake.person}` does in scenarios, with a document whose check digits are
   * right. The same seed gives the same people in the same order, from the first one again after `reset()`.
   *
   * ```ts
   * const { name, document } = await world.fakePerson();
   * ```
   */
  fakePerson(): Promise<FakePerson>;
  /** Waits until every webhook that is in flight was answered; no time passes. `act` and `advance` do so themselves. */
  settled(): Promise<void>;
  /**
   * Sets the outcomes of the next steps, of one object or of all.
   *
   * ```ts
   * await world.plan({ plan: "scheduled-payment.settlement", outcomes: ["SETTLEMENT_ERROR", "SETTLED"] });
   * ```
   */
  plan<P extends PlanName>(
    plan: NewPlan<P>,
  ): Promise<NewPlan<P> & { readonly id: string; readonly used: number }>;
  /**
   * Arms a fault and returns it with its id. Rejects with the problems of a wrong fault.
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
   * Every webhook so far, newest last, with its attempts; of one event if it is named.
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
   * Returns the present object in the shape of the API. Rejects if it does not exist.
   *
   * ```ts
   * const { status } = await world.resource("subscriptions", id);
   * ```
   */
  resource<C extends CollectionName>(collection: C, id: string): Promise<Resources[C]>;
  /** All objects of a collection, newest last. */
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
    /** `404`, or `"4xx"`. */
    readonly status?: number | string;
    /** Takes the newest of the selected calls. */
    readonly limit?: number;
  }): Promise<LoggedRequest[]>;
  /** The ledger: every account with its amount, and every entry. */
  ledger(): Promise<Ledger>;
  /**
   * Takes a snapshot.
   *
   * ```ts
   * const { id } = await world.snapshot();
   * await world.advance("P1Y");
   * await world.restore(id); // a year younger
   * ```
   */
  snapshot(): Promise<Snapshot>;
  /** Restores a snapshot. */
  restore(snapshotId: string): Promise<RestoredSnapshot>;
  /** Removes a snapshot, so that its state takes no memory. */
  removeSnapshot(snapshotId: string): Promise<void>;
  /**
   * Copies this world into a new world with its own credentials. Its new ids come from its own seed. With the seed of
   * this world, both worlds draw the same ids.
   *
   * ```ts
   * const { companies } = await world.fork();
   * const headers = { authorization: `Bearer ${companies[0]?.token}` };
   * ```
   */
  fork(options?: { readonly seed?: number }): Promise<World>;
  /** All requests and calls so far, as a scenario file. */
  recording(): Promise<string>;
  /** The SHA-256 of the journal: the same seed and the same inputs give the same digest. */
  digest(): string | Promise<string>;
  /** Restores the exact initial state. */
  reset(): Promise<WorldReset>;
  /**
   * Returns a port of the world. In process the port is opened, by default a free one.
   *
   * ```ts
   * const { url } = await world.listen(); // http://127.0.0.1:49152
   * ```
   */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Ends the use of this world, as `await using` does at the end of its block. */
  close(): Promise<void>;
}

/** A sandbox in this process: the same engine and interface as `sandbank serve`, without a port until `listen`. */
export interface Sandbox extends SandboxWorld {
  digest(): string;
}

/** A separate world on a running server. `close()` drops it there, unless it is to be kept. */
export interface ConnectedSandbox extends SandboxWorld {
  /** The id of the world: `w3`. */
  readonly id: string;
  /** The address of the server. */
  readonly url: string;
  /** The dashboard of this world. */
  readonly dashboard: string;
  digest(): Promise<string>;
}

/** An object of the interface or of the sandbox's own API, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- its content depends on the request, as with Response.json()
export type SandboxObject = Record<string, any>;
