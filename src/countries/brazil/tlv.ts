import { assert } from "../../engine/assertion.ts";

/** The widest value whose length fits in two digits. */
const VALUE_LENGTH_MAX = 99;

/** Outside text that is no chain of fields. The message is a clause without a full stop, to end a sentence with. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** One field: its two-digit id, the two-digit length of its value, the value. Refuses, as a bug, what does not fit. */
export function writeField(id: string, value: string): string {
  assert(
    value.length > 0 && value.length <= VALUE_LENGTH_MAX,
    `field ${id} would hold ${value.length} characters`,
  );
  return id + String(value.length).padStart(2, "0") + value;
}

/**
 * The fields of the text by id, in their order. Throws Unreadable where the text ends inside a field, a length
 * is no number or an id comes twice; `where` names the text in the reason.
 */
export function readFields(text: string, where: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let position = 0;
  while (position < text.length) {
    const head = /^(\d\d)(\d\d)/.exec(text.slice(position, position + 4));
    if (head === null)
      throw new Unreadable(`${where} has no field id and length at character ${position + 1}`);
    const [, id = "", length = ""] = head;
    const value = text.slice(position + 4, position + 4 + Number(length));
    if (Number(length) === 0) throw new Unreadable(`field ${id} of ${where} is empty`);
    if (value.length < Number(length)) {
      throw new Unreadable(
        `field ${id} of ${where} announces ${length} characters and ${value.length} are left`,
      );
    }
    if (fields.has(id)) throw new Unreadable(`field ${id} of ${where} comes twice`);
    fields.set(id, value);
    position += 4 + Number(length);
  }
  return fields;
}
