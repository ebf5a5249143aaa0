import type { DataNotices } from "./data-file.ts";
import type { Low } from "lowdb";
import type { SavedWorlds } from "../worlds/saved-world.ts";
import type { Snapshot } from "./snapshot-file.ts";
import { basename, dirname } from "node:path";
import { damaged, DataMistake } from "./data-mistake.ts";
import { JournalFile } from "./journal-file.ts";
import { readdir, rm, stat } from "node:fs/promises";
import { WorldFold } from "./world-fold.ts";

/** What was saved, and the journals that go on from its snapshot. */
export interface OpenedGenerations {
  readonly saved: SavedWorlds;
  readonly journals: JournalFile[];
}

/** The journal that goes on from the snapshot of that generation. */
export function journalPath(path: string, generation: number): string {
  return `${path}.${generation}.journal`;
}

/**
 * Reads the snapshot and the journals after it, or makes them where there are none. Until all of it was read and
 * found sound, nothing is written.
 */
export async function openGenerations(
  path: string,
  db: Low<Snapshot>,
  notices: DataNotices,
): Promise<OpenedGenerations> {
  const generations = await generationsBeside(path);
  await db.read();
  if (db.data.generation === 0) return begin(path, db, generations);
  const { generation: first } = db.data;
  const later = generations.filter((generation) => generation >= first);
  const gap = later.findIndex((generation, index) => generation !== first + index);
  if (later.length === 0 || gap >= 0) {
    const missing = journalPath(path, first + Math.max(gap, 0));
    throw damaged(path, `its journal ${missing} is missing, and with it the latest changes`);
  }
  const fold = new WorldFold(db.data);
  const journals: JournalFile[] = [];
  try {
    for (const generation of later) {
      const take = fold.take.bind(fold);
      journals.push(await JournalFile.open(journalPath(path, generation), { generation, take }));
    }
    validateEnds(journals);
  } catch (error) {
    for (const journal of journals) await journal.close();
    throw error;
  }
  await tidy(path, { journals, outdated: generations.filter((generation) => generation < first), notices });
  return { saved: fold.saved(), journals };
}

async function begin(
  path: string,
  db: Low<Snapshot>,
  generations: readonly number[],
): Promise<OpenedGenerations> {
  for (const generation of generations) {
    const left = journalPath(path, generation);
    if ((await stat(left)).size > 0) {
      throw new DataMistake(
        `Failed to read ${path}: it is missing, but its journal ${left} is there. Put the file back, or move the journal away to start anew.`,
      );
    }
  }
  const journal = await JournalFile.create(journalPath(path, 1), 1);
  db.data = { generation: 1, made: 0, worlds: [] };
  await db.write();
  return { saved: db.data, journals: [journal] };
}

/** Only the last write of all can have been cut off: what came before it was whole before it began. */
function validateEnds(journals: readonly JournalFile[]): void {
  for (const [index, journal] of journals.entries()) {
    const isLast = journals.slice(index + 1).every((later) => later.bytes === 0);
    if (journal.isRagged && !isLast) throw damaged(journal.path, "it breaks off in its last line");
  }
}

async function tidy(
  path: string,
  {
    journals,
    outdated,
    notices,
  }: { journals: readonly JournalFile[]; outdated: readonly number[]; notices: DataNotices },
): Promise<void> {
  for (const journal of journals) {
    if (!journal.isRagged) continue;
    notices.info(
      `The last write to ${journal.path} was cut off before anyone was told of it, and is left out.`,
    );
    await journal.cut();
  }
  for (const generation of outdated) await rm(journalPath(path, generation), { force: true });
  await rm(`${path}.new`, { force: true });
}

/** The generations of the journals that lie beside a snapshot, in order. */
async function generationsBeside(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(".journal"))
    .map((name) => Number(name.slice(prefix.length, -".journal".length)))
    .filter((generation) => Number.isInteger(generation) && generation > 0)
    .sort((left, right) => left - right);
}
