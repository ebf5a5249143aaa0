import type { JournalNote } from "../../engine/journal.ts";
import type { SimulationImage } from "../../engine/simulation.ts";
import type { DatabaseOptions } from "./database.ts";
import type { SavedWorld, WorldNews } from "../../worlds/saved-world.ts";
import type { OpenedAttempt } from "../../webhooks/opened-attempt.ts";
import type { NumberRun } from "./world-image.ts";
import type { Place } from "./world-rows.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { Coverage } from "../../worlds/coverage.ts";
import { deleteBelongings } from "./world-rows.ts";
import { Database } from "./database.ts";
import { MIGRATIONS } from "./schema.ts";
import { StoredEvents } from "./history.ts";
import { unpackObservations, unpackWorld, withNumber } from "./world-image.ts";
import { WorldFold } from "../world-fold.ts";

/** A server of a sandbox, as the database knows it. */
export interface ServerRow {
  readonly id: string;
  /** Where other servers reach it; null while it listens nowhere. */
  readonly url: string | null;
  readonly version: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly worlds: number;
  readonly isStopping: boolean;
}

/** A world as lists show it. */
export interface WorldRow {
  readonly id: string;
  readonly name: string;
  /** What the server that ran it last made of it: JSON. */
  readonly card: string;
  /** The server that has it; null while it is asleep. */
  readonly server: string | null;
}

/** What a heartbeat finds out. */
export interface Heartbeat {
  /** False where another server has declared this one dead: every world of it may belong to others. */
  readonly isAlive: boolean;
  /** The time of the database in milliseconds. */
  readonly now: number;
  readonly servers: readonly ServerRow[];
  /** When the next sleeping world is due, by the database's time; null where none is. */
  readonly nextDue: number | null;
  /** Whether a newer version has migrated the tables: worlds may contain what this one does not know. */
  readonly isOutdated: boolean;
}

/** A world that this server has from now on. */
export interface ClaimedWorld {
  readonly id: string;
  readonly epoch: number;
  readonly head: number;
  /** Whether the server before did not give it back. */
  readonly isTakeover: boolean;
}

/** Who has a world. */
export interface Owner {
  readonly server: string | null;
  readonly url: string | null;
}

/** A part of a world, whose columns depend on what it is. */
interface LoadedRow {
  kind: "image" | "observations" | "chunk" | "entry";
  number: string;
  /** The index of a chunk, and the body of an entry. */
  text: string | null;
  body: Buffer | null;
}

interface ClaimRow {
  id: string;
  epoch: string;
  head: string;
  is_takeover: boolean;
}

/**
 * The worlds of a sandbox in PostgreSQL, and the servers that run them. A server has a lease, which it renews by the
 * database's clock alone; one whose lease has run out is deleted by any other, and with that loses all its worlds in
 * the same statement. A world has one owner and an epoch, which every claim raises.
 */
