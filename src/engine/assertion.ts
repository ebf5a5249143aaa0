/** Something our own code promised does not hold. Never an answer to bad input: that is a Refusal. */
export class Bug extends Error {
  override readonly name = "Bug";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message);
}

/** The value, where our own code knows that there is one. */
export function known<T>(value: T | undefined | null, what: string): T {
  assert(value !== undefined && value !== null, `${what} is missing`);
  return value;
}
