import type { Database } from "./database.ts";
import type { JournalRows } from "./world-image.ts";
import type { NumberRun } from "../../storage/packed-worlds.ts";
import type { WorldFold } from "../../storage/world-fold.ts";
import type { Ownership, Chunk } from "./history.ts";

/**
 * The columns of a world's row, without its owner. The column `card` is the summary. Values are JSON, and null keeps
 * the stored value.
 */
interface WorldColumns {
  /** The number of its last event. */
  readonly head: number;
  /** The due time of its next timer, in milliseconds. Null if no timer is armed. */
  readonly nextDueAt: number | null;
  readonly settings: string | null;
  readonly summary: string | null;
  readonly name: string | null;
}

function valuesOf({ id, server, epoch }: Ownership, columns: WorldColumns): unknown[] {
  const { head, nextDueAt, settings, summary, name } = columns;
  return [id, server, epoch, head, nextDueAt, settings, summary, name];
}

/**
 * Returns the statement that inserts a world. The columns after the owner and the head are the parameters from `at`
 * on.
 */
function insertWorld(schema: string, at = 5): string {
  return `INSERT INTO ${schema}.worlds (id, owner, epoch, head, next_due, settings, card, name, used_at, made_at)
    VALUES ($1::text, $2::text, $3::bigint, $4::bigint, to_timestamp($${at}::float8 / 1000), $${at + 1}::text,
    $${at + 2}::text, $${at + 3}::text, now(), now())`;
}

/**
 * Appends events to a world. The last event has the number `head`. Returns the number of new rows. Null if the world
 * was lost.
 */
export async function insertEvents(
  database: Database,
  owner: Ownership,
  columns: WorldColumns,
  { bodies, isNew }: { readonly bodies: readonly string[]; readonly isNew: boolean },
): Promise<number | null> {
  const { schema } = database;
  const owned = isNew
    ? `${insertWorld(schema)} ON CONFLICT DO NOTHING`
    : `UPDATE ${schema}.worlds SET head = $4::bigint, next_due = to_timestamp($5::float8 / 1000),
      settings = coalesce($6::text, settings), card = coalesce($7::text, card), name = coalesce($8::text, name)
      WHERE id = $1::text AND owner = $2::text AND epoch = $3::bigint AND head = $4::bigint - $9::bigint`;
  const { rowCount } = await database.send(
    isNew ? "make" : "write",
    `WITH owned AS (${owned} RETURNING id)
      INSERT INTO ${schema}.entries (world, number, epoch, body)
      SELECT owned.id, $4::bigint - $9::bigint + line.number, $3::bigint, line.body
      FROM owned, unnest(string_to_array($10::text, E'\\n')) WITH ORDINALITY AS line(body, number)`,
    [...valuesOf(owner, columns), bodies.length, bodies.join("\n")],
  );
  return rowCount;
}

/** The state that was stored last. */
export interface StoredImage {
  /** The number of the last event that it contains. */
  readonly number: number;
  readonly records: number;
}

/** The position of a world's next row. */
export interface WorldPosition extends Ownership, JournalRows {
  /** The number of its last stored event. 0 for a world that is not stored yet. */
  readonly head: number;
  readonly image: StoredImage;
  /** The world as it is stored. */
  readonly fold: WorldFold;
}

/** The state of a world up to the row `head`, and the entries of its journal that are in no history yet. */
interface StoredState extends JournalRows {
  readonly head: number;
  readonly image: Buffer;
  readonly observations: Buffer;
  readonly history: readonly Chunk[];
}

/**
 * Stores the state of a world in place of an older state, and deletes the rows that it replaces. For a world that did
 * not begin empty, it makes the world with the given columns. Returns false if the server has lost the world.
 */
