import type { ListedWorld, RunningServer } from "../../../simulator/worlds/servers.ts";
import { assertDefined } from "../../../simulator/engine/assertion.ts";
import { deleteBelongings } from "./world-rows.ts";
import type { DatabaseOptions } from "./connection.ts";
import { Database } from "./database.ts";
import { loadWorld } from "./load-world.ts";
import { NEWEST_VERSION } from "./schema.ts";

/** A server of a sandbox, as the database knows it. */
export interface ServerRow extends RunningServer {
  readonly isStopping: boolean;
}

/** The news that a server reads about the other servers, and about the worlds that no server has loaded. */
export interface ClusterState {
  readonly servers: readonly ServerRow[];
  /**
   * The due time of the next timer in worlds that no server has loaded, by the database's time. Null if no timer is
   * armed.
   */
  readonly nextDue: number | null;
  /** True if a newer version has migrated the tables. Then worlds may contain data that this version does not know. */
  readonly isOutdated: boolean;
}

/** A world that this server has just claimed. */
export interface ClaimedWorld {
  readonly id: string;
  readonly epoch: number;
  readonly head: number;
  /** True if the previous owner did not release it. */
  readonly isTakeover: boolean;
}

/**
 * The worlds of a sandbox in PostgreSQL, and the servers that run them. A server has a lease, which it renews by the
 * database's clock alone. A server whose lease has run out is deleted by any other server. The same statement takes
 * all its worlds from it. A world has one owner and an epoch. Every claim raises the epoch.
 */
export class PostgresStorage {
  readonly database: Database;
  readonly server: string;
  readonly #leaseMs: number;
  readonly #version: string;
  /** A secret that only servers with access to the database know. */
  readonly secret: string;
  /** The time when this server joined, in the form of the database. Undefined before that. */
  #addedAt: string | undefined;

  private constructor(
    database: Database,
    { server, leaseMs, version, secret }: StorageIdentity & { readonly secret: string },
  ) {
    this.database = database;
    this.server = server;
    this.#leaseMs = leaseMs;
    this.#version = version;
    this.secret = secret;
  }

  /** Opens the database, makes or migrates its tables, and adds this server to its servers. */
  static async open(options: DatabaseOptions, identity: StorageIdentity): Promise<PostgresStorage> {
    const database = await Database.open(options);
    const { rows } = await database.query<{ secret: string }>(
      "secret",
      `SELECT secret FROM ${database.schema}.sandbox`,
    );
    const secret = assertDefined(rows[0], "the row of the sandbox").secret;
    return new PostgresStorage(database, { ...identity, secret });
  }

