import type { Change } from "../../simulator/engine/store.ts";
import type { StoredRecord } from "../../simulator/engine/collection.ts";

/** The items that a list got at its end, after this number of items. */
type AddedItems = readonly [kept: number, ...added: unknown[]];

/**
 * The difference between two versions of a record. A record with a growing list, such as a delivery with its attempts,
 * takes the space of its new items.
 */
export interface RecordPatch {
  readonly set: Readonly<Record<string, unknown>>;
  readonly added?: Readonly<Record<string, AddedItems>>;
}

/** A change whose new record may be given as a patch of the present record. */
export interface PatchedChange extends Change {
  readonly patch?: RecordPatch;
}

/** Returns the difference of a record to its earlier version. Undefined if the two have other fields. */
export function patchOf(before: StoredRecord, after: StoredRecord): RecordPatch | undefined {
  const fields = Object.entries(after);
  const earlier = Object.entries(before);
  if (fields.length !== earlier.length) return undefined;
  const set: Record<string, unknown> = {};
  const added: Record<string, AddedItems> = {};
  for (const [index, [name, value]] of fields.entries()) {
    const [formerName, former] = earlier[index]!;
    // A field that JSON leaves out, and another order of the fields, are written with the whole record.
    if (formerName !== name || value === undefined) return undefined;
    if (value === former) continue;
    if (isExtended(value, former)) added[name] = [former.length, ...value.slice(former.length)];
    else set[name] = value;
  }
  return Object.keys(added).length === 0 ? { set } : { set, added };
}

/** Returns the later version of a record. */
export function patched(before: StoredRecord, { set, added = {} }: RecordPatch): StoredRecord {
  const lists = Object.entries(added).map(([name, [kept, ...items]]) => {
    const list: unknown = before[name as keyof StoredRecord];
    if (!Array.isArray(list) || list.length !== kept) throw new Error(`${name} does not have ${kept} items`);
    return [name, [...(list as unknown[]), ...items]];
  });
  return { ...before, ...set, ...Object.fromEntries(lists) } as StoredRecord;
}

/** True if a list begins with all items of an earlier list, which are not empty. */
function isExtended(value: unknown, former: unknown): value is unknown[] {
  return (
    Array.isArray(value) &&
    Array.isArray(former) &&
    former.length > 0 &&
    value.length >= former.length &&
    former.every((item, index) => value[index] === item)
  );
}
