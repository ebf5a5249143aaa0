import { SEED_MAX } from "../engine/random.ts";
import { UsageError } from "./usage-error.ts";

/** Reads a flag that is a whole number within bounds, or says what was found. */
export function wholeNumber(flag: string, { min, max }: { min: number; max: number }) {
  return function readWholeNumber(written: string | undefined): number | undefined {
    if (written === undefined) return undefined;
    const value = Number(written);
    if (written.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new UsageError(`${flag} must be a whole number from ${min} to ${max}; found "${written}".`);
  };
}

/** Reads `--threshold`: a percentage, decimals allowed. */
export function percentage(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const value = Number(written.replace(/%$/, ""));
  if (/^\d+(\.\d+)?%?$/.test(written) && value <= 100) return value;
  throw new UsageError(`--threshold must be a percentage from 0 to 100; found "${written}".`);
}

/** What a seed can be. */
export const SEED_BOUNDS = { min: 0, max: SEED_MAX };