  /**
   * Renews the lease, and adds this server to the servers if it is not among them: then every world of it may belong to
   * others. Returns the time of the database in milliseconds, and whether the server was added.
   */
  async renew({ url, worlds, isStopping }: Pick<ServerRow, "url" | "worlds" | "isStopping">): Promise<{
    readonly now: number;
    readonly isAdded: boolean;
  }> {
    const { rows } = await this.database.urgent<{ now: number; startedAt: string }>(
      "renew",
      `INSERT INTO ${this.#schema}.servers
          (id, url, version, worlds, is_stopping, started_at, seen_at, lease_until)
          VALUES ($1, $2, $3, $4, $5, now(), now(), now() + $6::float8 * interval '1 millisecond')
          ON CONFLICT (id) DO UPDATE SET url = excluded.url, worlds = excluded.worlds,
          is_stopping = excluded.is_stopping, seen_at = now(), lease_until = excluded.lease_until
          RETURNING extract(epoch FROM now())::float8 * 1000 AS now, started_at::text AS "startedAt"`,
      [this.server, url, this.#version, worlds, isStopping, this.#leaseMs],
    );
    const { now, startedAt } = assertDefined(rows[0], "the row of the server");
    const isAdded = startedAt !== this.#addedAt;
    this.#addedAt = startedAt;
    return { now, isAdded };
  }

  /**
   * Reads the other servers, and the due time of the next unloaded world. `running` has the loaded worlds of this
   * server.
   */
  async readCluster(running: readonly string[]): Promise<ClusterState> {
    const schema = this.#schema;
    const { rows } = await this.database.query<ServerRow & { nextDue: number | null; tables: number }>(
      "servers",
      `SELECT id, url, version, worlds, is_stopping AS "isStopping",
          started_at AS "startedAt", seen_at AS "seenAt",
          extract(epoch FROM least(
            (SELECT min(next_due) FROM ${schema}.worlds WHERE owner IS NULL),
            (SELECT min(next_due) FROM ${schema}.worlds WHERE owner = $1 AND id <> ALL ($2::text[]))
          ))::float8 * 1000 AS "nextDue",
          (SELECT version FROM ${schema}.schema_version) AS tables
          FROM ${schema}.servers ORDER BY started_at, id`,
      [this.server, running],
    );
    return {
      nextDue: rows[0]?.nextDue ?? null,
      isOutdated: (rows[0]?.tables ?? 0) > NEWEST_VERSION,
      servers: rows.map(({ nextDue: _nextDue, tables: _tables, ...server }) => server),
    };
  }

  /** Deletes the servers with an expired lease. Then their worlds have no owner. */
  async removeExpired(): Promise<void> {
    await this.database.query(
      "remove expired",
      `DELETE FROM ${this.#schema}.servers WHERE lease_until < now() AND id <> $1`,
      [this.server],
    );
  }

  /** Removes this server. It must have released its worlds. */
  async unregister(): Promise<void> {
    await this.database.query("unregister", `DELETE FROM ${this.#schema}.servers WHERE id = $1`, [
      this.server,
    ]);
  }

  /** Claims a world that has no owner. Undefined if another server owns it, or if it does not exist. */
  async claim(id: string): Promise<ClaimedWorld | undefined> {
    const { rows } = await this.database.query<ClaimedWorld>(
      "claim",
      `UPDATE ${this.#schema}.worlds SET owner = $2, epoch = epoch + 1, was_released = false
          WHERE id = $1 AND (owner IS NULL OR owner = $2)
          RETURNING id, epoch, head,
          (SELECT owner IS NULL AND NOT was_released FROM ${this.#schema}.worlds WHERE id = $1) AS "isTakeover"`,
      [id, this.server],
    );
    return rows[0];
  }

  /**
   * Claims up to `countMax` worlds that have due timers and that no server has loaded. These are the worlds without
   * an owner, and the worlds that this server owns in the database and has not loaded. The latter remain after a
   * claim whose reply was lost.
   */
  async claimDue(countMax: number, running: readonly string[]): Promise<ClaimedWorld[]> {
    const { rows } = await this.database.query<ClaimedWorld>(
      "claim due",
      `WITH due AS (
          SELECT id, owner IS NULL AND NOT was_released AS is_takeover FROM ${this.#schema}.worlds
          WHERE (owner IS NULL AND next_due <= now() OR owner = $1 AND next_due <= now())
          AND id <> ALL ($3::text[])
          ORDER BY next_due LIMIT $2 FOR UPDATE SKIP LOCKED)
          UPDATE ${this.#schema}.worlds AS world SET owner = $1, epoch = epoch + 1, was_released = false
          FROM due WHERE world.id = due.id
          RETURNING world.id, world.epoch, world.head, due.is_takeover AS "isTakeover"`,
      [this.server, countMax, running],
    );
    return rows;
  }

  /** Returns the owner of a world. Undefined if the world does not exist. */
  async owner(id: string): Promise<Pick<ListedWorld & RunningServer, "server" | "url"> | undefined> {
    const { rows } = await this.database.query<Pick<ListedWorld & RunningServer, "server" | "url">>(
      "owner",
      `SELECT server.id AS server, server.url FROM ${this.#schema}.worlds AS world
          LEFT JOIN ${this.#schema}.servers AS server ON server.id = world.owner WHERE world.id = $1`,
      [id],
    );
    return rows[0];
  }

  /** Releases a world that this server has claimed and not loaded. */
  async unclaim({ id, epoch }: Pick<ClaimedWorld, "id" | "epoch">): Promise<void> {
    await this.database.query(
      "unclaim",
      `UPDATE ${this.#schema}.worlds SET owner = NULL WHERE id = $1 AND owner = $2 AND epoch = $3`,
      [id, this.server, epoch],
    );
  }

  /** Reads a world that this server has claimed. */
  load({ id, epoch, head }: ClaimedWorld) {
    return loadWorld(this.database, { id, server: this.server, epoch }, head);
  }

  /** Returns every world, in the order of their making. */
  async list(): Promise<ListedWorld[]> {
    const { rows } = await this.database.query<
      Pick<ListedWorld, "id" | "name" | "server"> & { summary: string }
    >(
      "list",
      `SELECT id, name, card AS summary, owner AS server FROM ${this.#schema}.worlds ORDER BY made_at, id`,
    );
    return rows.map(({ summary, ...world }) => ({
      ...world,
      ...(JSON.parse(summary) as Pick<ListedWorld, "seed" | "clock" | "companies">),
    }));
  }

  async count(): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      "count",
      `SELECT count(*) FROM ${this.#schema}.worlds`,
    );
    return rows[0]?.count ?? 0;
  }

  /** Returns the number of a new world. Each number is used only once. */
  async nextNumber(): Promise<number> {
    const { rows } = await this.database.query<{ made: number }>(
      "next number",
      `UPDATE ${this.#schema}.sandbox SET made = made + 1 RETURNING made`,
    );
    return assertDefined(rows[0], "the row of the sandbox").made;
  }

  /** Drops the worlds without an owner that were not used for that long, except the one with the id `kept`. */
  async dropUnused(idleMs: number, kept: string): Promise<void> {
    const schema = this.#schema;
    await this.database.query(
      "drop unused",
      `WITH gone AS (
          DELETE FROM ${schema}.worlds WHERE owner IS NULL AND id <> $2
          AND used_at < now() - $1::float8 * interval '1 millisecond' RETURNING id),
          ${deleteBelongings(schema)}`,
      [idleMs, kept],
    );
  }

  /** Returns the posted scenarios, by name. */
  async scenarios(): Promise<Map<string, string>> {
    const { rows } = await this.database.query<{ name: string; body: string }>(
      "scenarios",
      `SELECT name, body FROM ${this.#schema}.scenarios ORDER BY posted_at, name`,
    );
    return new Map(rows.map(({ name, body }) => [name, body]));
  }

  async keepScenario(name: string, body: string): Promise<void> {
    await this.database.query(
      "keep scenario",
      `INSERT INTO ${this.#schema}.scenarios VALUES ($1, $2, now())
          ON CONFLICT (name) DO UPDATE SET body = $2`,
      [name, body],
    );
  }

  get #schema(): string {
    return this.database.schema;
  }
}

/** This server among those of the sandbox. */
interface StorageIdentity {
  readonly server: string;
  readonly leaseMs: number;
  readonly version: string;
}
