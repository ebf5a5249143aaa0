const FOUND_CHARACTERS_MAX = 60;

/**
 * Returns a found value for an error message, cut to 60 characters and without the contents of objects and arrays. The
 * values of fields with secrets are never passed to it: see `foundKind`.
 */
export function foundValue(value: unknown): string {
  if (typeof value !== "string") return kindOf(value, (plain) => String(plain));
  const cut = value.length > FOUND_CHARACTERS_MAX ? `${value.slice(0, FOUND_CHARACTERS_MAX)}…` : value;
  return JSON.stringify(cut);
}

/** Returns the kind of a value without its contents, for secrets and for values that should be objects. */
export function foundKind(value: unknown): string {
  return kindOf(value, (plain) => `a ${typeof plain}`);
}

/** Returns the kind of a list or an object, because they may have any size. `otherwise` writes all other values. */
function kindOf(value: unknown, otherwise: (plain: unknown) => string): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : otherwise(value);
}
