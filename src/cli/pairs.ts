import { UsageError } from "./usage-error.ts";

/** Reads `id=value` flags. */
export function pairs(flag: string, written: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    written.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} must be id=value; found "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
