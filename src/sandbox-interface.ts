import type { ClockMode } from "./worlds/clock.ts";
import type { Log } from "./server/log.ts";
import type { LoggedRequest } from "./worlds/request-log.ts";
import type { OperationId } from "./api/operations.ts";
import type { SimulationOptions } from "./engine/simulation.ts";
import type { Transport } from "./webhooks/transport.ts";

/** The options of `createSandbox`. Each is described in `settings.ts` too, where its values are checked. */
export interface SandboxOptions {
  /** Seed of ids and random choices; default: 1. */
  readonly seed?: number;
  /** RFC 3339 timestamp at which the clock starts; default: now. */
  readonly start?: string;
  /** Default: `frozen`, where time passes only by `advance`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id. */
  readonly assumptions?: Readonly<Record<string, unknown>>;
  /** Folder of fixtures; default: the shipped ones. */
  readonly fixtures?: string;
  /** Scenario file that runs in the default world first; the other options override what it sets. */
  readonly scenario?: string;
  /** Files and folders of your own provider states, in addition to the shipped ones. */
  readonly states?: readonly string[];
  /** Sends the webhooks of all companies to this http or https URL; default: the URL of each company. */
  readonly webhookUrl?: string;
  /** Wall time without a request after which a world, except the default one, is dropped; default: PT1H. */
  readonly worldIdle?: string;
  /** File that keeps every world. What it contains overrides `start`, `mode` and `seed`. */
  readonly data?: string;
  /** Token that requests under `/sandbox` must send in the header `x-admin-token`, without blanks; default: none. */
  readonly adminToken?: string;
  /** Receives events such as a full disk; default: no log. */
  readonly log?: Log;
  /** Addresses and CIDR ranges that the assumption `webhook.egress: hosted` allows as well. */
  readonly egressAllow?: readonly string[];
  /** Sends the webhooks; default: over the network. */
  readonly transport?: Transport;
  /** Called with the simulation after every change. */
  readonly audit?: SimulationOptions["audit"];
}

/** A sandbox in this process: the same engine and interface as `sandbank serve`, without a port until `listen`. */
export interface Sandbox extends AsyncDisposable {
  /**
   * Sends a request, in process: a path, and what `fetch` takes.
   *
   * ```ts
   * const headers = { authorization: "Bearer acme-token" };
   * const response = await sandbox.fetch("/order/v1/banking/accounts", { headers });
   * ```
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Performs an act of a payer or an institution and returns the changed object. Rejects with the refusal's sentence.
   *
   * ```ts
   * const { status } = await sandbox.act("subscription.accept", { id }); // "ACCEPTED"
   * await sandbox.act("account.deposit", { id: accountId, amount: "10.00" });
   * ```
   */
  act(act: string, input?: Readonly<Record<string, unknown>>): Promise<SandboxObject>;
  /**
   * Advances the clock by a duration or to a time. Everything due happens at its own time, webhooks included.
   * Returns what happened, in order.
   *
   * ```ts
   * await sandbox.advance("P1M");
   * await sandbox.advance({ to: "2026-11-25T21:00:00-03:00" });
   * const { happened } = await sandbox.advance({ until: "idle" });
   * ```
   */
  advance(
    target: string | Readonly<{ by: string } | { to: string } | { until: "next" | "idle" }>,
  ): Promise<SandboxObject>;
  /**
   * Sets the outcomes of the next steps, of one object or of all.
   *
   * ```ts
   * await sandbox.plan({ plan: "scheduled-payment.settlement", outcomes: ["SETTLEMENT_ERROR", "SETTLED"] });
   * ```
   */
  plan(plan: {
    readonly plan: string;
    readonly on?: string;
    readonly outcomes: readonly string[];
  }): Promise<SandboxObject>;
  /**
   * Arms a fault and returns it with its id. Rejects with what is wrong with it.
   *
   * ```ts
   * await sandbox.fault({ on: "webhook", effect: "reset-after-request", event: "ORDER-PAYOUT.*", times: 1 });
   * ```
   */
  fault(
    fault: { readonly on: "webhook" | "api"; readonly effect: string } & SandboxObject,
  ): Promise<SandboxObject>;
  /**
   * Every webhook so far, with its attempts.
   *
   * ```ts
   * const events = (await sandbox.deliveries()).map(({ event, status }) => `${event} ${status}`);
   * ```
   */
  deliveries(): Promise<SandboxObject[]>;
  /**
   * The last calls of the interface, newest last, refused ones included: what came in and what was answered. Tokens,
   * secrets and card numbers are masked.
   *
   * ```ts
   * const [refused] = await sandbox.requests({ operation: "createPayout", status: "4xx", limit: 1 });
   * console.log(refused?.requestBody, refused?.responseBody);
   * ```
   */
  requests(filter?: {
    readonly operation?: OperationId;
    /** `404`, or `"4xx"`. */
    readonly status?: number | string;
    /** Takes the newest of those that are selected. */
    readonly limit?: number;
  }): Promise<LoggedRequest[]>;
  /** The ledger: `{balanced, accounts, entries}`. */
  ledger(): Promise<SandboxObject>;
  /**
   * Takes a snapshot: `{id, at}`.
   *
   * ```ts
   * const { id } = await sandbox.snapshot();
   * await sandbox.advance("P1Y");
   * await sandbox.restore(id); // a year younger
   * ```
   */
  snapshot(): Promise<SandboxObject>;
  /** Restores a snapshot. */
  restore(snapshotId: string): Promise<SandboxObject>;
  /**
   * Copies this world into a new one with its own credentials. Its new ids come from a seed of its own; with the seed
   * of this world they are those that this world would draw.
   *
   * ```ts
   * const { companies } = await sandbox.fork();
   * const headers = { authorization: `Bearer ${companies[0].token}` };
   * ```
   */
  fork(options?: { readonly seed?: number }): Promise<SandboxObject>;
  /** All requests and calls so far, as a scenario file. */
  recording(): Promise<string>;
  /** The SHA-256 of the journal: the same seed and the same inputs give the same digest. */
  digest(): string;
  /** Restores the exact initial state. */
  reset(): Promise<SandboxObject>;
  /**
   * Opens a real port; default: a free one.
   *
   * ```ts
   * const { url } = await sandbox.listen(); // http://127.0.0.1:49152
   * ```
   */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Closes the sandbox and its ports, as `await using` does at the end of its block. */
  close(): Promise<void>;
}

/** An object of the interface or of the sandbox's own API, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is in it depends on the request, as with Response.json()
export type SandboxObject = Record<string, any>;
