import type { Reader } from "./readers.ts";
import {
  assumptionValues,
  duration,
  headerToken,
  oneOf,
  text,
  texts,
  timestamp,
  webAddress,
  wholeNumber,
  yesOrNo,
} from "./readers.ts";
import { SEED_BOUNDS } from "../whole-number.ts";

/** One thing that can be set, by a flag, a variable or the file, in that order of strength. */
export interface Setting<T = unknown> {
  /** What it does, for `--help` and for the schema of the file. */
  readonly describe: string;
  readonly read: Reader<T>;
  /** Its JSON Schema in the file, without the description. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** What holds where nobody says anything. */
  readonly default?: T & (string | number | boolean);
  /** How the flag is written; a text with a value unless given. */
  readonly flag?: "switch" | "list";
  /** Its name in the file, where that is not the name of the flag. */
  readonly key?: string;
  /** What is never shown. */
  readonly isSecret?: true;
}

function setting<T>(one: Setting<T>): Setting<T> {
  return one;
}

const TEXT = { type: "string", minLength: 1 };

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** Everything `sandbank serve` can be told, by the name of its flag. */
export const settings = {
  port: setting({
    describe: "Port to listen on; 0 takes a free one",
    read: wholeNumber({ min: 0, max: 65_535 }),
    schema: { type: "integer", minimum: 0, maximum: 65_535 },
    default: 4010,
  }),
  host: setting({
    describe: "Address to listen on",
    read: text("an address or a name"),
    schema: TEXT,
    default: "127.0.0.1",
  }),
  start: setting({
    describe: "Where the clock starts, such as 2026-11-20T09:00:00-03:00; the present unless given",
    read: timestamp,
    schema: { type: "string", format: "date-time" },
  }),
  frozen: setting({
    describe: "Let time move only when it is told to",
    read: yesOrNo,
    schema: { type: "boolean" },
    default: false,
    flag: "switch",
  }),
  seed: setting({
    describe: "What ids and chance are drawn from; 1 unless given",
    read: wholeNumber(SEED_BOUNDS),
    schema: { type: "integer", minimum: SEED_BOUNDS.min, maximum: SEED_BOUNDS.max },
  }),
  fixtures: setting({ describe: "Folder of fixtures to start from", read: text("a folder"), schema: TEXT }),
  scenario: setting({
    describe: "Scenario file that happens before the sandbox listens",
    read: text("a file"),
    schema: TEXT,
  }),
  states: setting({
    describe: "File or folder of your own provider states, besides those that ship (repeatable)",
    read: texts,
    schema: { type: "array", items: TEXT },
    flag: "list",
  }),
  "world-idle": setting({
    describe: "Drop a world that was not asked for so long",
    read: duration,
    schema: { type: "string", format: "duration" },
    default: "PT1H",
  }),
  data: setting({
    describe: "File that keeps every world from one start to the next",
    read: text("a file"),
    schema: TEXT,
  }),
  "webhook-url": setting({
    describe: "Send every webhook of every company there",
    read: webAddress,
    schema: { type: "string", format: "uri" },
  }),
  "egress-allow": setting({
    describe: "Address or CIDR range that webhook.egress=hosted allows all the same (repeatable)",
    read: texts,
    schema: { type: "array", items: TEXT },
    flag: "list",
  }),
  "admin-token": setting({
    describe: "What the header x-admin-token must carry for the sandbox's own API; it is open unless given",
    read: headerToken,
    schema: { type: "string", pattern: "^[!-~]+$" },
    isSecret: true,
  }),
  "log-level": setting<(typeof LOG_LEVELS)[number]>({
    describe: "How much to tell on standard error; debug tells of every request",
    read: oneOf(LOG_LEVELS),
    schema: { enum: LOG_LEVELS },
    default: "info",
  }),
  assume: setting({
    describe: "Decide an assumption: id=value (repeatable)",
    read: assumptionValues,
    schema: { type: "object" },
    flag: "list",
    key: "assumptions",
  }),
};

export type SettingName = keyof typeof settings;

export type SettingValue<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer T> ? T : never;

export const settingNames = Object.keys(settings) as SettingName[];

/** `SANDBANK_WEBHOOK_URL` for `webhook-url`. */
export function variableOf(name: SettingName | "config"): string {
  return `SANDBANK_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** What a setting is called in the file. */
export function keyOf(name: SettingName): string {
  const { key }: Setting = settings[name];
  return key ?? name;
}
