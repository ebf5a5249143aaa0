import type { PostgresStorage, ServerRow, ClusterState } from "./postgres/postgres-storage.ts";
import type { Log } from "../../base/log.ts";

interface MembershipOptions {
  readonly storage: PostgresStorage;
  readonly log: Log;
  readonly leaseMs: number;
  /** The state of this server for the other servers, without its URL. */
  readonly state: () => Pick<ServerRow, "worlds" | "isStopping">;
  /** The worlds that this server runs, or is about to. */
  readonly running: () => readonly string[];
  /** Called when the lease was renewed. */
  readonly renewed: (found: ClusterState) => void;
  /** Called when another server has removed this server. It then owns no world. */
  readonly removed: () => void;
}

/** A smaller difference of this machine's clock is ignored: a world's time must not jump to and fro. */
const SKEW_MIN_MS = 500;

/** This server as a member of the cluster: its lease, its renewals, and the other servers. */
export class Membership {
  readonly #options: MembershipOptions;
  servers: readonly ServerRow[] = [];
  /** The requests that are passed on to each server at the moment. */
  readonly #passing = new Map<string, Set<AbortController>>();
  #url: string | null = null;
  /**
   * The number of times that this server joined. Earlier answers of the database are outdated, because other servers
   * may have taken over its worlds and changed them since then.
   */
  joins = 0;
  /** The end of the lease, by the clock of this process. Until then no other server can take over a world. */
  #leasedUntil = -Infinity;
  #heartbeating: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #skewMs = 0;
  #isClosed = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Returns the wall time of the database, which is equal for all servers. */
  readonly wallNow = (): number => Date.now() + this.#skewMs;

  /** The servers that take what this one does not. */
  get others(): readonly ServerRow[] {
    const { server } = this.#options.storage;
    return this.servers.filter(({ id, url, isStopping }) => id !== server && url !== null && !isStopping);
  }

  get isLeased(): boolean {
    return performance.now() < this.#leasedUntil;
  }

  /** Joins the others, who reach this server at `url`. */
  async join(url: string | null): Promise<void> {
    this.#url = url;
    // A running heartbeat may store the former URL.
    await this.#heartbeating?.catch(() => undefined);
    await this.heartbeat();
    if (this.#timer === undefined) this.#schedule();
  }

  /** Leaves the cluster. The server must have released its worlds. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#heartbeating?.catch(() => undefined);
    await this.#options.storage.unregister().catch(() => undefined);
  }

  /** Renews the lease if it has run out. Rejects if the database is away. */
  async ensureLease(): Promise<void> {
    if (!this.isLeased) await this.heartbeat();
  }

  /** Renews the lease, and reads which other servers there are. */
  heartbeat(): Promise<void> {
    this.#heartbeating ??= this.#renew().finally(() => {
      this.#heartbeating = undefined;
    });
    return this.#heartbeating;
  }

  /** Aborts a forwarded request when its server is removed, until the function it returns is called. */
  watch(server: string, controller: AbortController): () => void {
    const all = this.#passing.get(server) ?? new Set();
    this.#passing.set(server, all.add(controller));
    return () => {
      all.delete(controller);
      if (all.size === 0 && this.#passing.get(server) === all) this.#passing.delete(server);
    };
  }

  async #renew(): Promise<void> {
    if (this.#isClosed) return;
    const { storage, running, renewed } = this.#options;
    await this.#extendLease();
    await storage.removeExpired();
    const found = await storage.readCluster(running());
    this.servers = found.servers;
    const alive = new Set(found.servers.map(({ id }) => id));
    for (const [server, controllers] of this.#passing) {
      if (alive.has(server)) continue;
      for (const controller of controllers) controller.abort(new Error(`the server ${server} is gone`));
    }
    renewed(found);
  }

  async #extendLease(): Promise<void> {
    const { state, leaseMs, storage } = this.#options;
    const sentAt = performance.now();
    const sentWall = Date.now();
    const { now, isAdded } = await storage.renew({ url: this.#url, ...state() });
    if (isAdded) this.#added();
    this.#leasedUntil = sentAt + leaseMs;
    const skewMs = now - (sentWall + Date.now()) / 2;
    if (Math.abs(skewMs - this.#skewMs) > SKEW_MIN_MS) this.#skewMs = skewMs;
  }

  #added(): void {
    const { storage, log, removed } = this.#options;
    if (this.joins++ === 0) return;
    log.warn(
      { server: storage.server },
      "This server did not renew its lease in time. Its worlds are loaded again when they are needed.",
    );
    removed();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.heartbeat()
        .catch((error: Error) => this.#options.log.warn({}, error.message))
        .finally(() => {
          if (!this.#isClosed) this.#schedule();
        });
    }, this.#options.leaseMs / 3).unref();
  }
}
