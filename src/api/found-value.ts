const FOUND_CHARACTERS_MAX = 60;

// Thirteen to nineteen digits, grouped or not, may be a card number, in any field. A UUID may have as many.
const cardLike = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|\d(?:[ -]?\d){12,18}/gi;

/**
 * A value that was found, for an error message: cut to 60 characters, without the contents of objects and arrays,
 * and with everything that may be a card number masked except its last four digits.
 */
export function foundValue(value: unknown): string {
  if (typeof value !== "string") return kindOf(value, (plain) => String(plain));
  const masked = value
    .slice(0, 10 * FOUND_CHARACTERS_MAX)
    .replace(cardLike, (found, uuid?: string) => uuid ?? `****${found.slice(-4)}`);
  const cut = masked.length > FOUND_CHARACTERS_MAX ? `${masked.slice(0, FOUND_CHARACTERS_MAX)}…` : masked;
  return JSON.stringify(cut);
}

/** The kind of a value without its contents: for secrets and for what should be an object. */
export function foundKind(value: unknown): string {
  return kindOf(value, (plain) => `a ${typeof plain}`);
}

/** Only scalars are written out: a list may have any size and depth. */
function kindOf(value: unknown, otherwise: (plain: unknown) => string): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : otherwise(value);
}
