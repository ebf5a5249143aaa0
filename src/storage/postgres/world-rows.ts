import type { Database } from "./database.ts";
import type { JournalEntry } from "../../engine/journal.ts";
import type { JournalRows } from "./world-image.ts";
import type { NumberRun } from "../packed-worlds.ts";
import { type Ownership, ROWS_PER_CHUNK, packChunk } from "./history.ts";

/** Rows that are deleted at a time. */
const ROWS_PER_STATEMENT = 1_000;

/** What the row of a world has besides its owner (the column `card` is the summary): JSON, and null for what stays as it is. */
interface WorldColumns {
  /** The number of its last event. */
  readonly head: number;
  /** When its next timer is due, in milliseconds; null if nothing is due. */
  readonly nextDueAt: number | null;
  readonly settings: string | null;
  readonly summary: string | null;
  readonly name: string | null;
}

function valuesOf({ id, server, epoch }: Ownership, columns: WorldColumns): unknown[] {
  const { head, nextDueAt, settings, summary, name } = columns;
  return [id, server, epoch, head, nextDueAt, settings, summary, name];
}

function insertWorld(schema: string): string {
  return `INSERT INTO ${schema}.worlds (id, owner, epoch, head, next_due, settings, card, name, used_at, made_at)
    VALUES ($1::text, $2::text, $3::bigint, $4::bigint, to_timestamp($5::float8 / 1000), $6::text, $7::text, $8::text,
    now(), now())`;
}

/** Appends events to a world, the last of which has the number `head`: how many rows there are more. None if it was lost. */
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

/** Stores a world that did not begin empty, in one transaction. */
export async function insertWhole(
  database: Database,
  owner: Ownership,
  columns: WorldColumns,
  {
    image,
    observations,
    entries,
  }: { readonly image: Buffer; readonly observations: Buffer; readonly entries: readonly JournalEntry[] },
): Promise<void> {
  const { schema } = database;
  const { id } = owner;
  const { head } = columns;
  await database.transaction(async (send) => {
    await send(insertWorld(schema), valuesOf(owner, columns));
    await send(`INSERT INTO ${schema}.snapshots (world, number, name, body) VALUES ($1, $2, '', $3)`, [
      id,
      head,
      image,
    ]);
    await send(`INSERT INTO ${schema}.observations (world, number, body) VALUES ($1, $2, $3)`, [
      id,
      head,
      observations,
    ]);
    for (let at = 0; at < entries.length; at += ROWS_PER_CHUNK) {
      const first = head - entries.length + at + 1;
      const rows = entries.slice(at, at + ROWS_PER_CHUNK).map((entry, index) => ({
        number: first + index,
        body: JSON.stringify({ kind: "committed", entry }),
        inputSize: entry.cause.input?.size ?? 0,
      }));
      const { index, body } = await packChunk(rows);
      await send(
        `INSERT INTO ${schema}.history (world, first, last, index, body) VALUES ($1, $2, $3, $4, $5)`,
        [id, first, first + rows.length - 1, index, body],
      );
    }
  });
}

/** The state that was stored last. */
export interface StoredImage {
  /** The number of the last event that it contains. */
  readonly number: number;
  readonly records: number;
}

/** The position from which the rows of a world are continued. */
export interface WorldPosition extends Ownership, JournalRows {
  /** The number of its last stored event; 0 for a world that is not stored yet. */
  readonly head: number;
  readonly image: StoredImage;
}

/** Stores the state of a world instead of older ones; false if the server does not own it any more. */
export async function insertImage(
  database: Database,
  { id, server, epoch }: Ownership,
  { head, image, observations }: { head: number; image: Buffer; observations: Buffer },
): Promise<boolean> {
  const { schema } = database;
  const { rowCount } = await database.query(
    "image",
    `WITH owned AS (
        SELECT id FROM ${schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3 FOR UPDATE),
        image AS (INSERT INTO ${schema}.snapshots (world, number, name, body)
        SELECT owned.id, $4::bigint, '', $6::bytea FROM owned ON CONFLICT DO NOTHING)
        ${keepObservations(schema)}`,
    [id, server, epoch, head, observations, image],
  );
  if (rowCount === 0) return false;
  await database.query("older images", `DELETE FROM ${schema}.snapshots WHERE world = $1 AND number < $2`, [
    id,
    head,
  ]);
  return true;
}

/** Releases a world; false if the server does not own it any more. */
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

/** Deletes a world that the server still has. */
export async function deleteWorld(database: Database, { id, server, epoch }: Ownership): Promise<void> {
  const { schema } = database;
  await database.query(
    "drop",
    `WITH gone AS (
        DELETE FROM ${schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3 RETURNING id),
        ${deleteBelongings(schema)}`,
    [id, server, epoch],
  );
}

/** Deletes what belongs to the worlds whose ids the query `gone` has. */
export function deleteBelongings(schema: string): string {
  return `of_snapshots AS (DELETE FROM ${schema}.snapshots USING gone WHERE world = gone.id),
    of_observations AS (DELETE FROM ${schema}.observations USING gone WHERE world = gone.id),
    of_history AS (DELETE FROM ${schema}.history USING gone WHERE world = gone.id)
    DELETE FROM ${schema}.entries USING gone WHERE world = gone.id`;
}

/** Deletes, a few at a time, the rows up to `head` that neither the journal nor a snapshot needs. */
export async function deleteRows(
  database: Database,
  { id, head, journal, snapshots }: JournalRows & { readonly id: string; readonly head: number },
): Promise<void> {
  const { schema } = database;
  const needed = mergeRuns([...journal, ...[...snapshots.values()].flat()]);
  const from = needed.map(([first]) => first);
  const to = needed.map(([first, count]) => first + count - 1);
  await database.query(
    "older history",
    `DELETE FROM ${schema}.history AS chunk WHERE world = $1 AND NOT EXISTS (
        SELECT 1 FROM unnest($2::bigint[], $3::bigint[]) AS run(first, last)
        WHERE chunk.first <= run.last AND chunk.last >= run.first)`,
    [id, from, to],
  );
  for (let deleted = ROWS_PER_STATEMENT; deleted === ROWS_PER_STATEMENT;) {
    const { rowCount } = await database.query(
      "older entries",
      `DELETE FROM ${schema}.entries WHERE world = $1 AND number IN (
          SELECT number FROM ${schema}.entries AS entry WHERE world = $1 AND number <= $2 AND NOT EXISTS (
            SELECT 1 FROM unnest($3::bigint[], $4::bigint[]) AS run(first, last)
            WHERE entry.number BETWEEN run.first AND run.last) LIMIT $5)`,
      [id, head, from, to, ROWS_PER_STATEMENT],
    );
    deleted = rowCount ?? 0;
  }
}

/** The same numbers in as few runs as possible. */
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