export class PostgresStorage {
  readonly database: Database;
  readonly server: string;
  readonly #leaseMs: number;
  readonly #version: string;
  /** Known to every server, and to nobody who cannot read the database. */
  readonly secret: string;

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
      `SELECT secret FROM ${database.schema}.sandbox`,
    );
    const secret = assertDefined(rows[0], "the row of the sandbox").secret;
    return new PostgresStorage(database, { ...identity, secret });
  }

  /** Adds this server, or continues it; `url` is where other servers reach it. */
  async register(url: string | null): Promise<void> {
    await this.database.query(
      {
        name: "register",
        text: `INSERT INTO ${this.#schema}.servers (id, url, version, started_at, seen_at, lease_until)
          VALUES ($1, $2, $3, now(), now(), now() + $4::float8 * interval '1 millisecond')
          ON CONFLICT (id) DO UPDATE SET url = $2, seen_at = now(), lease_until = excluded.lease_until`,
      },
      [this.server, url, this.#version, this.#leaseMs],
    );
  }

  /** Renews the lease, deletes the servers whose lease has run out, and looks around. */
  async heartbeat({ worlds, isStopping }: { worlds: number; isStopping: boolean }): Promise<Heartbeat> {
    const schema = this.#schema;
    const renewed = await this.database.query<{ now: number }>(
      {
        name: "renew",
        isUrgent: true,
        text: `UPDATE ${schema}.servers SET seen_at = now(), worlds = $3, is_stopping = $4,
          lease_until = now() + $2::float8 * interval '1 millisecond'
          WHERE id = $1 RETURNING extract(epoch FROM now())::float8 * 1000 AS now`,
      },
      [this.server, this.#leaseMs, worlds, isStopping],
    );
    await this.expelDead();
    const { rows } = await this.database.query<ServerRow & { nextDue: number | null; tables: number }>({
      name: "servers",
      isUrgent: true,
      text: `SELECT id, url, version, worlds, is_stopping AS "isStopping",
        started_at AS "startedAt", seen_at AS "seenAt", (
        SELECT extract(epoch FROM min(next_due))::float8 * 1000 FROM ${schema}.worlds WHERE owner IS NULL) AS "nextDue",
        (SELECT version FROM ${schema}.schema_version) AS tables
        FROM ${schema}.servers ORDER BY started_at, id`,
    });
    return {
      isAlive: renewed.rowCount === 1,
      now: renewed.rows[0]?.now ?? 0,
      nextDue: rows[0]?.nextDue ?? null,
      isOutdated: (rows[0]?.tables ?? 0) > MIGRATIONS.length,
      servers: rows.map(({ nextDue: _nextDue, tables: _tables, ...server }) => server),
    };
  }

  /** Deletes the servers whose lease has run out: their worlds have no owner from then on. */
  async expelDead(): Promise<void> {
    await this.database.query(
      {
        name: "expel",
        isUrgent: true,
        text: `DELETE FROM ${this.#schema}.servers WHERE lease_until < now() AND id <> $1`,
      },
      [this.server],
    );
  }

  /** Removes this server; it must have given back its worlds. */
  async unregister(): Promise<void> {
    await this.database.query(
      { name: "unregister", text: `DELETE FROM ${this.#schema}.servers WHERE id = $1` },
      [this.server],
    );
  }

  /** Takes a world that has no owner; undefined where another server has it, or there is none. */
  async claim(id: string): Promise<ClaimedWorld | undefined> {
    const { rows } = await this.database.query<ClaimRow>(
      {
        name: "claim",
        text: `UPDATE ${this.#schema}.worlds SET owner = $2, epoch = epoch + 1, was_released = false
          WHERE id = $1 AND (owner IS NULL OR owner = $2)
          RETURNING id, epoch, head, NOT (SELECT was_released FROM ${this.#schema}.worlds WHERE id = $1) AS is_takeover`,
      },
      [id, this.server],
    );
    return rows.map(claimedOf)[0];
  }

  /** Takes up to `countMax` worlds without an owner in which something is due. */
  async claimDue(countMax: number): Promise<ClaimedWorld[]> {
    const { rows } = await this.database.query<ClaimRow>(
      {
        name: "claim due",
        text: `WITH due AS (
          SELECT id, was_released FROM ${this.#schema}.worlds WHERE owner IS NULL AND next_due <= now()
          ORDER BY next_due LIMIT $2 FOR UPDATE SKIP LOCKED)
          UPDATE ${this.#schema}.worlds AS world SET owner = $1, epoch = epoch + 1, was_released = false
          FROM due WHERE world.id = due.id
          RETURNING world.id, world.epoch, world.head, NOT due.was_released AS is_takeover`,
      },
      [this.server, countMax],
    );
    return rows.map(claimedOf);
  }

  /** Who has a world; undefined where there is no such world. */
  async owner(id: string): Promise<Owner | undefined> {
    const { rows } = await this.database.query<{ server: string | null; url: string | null }>(
      {
        name: "owner",
        text: `SELECT server.id AS server, server.url FROM ${this.#schema}.worlds AS world
          LEFT JOIN ${this.#schema}.servers AS server ON server.id = world.owner WHERE world.id = $1`,
      },
      [id],
    );
    return rows[0];
  }

  /** Gives back a world that this server has not loaded as it is stored. */
  async unclaim({ id, epoch }: Pick<ClaimedWorld, "id" | "epoch">): Promise<void> {
    await this.database.query(
      {
        name: "unclaim",
        text: `UPDATE ${this.#schema}.worlds SET owner = NULL WHERE id = $1 AND owner = $2 AND epoch = $3`,
      },
      [id, this.server, epoch],
    );
  }

  /** Reads a world that this server has claimed. */
  async load({
    id,
    epoch,
    head,
  }: ClaimedWorld): Promise<{ readonly saved: SavedWorld; readonly place: Place }> {
    const schema = this.#schema;
    // One round trip: a world that wakes is waited for.
    const { rows } = await this.database.query<LoadedRow>(
      {
        name: "load",
        text: `SELECT 'image' AS kind, number, NULL AS text, body FROM (
            SELECT number, body FROM ${schema}.snapshots WHERE world = $1 ORDER BY number DESC LIMIT 1) AS newest
          UNION ALL SELECT 'observations', number, NULL, body FROM ${schema}.observations WHERE world = $1
          UNION ALL SELECT 'chunk', first, index, body FROM ${schema}.history WHERE world = $1
          UNION ALL SELECT 'entry', number, body, NULL FROM ${schema}.entries WHERE world = $1`,
      },
      [id],
    );
    const of = (kind: LoadedRow["kind"]): LoadedRow[] => rows.filter((row) => row.kind === kind);
    const stored = new StoredEvents(id, {
      chunks: of("chunk").map(({ text, body }) => ({ index: text!, body: body! })),
      rows: of("entry").map(({ number, text }) => ({ number: Number(number), body: text! })),
    });
    const [newest] = of("image");
    const unpacked =
      newest && (await unpackWorld(id, newest.body!, (row, number) => stored.entry(row, number)));
    const image = { number: Number(newest?.number ?? 0), records: unpacked?.records ?? 0 };
    const [row] = of("observations");
    const observations = row && (await unpackObservations(Number(row.number), row.body!));
    let coverage = new Coverage(observations?.coverage);
    let notes = observations?.notes ?? [];
    const notesOf = new Map(observations?.ofSnapshots);
    const fold = new WorldFold({ made: 0, worlds: unpacked ? [unpacked.saved] : [] });
    let journal: readonly NumberRun[] = unpacked?.rows.journal ?? [];
    const snapshots = new Map(unpacked?.rows.snapshots);
    for (let number = image.number + 1; number <= head; number++) {
      const event = JSON.parse(stored.text(number)) as WorldNews;
      fold.take({ ...event, world: id });
      // What happened after the last observations is counted again; what was only read then is forgotten.
      if (number > (observations?.number ?? 0)) {
        if (event.kind === "committed") coverage.entered(event.entry);
        if (event.kind === "begun") [coverage, notes] = [new Coverage(), []];
        if (event.kind === "snapshot") notesOf.set(event.snapshot, notes);
        if (event.kind === "restored") notes = notesOf.get(event.snapshot) ?? [];
      }
      if (event.kind === "committed") journal = withNumber(journal, number);
      if (event.kind === "begun") journal = [];
      if (event.kind === "snapshot") snapshots.set(event.snapshot, journal);
      if (event.kind === "snapshot-removed") snapshots.delete(event.snapshot);
      if (event.kind === "restored") journal = snapshots.get(event.snapshot) ?? [];
    }
    const folded = assertDefined(fold.saved().worlds[0], `the world ${id}`);
    const noted = (one: SimulationImage, all: readonly JournalNote[]): SimulationImage => ({
      ...one,
      journal: { ...one.journal, notes: all },
    });
    const saved: SavedWorld = {
      ...folded,
      image: noted(folded.image, notes),
      opened: folded.opened?.map((one) => landedAs(one, observations?.landed ?? [])) ?? [],
      snapshots: new Map(
        Array.from(folded.snapshots, ([name, one]) => [name, noted(one, notesOf.get(name) ?? [])]),
      ),
      coverage: coverage.counts(),
    };
    return { saved, place: { id, server: this.server, epoch, head, image, journal, snapshots } };
  }

  /** Every world, in the order in which they were made. */
  async list(): Promise<WorldRow[]> {
    const { rows } = await this.database.query<WorldRow>({
      name: "list",
      text: `SELECT id, name, card, owner AS server FROM ${this.#schema}.worlds ORDER BY made_at, id`,
    });
    return rows;
  }

  async count(): Promise<number> {
    const { rows } = await this.database.query<{ count: string }>({
      name: "count",
      text: `SELECT count(*) FROM ${this.#schema}.worlds`,
    });
    return Number(rows[0]?.count ?? 0);
  }

  /** The number of a new world; no two worlds ever have the same. */
  async nextNumber(): Promise<number> {
    const { rows } = await this.database.query<{ made: string }>({
      name: "next number",
      text: `UPDATE ${this.#schema}.sandbox SET made = made + 1 RETURNING made`,
    });
    return Number(assertDefined(rows[0], "the row of the sandbox").made);
  }

  /** Drops the sleeping worlds that were not used for that long, except the one with the id `kept`. */
  async dropUnused(idleMs: number, kept: string): Promise<void> {
    const schema = this.#schema;
    await this.database.query(
      {
        name: "drop unused",
        text: `WITH gone AS (
          DELETE FROM ${schema}.worlds WHERE owner IS NULL AND id <> $2
          AND used_at < now() - $1::float8 * interval '1 millisecond' RETURNING id),
          ${deleteBelongings(schema)}`,
      },
      [idleMs, kept],
    );
  }

  /** The scenarios that were posted, by name. */
  async scenarios(): Promise<Map<string, string>> {
    const { rows } = await this.database.query<{ name: string; body: string }>({
      name: "scenarios",
      text: `SELECT name, body FROM ${this.#schema}.scenarios ORDER BY posted_at, name`,
    });
    return new Map(rows.map(({ name, body }) => [name, body]));
  }

  async keepScenario(name: string, body: string): Promise<void> {
    await this.database.query(
      {
        name: "keep scenario",
        text: `INSERT INTO ${this.#schema}.scenarios VALUES ($1, $2, now())
          ON CONFLICT (name) DO UPDATE SET body = $2`,
      },
      [name, body],
    );
  }

  get #schema(): string {
    return this.database.schema;
  }
}

/** This server among those of the sandbox. */
export interface StorageIdentity {
  readonly server: string;
  readonly leaseMs: number;
  readonly version: string;
}

function claimedOf({ id, epoch, head, is_takeover: isTakeover }: ClaimRow): ClaimedWorld {
  return { id, epoch: Number(epoch), head: Number(head), isTakeover };
}

/** An opened attempt with its outcome, where that is known. */
function landedAs(opened: OpenedAttempt, landed: readonly OpenedAttempt[]): OpenedAttempt {
  const { deliveryId, number } = opened.order;
  return landed.find(({ order }) => order.deliveryId === deliveryId && order.number === number) ?? opened;
}
