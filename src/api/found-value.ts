const FOUND_CHARACTERS_MAX = 60;

// Thirteen to nineteen digits, grouped or not, may be a card number, whichever field they were put in.
const cardLike = /\d(?:[ -]?\d){12,18}/g;

/**
 * What was found, for a sentence of refusal: cut to 60 characters, the insides of objects and arrays left
 * out, and anything that may be a card number masked but for its last four digits.
 */
export function foundValue(value: unknown): string {
  if (typeof value !== "string") return kindOf(value, (plain) => String(plain));
  const masked = value
    .slice(0, 10 * FOUND_CHARACTERS_MAX)
    .replace(cardLike, (digits) => `****${digits.slice(-4)}`);
  const cut = masked.length > FOUND_CHARACTERS_MAX ? `${masked.slice(0, FOUND_CHARACTERS_MAX)}…` : masked;
  return JSON.stringify(cut);
}

/** The kind of what was found and nothing of its content: for secrets and for what should be an object. */
export function foundKind(value: unknown): string {
  return kindOf(value, (plain) => `a ${typeof plain}`);
}

/** Only what is plain is written out: a list may be of any size and depth. */
function kindOf(value: unknown, otherwise: (plain: unknown) => string): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : otherwise(value);
}
