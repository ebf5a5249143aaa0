import { DEFAULT_PORT, drawnSeed, integer, mustBeHttpUrl, SEED_BOUNDS } from "../library/setting-types.ts";
import { addDuration, isDuration } from "../engine/instant.ts";
import { UsageError } from "../process/failures.ts";

/** Reads a flag that is a whole number within bounds, or throws a `UsageError`. */
export function wholeNumber(flag: string, bounds: { min: number; max: number }) {
  return function readWholeNumber(written: string | undefined): number | undefined {
    if (written === undefined) return undefined;
    const { parse, read } = integer(bounds);
    const result = read(parse?.(written));
    if ("value" in result) return result.value;
    throw new UsageError(`${flag} ${result.problem}.`);
  };
}

/** Reads `--seed`: a seed, or `random` for a new one in each run. */
export function seedOrRandom(written: string | undefined): number | "random" | undefined {
  return written === "random" ? "random" : wholeNumber("--seed", SEED_BOUNDS)(written);
}

/** Reads a flag that is an ISO 8601 duration of a day at most, in milliseconds. */
export function wallTime(flag: string) {
  return function readWallTime(written: string | undefined): number | undefined {
    if (written === undefined) return undefined;
    const timeMs = isDuration(written) ? addDuration(0, written, "UTC") : 0;
    if (timeMs > 0 && timeMs <= 86_400_000) return timeMs;
    throw new UsageError(`${flag} must be a duration of a day at most, such as PT5M; found "${written}".`);
  };
}

/** The seed itself; writes one that is drawn to standard error, for a command whose report does not name it. */
export function announcedSeed<Seed extends number | undefined>(given: Seed | "random"): Seed | number {
  const seed = drawnSeed(given);
  if (given === "random") process.stderr.write(`Seed ${seed}. Repeat with --seed ${seed}.\n`);
  return seed;
}

/** Reads `--threshold`: a percentage, decimals allowed. */
export function percentage(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(written) ?? [];
  if (digits !== undefined && Number(digits) <= 100) return Number(digits);
  throw new UsageError(`--threshold must be a percentage from 0 to 100; found "${written}".`);
}

/** Reads a flag that is such a URL. */
export function httpUrl(flag: string) {
  return function readHttpUrl(written: string | undefined): string | undefined {
    return written === undefined ? undefined : mustBeHttpUrl(flag, written);
  };
}

/** `--target` of a command that always needs a running sandbox. */
export const targetFlag = {
  type: "string",
  describe:
    "URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010] (admin token in SANDBANK_ADMIN_TOKEN)",
  coerce: httpUrl("--target"),
} as const;

/** `--world` of such a command. */
export const worldFlag = {
  type: "string",
  describe: "Id of the world",
  defaultDescription: "default",
} as const;

/** Reads flags of `id=value`. */
export function pairs(flag: string, written: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    written.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} must be id=value; found "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** The URL of a sandbox on this machine: at the port of `SANDBANK_PORT`, or at the default one. */
export function localUrl(): string {
  const readPort = wholeNumber("SANDBANK_PORT", { min: 1, max: 65_535 });
  return `http://127.0.0.1:${readPort(process.env["SANDBANK_PORT"] || undefined) ?? DEFAULT_PORT}`;
}
