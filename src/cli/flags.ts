import { note } from "./standard-streams.ts";
import type { Options } from "yargs";
import {
  DEFAULT_PORT,
  drawnSeed,
  integer,
  mustBeHttpUrl,
  SEED_BOUNDS,
} from "../server/settings/setting-types.ts";
import { isDuration, durationMs } from "../simulator/engine/instant.ts";
import { describedLimit, type Limit } from "../checks/limit.ts";
import { UsageError } from "../base/failures.ts";

/** A flag or an argument of a command: its help text, and the function that reads its typed value. */
export interface Flag<Value> extends Omit<Options, "coerce"> {
  /** True for an argument, which is typed without a name. */
  readonly isArgument?: true;
  /** True if its value may begin with dashes. Then the next word is always the value. */
  readonly isAnyText?: true;
  /** Flags of which one must be given with it. */
  readonly needsOne?: readonly string[];
  /** Flags that cannot be given with it. */
  readonly excludes?: readonly string[];
  /** Throws a `UsageError` that begins with the flag as it is typed. */
  readonly read?: (written: never, flag: string) => Value;
}

/** The properties of a flag in addition to its description. */
type More = Omit<Flag<never>, "describe" | "read">;

/** The value of a flag. A flag with a default, or a required flag, always has a value. */
type Given<Value, Has> = Has extends { default: unknown } | { demandOption: true }
  ? Value
  : Value | undefined;

export function text<const Has extends More = More>(describe: string, more?: Has): Flag<Given<string, Has>> {
  return { type: "string", describe, ...more };
}

/** Makes a flag that may be given several times, or an argument of several words. */
export function texts<const Has extends More = More>(
  describe: string,
  more?: Has,
): Flag<Given<string[], Has>> {
  return { type: "string", array: true, describe, ...more };
}

export function toggle<const Has extends More = More>(
  describe: string,
  more?: Has,
): Flag<Given<boolean, Has>> {
  return { type: "boolean", describe, ...more };
}

export function choice<const Choice extends string, const Has extends More = More>(
  choices: readonly Choice[],
  describe: string,
  more?: Has,
): Flag<Given<Choice, Has>> {
  return { choices, describe, ...more };
}

/** Makes a flag with a function that reads its text. */
export function readAs<Value, const Has extends More = More>(
  read: (written: string, flag: string) => Value,
  describe: string,
  more?: Has,
): Flag<Given<Value, Has>> {
  return { type: "string", describe, read, ...more };
}

/** Makes a flag for a whole number within bounds, both inclusive. */
export function number<const Has extends More = More>(
  [min, max]: readonly [min: number, max: number],
  describe: string,
  more?: Has,
): Flag<Given<number, Has>> {
  return readAs((written, flag) => wholeNumber(written, flag, { min, max }), describe, more);
}

export function url<const Has extends More = More>(describe: string, more?: Has): Flag<Given<string, Has>> {
  return readAs((written, flag) => mustBeHttpUrl(flag, written), describe, more);
}

/** Returns the flag of a number of a check. */
export function limit(one: Limit): Flag<number | undefined> {
  return number(one.range, describedLimit(one));
}

/** Makes a flag for a seed, or `random` for a new seed in each run. */
export function seed<const Has extends More = More>(
  describe: string,
  more?: Has,
): Flag<Given<number | "random", Has>> {
  return readAs(
    (written, flag) => (written === "random" ? "random" : wholeNumber(written, flag, SEED_BOUNDS)),
    describe,
    more,
  );
}

/** Reads a duration of a day at most, in milliseconds: ISO 8601, or a number of seconds. */
export function wallTime(written: string, flag: string): number {
  const timeMs = isDuration(written) ? durationMs(written) : 1000 * Number(written);
  if (timeMs > 0 && timeMs <= 86_400_000) return timeMs;
  throw new UsageError(
    `${flag} must be a duration of a day at most, such as PT5M, or seconds; found "${written}".`,
  );
}

function wholeNumber(written: string, name: string, bounds: { min: number; max: number }): number {
  const { parse, read } = integer(bounds);
  const result = read(parse?.(written));
  if ("value" in result) return result.value;
  throw new UsageError(`${name} ${result.problem}.`);
}

export const PORTS = [1, 65_535] as const;

/** The ports of a command that takes a free one for 0. */
export const PORTS_OR_FREE = [0, 65_535] as const;

export const targetFlag = url(
  "URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010] (admin token in SANDBANK_ADMIN_TOKEN)",
);

/** The flag of a command that was named `--url` before. That name stays. */
export const targetFlags = { target: targetFlag, url: { ...targetFlag, hidden: true } };

export const worldFlag = text("Id of the world", { defaultDescription: "default" });

export const secretFlag = text(
  "Webhook secret of the receiver [default: SANDBANK_WEBHOOK_SECRET, otherwise acme-webhook-secret]",
  { isAnyText: true },
);

/** Returns the seed itself. Writes a drawn seed to standard error, for a command that does not report it. */
export function announcedSeed<Seed extends number | undefined>(given: Seed | "random"): Seed | number {
  const drawn = drawnSeed(given);
  if (given === "random") note(`Seed ${drawn}. Repeat with --seed ${drawn}.\n`);
  return drawn;
}

/** Reads flags of `id=value`. */
export function pairs(flag: string, written: readonly string[], form = "id=value"): Record<string, string> {
  return Object.fromEntries(
    written.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} must be ${form}; found "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Writes flags as on a command line, for a command that repeats this one. Flags without a value are left out. */
export function typedFlags(flags: Readonly<Record<string, TypedValue>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [value].flat().flatMap((one) => [`--${name}`, String(one)]);
  });
}

/** Writes all flags of a command as on a command line, in its order. No second list of the flags is needed. */
export function typedAgain<Name extends string>(
  flags: Readonly<Record<Name, unknown>>,
  values: Readonly<Partial<Record<NoInfer<Name>, TypedValue>>>,
): string[] {
  const names = Object.keys(flags) as Name[];
  return typedFlags(Object.fromEntries(names.map((name) => [name, values[name]])));
}

type TypedValue = string | number | boolean | readonly string[] | undefined;

/** Returns the URL of a sandbox on this machine: at the port of `SANDBANK_PORT`, or at the default one. */
export function localUrl(): string {
  const written = process.env["SANDBANK_PORT"] || String(DEFAULT_PORT);
  return `http://127.0.0.1:${wholeNumber(written, "SANDBANK_PORT", { min: 1, max: 65_535 })}`;
}
