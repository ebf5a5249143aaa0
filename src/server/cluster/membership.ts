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
  /** Called when the other servers and the due worlds were read. */
  readonly read: (found: ClusterState) => void;
  /** Called when another server has removed this server. It then owns no world. */
  readonly removed: () => void;
}

/**
 * A smaller difference to the database's clock is ignored, because a world's time must not jump to and fro. The half of a
 * round trip is added, because the time of a slow answer is uncertain by that much.
 */
const DIFFERENCE_MIN_MS = 500;

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
  #renewing: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The time of the database when `performance.now()` was 0. The clock of this machine may be set at any moment. */
  #databaseOrigin: number | undefined;
  #isClosed = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Returns the wall time of the database, which is equal for all servers. */
  readonly wallNow = (): number =>
    this.#databaseOrigin === undefined ? Date.now() : Math.floor(this.#databaseOrigin + performance.now());

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
    // A running renewal may store the former URL.
    await this.#renewing?.catch(() => undefined);
    await this.heartbeat();
    this.#timer ??= setInterval(() => {
      void this.heartbeat().catch((error: Error) => this.#options.log.warn({}, error.message));
    }, this.#options.leaseMs / 3).unref();
  }

  /** Leaves the cluster. The server must have released its worlds. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.allSettled([this.#renewing, this.#reading]);
    await this.#options.storage.unregister().catch(() => undefined);
  }

  /** Renews the lease if it has run out. Rejects if the database is away. */
  async ensureLease(): Promise<void> {
    if (!this.isLeased) await this.renew();
  }

  /** Renews the lease. This is one statement, so a slow database does not make it late. */
  renew(): Promise<void> {
    this.#renewing ??= this.#extendLease().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Renews the lease, then reads which other servers there are. */
  async heartbeat(): Promise<void> {
    await this.renew();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
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

  async #read(): Promise<void> {
    if (this.#isClosed) return;
    const { storage, running, read } = this.#options;
    await storage.removeExpired();
    const found = await storage.readCluster(running());
    this.servers = found.servers;
    const alive = new Set(found.servers.map(({ id }) => id));
    for (const [server, controllers] of this.#passing) {
      if (alive.has(server)) continue;
      for (const controller of controllers) controller.abort(new Error(`the server ${server} is gone`));
    }
    read(found);
  }

  async #extendLease(): Promise<void> {
    if (this.#isClosed) return;
    const { state, leaseMs, storage } = this.#options;
    const sentAt = performance.now();
    const { now, isAdded } = await storage.renew({ url: this.#url, ...state() });
    if (isAdded) this.#added();
    this.#leasedUntil = sentAt + leaseMs;
    this.#compareClocks(now, sentAt);
  }

  /** Corrects the time of the worlds if it certainly differs from the database's time. */
  #compareClocks(databaseNow: number, sentAt: number): void {
    const uncertaintyMs = (performance.now() - sentAt) / 2;
    const origin = databaseNow - sentAt - uncertaintyMs;
    const differenceMs = Math.abs(origin - (this.#databaseOrigin ?? Infinity));
    if (differenceMs > DIFFERENCE_MIN_MS + uncertaintyMs) this.#databaseOrigin = origin;
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
}
