import { isRecord } from "../../simulator/engine/json.ts";
import { randomInt } from "node:crypto";
import { UsageError } from "../../base/failures.ts";
import { inspect } from "node:util";
import {
  CLOCK_YEARS,
  isDuration,
  isOnTheClock,
  parseInstant,
  durationMs,
} from "../../simulator/engine/instant.ts";
import { SEED_MAX } from "../../simulator/engine/random.ts";

/** A checked value, or its problem: a clause that follows the name of the setting. */
type Read<T> = { readonly value: T } | { readonly problem: string };

/** The type of a setting. A value passes the same check from every source. */
export interface SettingType<T> {
  /** The JSON Schema of the value in the configuration file. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Checks a value and returns it in its normal form. */
  readonly read: (value: unknown) => Read<T>;
  /** Turns the text of a flag, a variable or the file into a value. Other content is returned unchanged. */
  readonly parse?: (written: unknown) => unknown;
  /** The written form of the flag; default: `--name value`. */
  readonly flag?: "switch" | "list";
  /** The values, if they can be listed. */
  readonly choices?: readonly string[];
  /** The proposals of a shell after the flag. Default: the choices. */
  readonly proposals?: () => readonly string[];
}

/** Returns the problem of an unexpected value. */
export function mustBe(expected: string, found: unknown): { readonly problem: string } {
  const shown = typeof found === "string" ? JSON.stringify(found) : inspect(found, { breakLength: Infinity });
  return { problem: `must be ${expected}; found ${shown}` };
}

/** The bounds of a seed, both inclusive. */
export const SEED_BOUNDS = { min: 0, max: SEED_MAX };

/** The default port of a sandbox, for serving it and for finding it. */
export const DEFAULT_PORT = 4010;

/** Makes the type of a whole number within bounds, both inclusive. */
export function integer({ min, max }: { readonly min: number; readonly max: number }): SettingType<number> {
  return {
    schema: { type: "integer", minimum: min, maximum: max },
    parse: (written) => (typeof written === "string" && /^\d+$/.test(written) ? Number(written) : written),
    read: (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
        ? { value }
        : mustBe(`a whole number from ${min} to ${max}`, value),
  };
}

/** The problem of a URL with a user or a password. It does not repeat the URL. */
const HAS_CREDENTIALS =
  "must be without a user and a password, because URLs are printed and stored. Leave the part before the @ out";

/** Returns true if a URL has a user or a password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/**
 * Makes the type of an absolute http or https URL without a user and a password. It is returned as the URL parser writes it: `HTTP://Example.com/a`
 * becomes `http://example.com/a`. An origin stays without the slash that the parser adds.
 */
export function httpUrl(example: string): SettingType<string> {
  return {
    schema: { type: "string", format: "uri" },
    read: (value) => {
      const url = typeof value === "string" && /^https?:\/\//i.test(value) ? URL.parse(value) : null;
      if (url === null) return mustBe(`an absolute http or https URL, such as ${example}`, value);
      if (hasCredentials(url)) return { problem: HAS_CREDENTIALS };
      const isOrigin = url.href === `${url.origin}/` && !String(value).endsWith("/");
      return { value: isOrigin ? url.origin : url.href };
    },
  };
}

/** Makes the type of an http or https URL without a path. A server answers below no prefix. */
export function originUrl(example: string): SettingType<string> {
  const url = httpUrl(example);
  return {
    schema: url.schema,
    read: (value) => {
      const read = url.read(value);
      if (!("value" in read)) return read;
      const { origin, href } = new URL(read.value);
      if (href === `${origin}/`) return { value: origin };
      return mustBe(
        `an http or https URL without a path, such as ${example}, because the paths of a sandbox begin at /. Give it a host of its own`,
        value,
      );
    },
  };
}

export const yesOrNo: SettingType<boolean> = {
  schema: { type: "boolean" },
  flag: "switch",
  parse: (written) => {
    if (written === "true" || written === "1") return true;
    return written === "false" || written === "0" ? false : written;
  },
  read: (value) => (typeof value === "boolean" ? { value } : mustBe("true or false", value)),
};

/** Lists of fixtures by their names. The server checks the lists themselves. */
export const lists: SettingType<object> = {
  schema: { type: "object" },
  read: (value) => (isRecord(value) ? { value } : mustBe("an object with lists such as companies", value)),
};

/** A folder of fixtures, or lists of them. */
export const folderOrLists: SettingType<unknown> = {
  schema: { type: ["string", "object"] },
  read: (value) =>
    isRecord(value) || (typeof value === "string" && value !== "")
      ? { value }
      : mustBe("a folder, or an object with lists such as companies", value),
};

export function text(expected: string): SettingType<string> {
  return {
    schema: { type: "string", minLength: 1 },
    read: (value) => (typeof value === "string" && value !== "" ? { value } : mustBe(expected, value)),
  };
}

/** A list in the file or of a repeated flag, or a text with commas. */
export const texts: SettingType<readonly string[]> = {
  schema: { type: "array", items: { type: "string", minLength: 1 } },
  flag: "list",
  parse: (written) => (typeof written === "string" ? written.split(",").map((one) => one.trim()) : written),
  read: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "")
      ? { value: value as string[] }
      : mustBe("a list of texts", value),
};

