import type { World } from "../../worlds/world.ts";
import { hiddenEntriesAt } from "../../platform/faults/visibility.ts";

/**
 * The journal entry before which a read has to be answered, because what its path names was changed by a command
 * whose event is out and whose change cannot be read yet (fault: event-before-commit).
 */
export function hiddenChange(world: World, params: Readonly<Record<string, string>>): number | undefined {
  const veiled = hiddenEntriesAt(world.records, world.now);
  if (veiled.length === 0) return undefined;
  const named = Object.values(params).filter((value) => value !== "");
  return veiled.find((entry) =>
    world.journal.entry(entry)?.changes.some(({ id }) => named.some((value) => id.includes(value))),
  );
}
