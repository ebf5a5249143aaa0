/** A sandbox in this process: the same engine, the same interface, no port unless one is asked for. */
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
   * Does what someone outside would do; gives the object as it then is. Rejects with the refusal's sentence.
   *
   * ```ts
   * const { status } = await sandbox.act("subscription.accept", { id }); // "ACCEPTED"
   * await sandbox.act("account.deposit", { id: accountId, amount: "10.00" });
   * ```
   */
  act(act: string, input?: Readonly<Record<string, unknown>>): Promise<SandboxObject>;
  /**
   * Moves time on: a duration, or where to. Everything due on the way happens at its own time, webhooks included.
   * Gives what happened, in order.
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
   * Says what the outside will answer to the next steps, of one object or of all.
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
   * Arms a fault; gives it with its id. Rejects with the sentence that says what is wrong with it.
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
  /** The books: `{balanced, accounts, entries}`. */
  ledger(): Promise<SandboxObject>;
  /**
   * Takes a snapshot to go back to: `{id, at}`.
   *
   * ```ts
   * const { id } = await sandbox.snapshot();
   * await sandbox.advance("P1Y");
   * await sandbox.restore(id); // a year younger
   * ```
   */
  snapshot(): Promise<SandboxObject>;
  /** Goes back to a snapshot. */
  restore(snapshotId: string): Promise<SandboxObject>;
  /**
   * A new world that goes on from this one, with credentials of its own.
   *
   * ```ts
   * const { companies } = await sandbox.fork();
   * const headers = { authorization: `Bearer ${companies[0].token}` };
   * ```
   */
  fork(): Promise<SandboxObject>;
  /** What reached this sandbox so far, as a scenario file. */
  recording(): Promise<string>;
  /** The SHA-256 of the journal: the same seed and the same inputs give the same digest. */
  digest(): string;
  /** Gives back exactly what the start gave. */
  reset(): Promise<SandboxObject>;
  /**
   * Opens a real port, a free one unless given.
   *
   * ```ts
   * const { url } = await sandbox.listen(); // http://127.0.0.1:49152
   * ```
   */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Ends it, ports and all; what `await using` does at the end of its block. */
  close(): Promise<void>;
}

/** An object of the interface or of the sandbox's own API, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is in it depends on the request, as with Response.json()
export type SandboxObject = Record<string, any>;
