import { note, print } from "./standard-streams.ts";
import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Wall } from "../base/wall.ts";
import { statOf } from "../scenarios/scenario-files.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { SHIPPED_FIXTURES } from "../server/access/fixture-files.ts";

/** Editors write a file in several steps; this long after the last one it is complete. */
const QUIET_MS = 80;

/** Scenarios, bodies and fixtures. */
const WATCHED = /\.(ya?ml|json)$/i;

/**
 * Runs at once, and again after every change of the named files or the fixtures, until the process ends. Mistakes in
 * files are printed, and the next change is awaited.
 */
export async function watchFiles(
  named: readonly string[],
  { run, wall }: { readonly run: () => Promise<unknown>; readonly wall: Wall },
): Promise<never> {
  let changed = Promise.withResolvers<void>();
  for (const place of [...named.map(watchedPlace), { folder: SHIPPED_FIXTURES }]) {
    const watcher = watch(place.folder, { recursive: true }, (_event, name) => {
      if (name === null || !WATCHED.test(name)) return;
      if (!("file" in place) || basename(name) === place.file) changed.resolve();
    });
    // If one entry cannot be watched, such as a link to itself, the others still are. Node reports it again with every
    // change.
    const reported = new Set<string>();
    watcher.on("error", ({ message }) => {
      if (!reported.has(message))
        note(
          `Failed to watch a part of ${place.folder}: ${message}. After a change there, start the command again.\n`,
        );
      reported.add(message);
    });
  }
  for (;;) {
    await runAndReport(run);
    note("Watching for changes. Press Ctrl+C to stop.\n");
    await changed.promise;
    await wall.pause(QUIET_MS);
    changed = Promise.withResolvers<void>();
    print("\n");
  }
}

async function runAndReport(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof FileMistakes) && !(error instanceof UsageError)) throw error;
    note(`${error.message}\n`);
  }
}

/** Returns the folder to watch for a file. The file itself is not watched, because editors replace it. */
function watchedPlace(named: string): { readonly folder: string; readonly file?: string } {
  const stats = statOf(named);
  if (stats === undefined)
    throw new UsageError(
      `Failed to watch ${named}: there is no such file. Name a scenario file or a folder.`,
    );
  return stats.isDirectory()
    ? { folder: resolve(named) }
    : { folder: dirname(resolve(named)), file: basename(named) };
}
