import type { Database } from "./database.ts";
import type { JournalEntry } from "../../engine/journal.ts";
import type { JournalRows, NumberRun } from "./world-image.ts";

/** Rows that are inserted, or deleted, at a time. */
const ROWS_PER_STATEMENT = 1_000;

interface WholeWorld {
  readonly id: string;
  readonly epoch: number;
  /** The number of its last row. */
  readonly head: number;
  /** The columns id, owner, epoch, head, next_due in milliseconds, settings, card and name. */
  readonly world: readonly unknown[];
  readonly image: Buffer;
  readonly entries: readonly JournalEntry[];
}

/** Stores a world that did not begin empty, in one transaction. */
export async function insertWhole(
  database: Database,
  { id, epoch, head, world, image, entries }: WholeWorld,
): Promise<void> {
  const { schema } = database;
  await database.transaction(async (send) => {
    await send(
      `INSERT INTO ${schema}.worlds (id, owner, epoch, head, next_due, settings, card, name, used_at, made_at)
       VALUES ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6, $7, $8, now(), now())`,
      world,
    );
    await send(`INSERT INTO ${schema}.snapshots (world, number, name, body) VALUES ($1, $2, '', $3)`, [
      id,
      head,
      image,
    ]);
    for (let at = 0; at < entries.length; at += ROWS_PER_STATEMENT) {
      const part = entries.slice(at, at + ROWS_PER_STATEMENT);
      await send(
        `INSERT INTO ${schema}.entries (world, number, epoch, body)
         SELECT $1, $2::bigint + line.number, $3, line.body
         FROM unnest(string_to_array($4::text, E'\\n')) WITH ORDINALITY AS line(body, number)`,
        [
          id,
          head - entries.length + at,
          epoch,
          part.map((entry) => JSON.stringify({ kind: "committed", entry })).join("\n"),
        ],
      );
    }
  });
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
  for (let deleted = ROWS_PER_STATEMENT; deleted === ROWS_PER_STATEMENT;) {
    const { rowCount } = await database.query(
      {
        name: "older entries",
        text: `DELETE FROM ${schema}.entries WHERE world = $1 AND number IN (
          SELECT number FROM ${schema}.entries AS entry WHERE world = $1 AND number <= $2 AND NOT EXISTS (
            SELECT 1 FROM unnest($3::bigint[], $4::bigint[]) AS run(first, last)
            WHERE entry.number BETWEEN run.first AND run.last) LIMIT $5)`,
      },
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
