/** An assumption of our own code is wrong. Never an answer to bad input: that is a Refusal. */
export class Bug extends Error {
  override readonly name = "Bug";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message);
}

/** The value, which our own code guarantees to be defined; a bug otherwise. */
export function assertDefined<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Bug(`${what} is missing`);
  return value;
}