export async function storeState(
  database: Database,
  { id, server, epoch }: Ownership,
  { head, image, observations, history, journal, snapshots }: StoredState,
  made?: WorldColumns,
): Promise<boolean> {
  const { schema } = database;
  const needed = mergeRuns([...journal, ...[...snapshots.values()].flat()]);
  const owned =
    made === undefined
      ? `SELECT id FROM ${schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3 FOR UPDATE`
      : `${insertWorld(schema, 13)} RETURNING id`;
  const text = `WITH owned AS (${owned}),
        image AS (INSERT INTO ${schema}.snapshots (world, number, name, body)
          SELECT owned.id, $4::bigint, '', $6::bytea FROM owned ON CONFLICT DO NOTHING),
        older_images AS (DELETE FROM ${schema}.snapshots USING owned WHERE world = owned.id AND number < $4),
        chunks AS (INSERT INTO ${schema}.history (world, first, last, index, body)
          SELECT owned.id, chunk.* FROM owned,
          unnest($7::bigint[], $8::bigint[], $9::text[], $10::bytea[]) AS chunk ON CONFLICT DO NOTHING),
        older_chunks AS (DELETE FROM ${schema}.history AS chunk USING owned WHERE world = owned.id AND NOT EXISTS (
          SELECT 1 FROM unnest($11::bigint[], $12::bigint[]) AS run(first, last)
          WHERE chunk.first <= run.last AND chunk.last >= run.first)),
        older_entries AS (DELETE FROM ${schema}.entries USING owned WHERE world = owned.id AND number <= $4)
        ${keepObservations(schema)}`;
  const values = [
    id,
    server,
    epoch,
    head,
    observations,
    image,
    ...(["first", "last", "index", "body"] as const).map((column) => history.map((chunk) => chunk[column])),
    needed.map(([first]) => first),
    needed.map(([first, count]) => first + count - 1),
    ...(made === undefined ? [] : [made.nextDueAt, made.settings, made.summary, made.name]),
  ];
  // A world must not be made twice: that is not repeated if its connection is cut.
  const { rowCount } = await (made === undefined
    ? database.query("state", text, values)
    : database.send("whole", text, values));
  return rowCount === 1;
}

/** Releases a world. Returns false if the server has lost it. */
export async function releaseWorld(
  database: Database,
  { id, server, epoch }: Ownership,
  { head, nextDueAt, observations }: Pick<WorldColumns, "head" | "nextDueAt"> & { observations: Buffer },
): Promise<boolean> {
  const { schema } = database;
  const { rowCount } = await database.query(
    "release",
    `WITH owned AS (
        UPDATE ${schema}.worlds SET owner = NULL, was_released = true, used_at = now(),
        next_due = to_timestamp($6::float8 / 1000) WHERE id = $1 AND owner = $2 AND epoch = $3 RETURNING id)
        ${keepObservations(schema)}`,
    [id, server, epoch, head, observations, nextDueAt],
  );
  return rowCount === 1;
}

/** Inserts $5, the observations of a world up to the row $4, for the world in the query `owned`. */
function keepObservations(schema: string): string {
  return `INSERT INTO ${schema}.observations (world, number, body) SELECT owned.id, $4::bigint, $5::bytea FROM owned
    ON CONFLICT (world) DO UPDATE SET number = excluded.number, body = excluded.body`;
}

/** Deletes a world that the server still has. Returns false if another server has it. */
export async function deleteWorld(database: Database, { id, server, epoch }: Ownership): Promise<boolean> {
  const { schema } = database;
  await database.query(
    "drop",
    `WITH gone AS (
        DELETE FROM ${schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3 RETURNING id),
        ${deleteBelongings(schema)}`,
    [id, server, epoch],
  );
  // A repetition after a cut connection deletes nothing.
  const { rows } = await database.query("dropped", `SELECT FROM ${schema}.worlds WHERE id = $1`, [id]);
  return rows.length === 0;
}

/** Returns the statement that deletes the rows of the worlds in the query `gone`. */
export function deleteBelongings(schema: string): string {
  return `of_snapshots AS (DELETE FROM ${schema}.snapshots USING gone WHERE world = gone.id),
    of_observations AS (DELETE FROM ${schema}.observations USING gone WHERE world = gone.id),
    of_history AS (DELETE FROM ${schema}.history USING gone WHERE world = gone.id)
    DELETE FROM ${schema}.entries USING gone WHERE world = gone.id`;
}

/** Returns the same numbers in as few runs as possible. */
function mergeRuns(runs: readonly NumberRun[]): NumberRun[] {
  const merged: [number, number][] = [];
  for (const [first, count] of runs.toSorted((left, right) => left[0] - right[0])) {
    const last = merged.at(-1);
    if (last !== undefined && first <= last[0] + last[1])
      last[1] = Math.max(last[1], first + count - last[0]);
    else merged.push([first, count]);
  }
  return merged;
}