const HOST_NAME = /^\.?[\w-]+(\.[\w-]+)*$/;

/**
 * Names of hosts in lower case, as the URL parser writes them, without a dot at the end. A flag may have several with
 * commas.
 */
export const hostNames: SettingType<readonly string[]> = {
  ...texts,
  read: (value) => {
    const read = texts.read(value);
    if ("problem" in read) return read;
    const written = read.value.flatMap((list) => list.split(","));
    const names = written.map((name) => name.trim().toLowerCase().replace(/\.$/, ""));
    const wrong = names.find((name) => !HOST_NAME.test(name));
    if (wrong === undefined) return { value: names };
    return {
      problem: `cannot be used: "${wrong}" is not a name of a host. Write it as api.platform.example, or .platform.example for all names below it`,
    };
  },
};

export function oneOf<const T extends string>(choices: readonly T[]): SettingType<T> {
  return {
    schema: { enum: choices },
    choices,
    read: (value) => {
      const found = choices.find((choice) => choice === value);
      const expected = choices.length === 2 ? choices.join(" or ") : `one of ${choices.join(", ")}`;
      return found === undefined ? mustBe(expected, value) : { value: found };
    },
  };
}

/** Returns a seed. Draws it if it is `random`. */
export function drawnSeed<Seed extends number | undefined>(seed: Seed | "random"): Seed | number {
  return seed === "random" ? randomInt(SEED_BOUNDS.min, SEED_BOUNDS.max + 1) : seed;
}

/** Refuses a URL that is not an absolute http or https URL, or has a password. Returns it in its normal form. */
export function mustBeHttpUrl(flag: string, url: string): string {
  const result = httpUrl("http://127.0.0.1:4010").read(url);
  if ("value" in result) return result.value;
  throw new UsageError(`${flag} ${result.problem}.`);
}

export const timestamp: SettingType<string> = {
  schema: { type: "string", format: "date-time" },
  read: (value) => {
    const instant = typeof value === "string" ? parseInstant(value) : undefined;
    if (instant === undefined)
      return mustBe("a timestamp with its offset, such as 2026-11-20T09:00:00-03:00", value);
    return isOnTheClock(instant) ? { value: value as string } : mustBe(`in ${CLOCK_YEARS}`, value);
  },
};

/** Makes the type of an ISO 8601 duration of an allowed length. `allowed` is the end of its refusal. */
export function duration(isAllowed: (lengthMs: number) => boolean, allowed: string): SettingType<string> {
  return {
    schema: { type: "string", format: "duration" },
    read: (value) =>
      typeof value === "string" && isDuration(value) && isAllowed(durationMs(value))
        ? { value }
        : mustBe(`an ISO 8601 duration ${allowed}`, value),
  };
}

/** In JavaScript and YAML, null is the same as no value: each webhook is sent to the URL of its company. */
export const webhookUrl: SettingType<string | null> = {
  schema: { type: ["string", "null"], format: "uri" },
  read: (value) => (value === null ? { value } : httpUrl("http://127.0.0.1:4011/webhooks").read(value)),
};

/** A name that needs no quotes in SQL. */
export const schemaName: SettingType<string> = {
  schema: { type: "string", pattern: "^[a-z_][a-z0-9_]{0,62}$" },
  read: (value) =>
    typeof value === "string" && /^[a-z_][a-z0-9_]{0,62}$/.test(value)
      ? { value }
      : mustBe("a name of small letters, digits and underscores", value),
};
