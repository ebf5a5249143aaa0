import type { Database } from "./database.ts";
import type { JournalNote } from "../../../simulator/engine/journal.ts";
import type { SavedWorld, WorldEvent } from "../../../simulator/worlds/saved-world.ts";
import type { SimulationImage } from "../../../simulator/engine/simulation.ts";
import { assertDefined } from "../../../simulator/engine/assertion.ts";
import { Coverage } from "../../../simulator/worlds/coverage.ts";
import { type Ownership, StoredEvents } from "./history.ts";
import { type JournalRows, rowsAfter, unpackObservations, unpackWorld } from "./world-image.ts";
import { requireMemory } from "../../storage/storage.ts";
import { readEvent } from "../../storage/written-events.ts";
import { WorldFold } from "../../storage/world-fold.ts";

/** A part of a world. Its kind decides which columns it has. */
interface LoadedRow {
  kind: "image" | "observations" | "chunk" | "entry";
  number: number;
  /** The index of a chunk, and the body of an entry. */
  text: string | null;
  body: Buffer | null;
}

/** Reads a world up to the row `head`: its newest state, and the events since. */
export async function loadWorld(database: Database, owner: Ownership, head: number) {
  const { id } = owner;
  const loaded = await readRows(database, id);
  const rowsOf = (kind: LoadedRow["kind"]): LoadedRow[] => loaded.filter((row) => row.kind === kind);
  const stored = new StoredEvents(id, {
    chunks: rowsOf("chunk").map(({ text, body }) => ({ index: text!, body: body! })),
    rows: rowsOf("entry").map(({ number, text }) => ({ number, body: text! })),
  });
  const [newest] = rowsOf("image");
  const unpacked = newest && (await unpackWorld(id, newest.body!, (...numbers) => stored.entry(...numbers)));
  const image = { number: newest?.number ?? 0, records: unpacked?.records ?? 0 };
  const [row] = rowsOf("observations");
  const observations = row && (await unpackObservations(id, row.number, row.body!));
  let coverage = new Coverage(observations?.coverage);
  let notes = observations?.notes ?? [];
  const notesOf = new Map(observations?.ofSnapshots);
  const fold = new WorldFold({ made: 0, worlds: unpacked ? [unpacked.saved] : [] });
  let rows: JournalRows = unpacked?.rows ?? { journal: [], snapshots: new Map() };
  for (let number = image.number + 1; number <= head; number++) {
    requireMemory(`the world ${id}`);
    const event = readEvent(JSON.parse(stored.text(number)) as WorldEvent);
    fold.take({ ...event, world: id });
    rows = rowsAfter(rows, number, event);
    // Events after the last observations are counted again. Coverage of later reads is lost.
    if (number <= (observations?.number ?? 0)) continue;
    if (event.kind === "committed") coverage.entered(event.entry);
    if (event.kind === "moved") notes = [...notes, event.note];
    if (event.kind === "begun") [coverage, notes] = [new Coverage(), []];
    if (event.kind === "snapshot") notesOf.set(event.snapshot, notes);
    if (event.kind === "restored") notes = notesOf.get(event.snapshot) ?? [];
  }
  const folded = assertDefined(fold.saved().worlds[0], `the world ${id}`);
  const saved: SavedWorld = {
    ...folded,
    image: withNotes(folded.image, notes),
    snapshots: new Map(
      Array.from(folded.snapshots, ([name, one]) => [name, withNotes(one, notesOf.get(name) ?? [])]),
    ),
    coverage: coverage.counts(),
  };
  return { saved, position: { ...owner, head, image, fold, ...rows } };
}

/** Reads everything of a world in one round trip, because a request waits for the load. */
async function readRows(database: Database, id: string): Promise<LoadedRow[]> {
  const { schema } = database;
  const { rows } = await database.query<LoadedRow>(
    "load",
    `SELECT 'image' AS kind, number, NULL AS text, body FROM (
          SELECT number, body FROM ${schema}.snapshots WHERE world = $1 ORDER BY number DESC LIMIT 1) AS newest
        UNION ALL SELECT 'observations', number, NULL, body FROM ${schema}.observations WHERE world = $1
        UNION ALL SELECT 'chunk', first, index, body FROM ${schema}.history WHERE world = $1
        UNION ALL SELECT 'entry', number, body, NULL FROM ${schema}.entries WHERE world = $1`,
    [id],
  );
  return rows;
}

function withNotes(image: SimulationImage, notes: readonly JournalNote[]): SimulationImage {
  return { ...image, journal: { ...image.journal, notes } };
}
