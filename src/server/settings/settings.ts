import type { ConnectOptions, SandboxOptions } from "./sandbox-options.ts";
import type { SettingOptions } from "./generated/setting-options.ts";
import { dataLocation, withoutPassword } from "./data-location.ts";
import { durationMs } from "../../simulator/engine/instant.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import { createEgress } from "../../simulator/webhooks/egress-guard.ts";
import {
  DEFAULT_PORT,
  SEED_BOUNDS,
  type SettingType,
  duration,
  folderOrLists,
  hostNames,
  httpUrl,
  integer,
  mustBe,
  oneOf,
  originUrl,
  schemaName,
  text,
  texts,
  timestamp,
  lists,
  yesOrNo,
  webhookUrl,
} from "./setting-types.ts";
import { UsageError } from "../../base/failures.ts";
import { assumptions as known } from "../../simulator/platform/catalog.ts";
import { readAssumption } from "../../simulator/platform/assumptions/reading.ts";

/** One setting: a flag of `serve`, a `SANDBANK_` variable, a key of the configuration file, an option. */
export interface Setting<T = unknown> {
  /** Shown by `--help` and in the schema of the file. */
  readonly describe: string;
  /** The description in the schema, if the value has another form in the file. */
  readonly describeInFile?: string;
  /** The comment of the option of `createSandbox`; default: the description and the default. */
  readonly describeOption?: string;
  readonly type: SettingType<T>;
  /** The value if no place sets it. */
  readonly default?: T & (string | number | boolean);
  /** Names the default in help, if it depends on something else, such as the scenario. */
  readonly defaultText?: string;
  /** The key in the file; the name of the flag by default. */
  readonly key?: string;
  /** The option of `createSandbox`, and its type and value if they differ. */
  readonly option?: string;
  readonly optionType?: SettingType<unknown>;
  readonly toOption?: (value: unknown) => unknown;
  /** The value is never printed. */
  readonly isSecret?: true;
  /** The value as it is printed, if a part of it is secret. */
  readonly shown?: (value: unknown) => unknown;
}

/** A timer of Node waits no longer than 24 days. */
const IDLE_MAX = "P20D";

const idleTime = duration(
  (idleMs) => idleMs > 0 && idleMs <= durationMs(IDLE_MAX),
  `up to ${IDLE_MAX}, such as PT1H`,
);

/** Makes the type of a duration up to an hour, from as many seconds on. */
function waitTime(least: "1" | "0.1", example: string): SettingType<string> {
  return duration(
    (waitMs) => waitMs >= 1_000 * Number(least) && waitMs <= 3_600_000,
    `from PT${least}S to PT1H, such as ${example}`,
  );
}

const addressRanges: SettingType<readonly string[]> = {
  ...texts,
  read: (value) => {
    const read = texts.read(value);
    const wrong = "value" in read ? read.value.find((entry) => !isAddressRange(entry)) : undefined;
    if (wrong === undefined) return read;
    return {
      problem: `cannot be used: "${wrong}" is neither an address nor a CIDR range. Write it as 10.1.0.0/16, 10.1.2.3 or fd12:3456::/32`,
    };
  },
};

function isAddressRange(entry: string): boolean {
  try {
    createEgress({ allowList: [entry] });
    return true;
  } catch {
    return false;
  }
}

/** The problem does not repeat the value: a secret must not reach a log. */
const headerToken: SettingType<string> = {
  schema: { type: "string", pattern: "^[!-~]+$" },
  read: (value) =>
    typeof value === "string" && /^[!-~]+$/.test(value)
      ? { value }
      : { problem: "must be a text of visible ASCII characters without blanks: it is sent in a header" },
};

/**
 * Assumptions by id: a mapping, flags of `id=value`, or a variable with commas between such pairs. Each value is
 * checked alone. Values that have to agree may come from several places and are checked once all are read.
 */
const assumptions: SettingType<Readonly<Record<string, unknown>>> = {
  schema: { type: "object" },
  flag: "list",
  parse: (written) => {
    const pairs = typeof written === "string" ? written.split(/,\s*(?=[\w.-]+=)/) : written;
    return Array.isArray(pairs) && pairs.every(isPair) ? Object.fromEntries(pairs.map(entryOf)) : pairs;
  },
  read: (value) => {
    if (Array.isArray(value)) return mustBe("id=value", value.find((one) => !isPair(one)) ?? value);
    if (typeof value !== "object" || value === null)
      return mustBe("a mapping of assumption ids to values", value);
    const problems = Object.entries(value).flatMap(([id, one]) => {
      const read = readAssumption(id, one);
      return "mistake" in read ? [read.mistake] : [];
    });
    return problems.length === 0
      ? { value: value as Record<string, unknown> }
      : { problem: `cannot be used: ${problems.join(" ").replace(/\.$/, "")}` };
  },
  proposals: () =>
    Object.entries(known).flatMap(([id, { type }]) => (type.kind === "statement" ? [] : `${id}=`)),
};

function isPair(written: unknown): written is string {
  return typeof written === "string" && written.indexOf("=") > 0;
}

function entryOf(pair: string): [id: string, value: string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/**
 * Every setting by the name of its flag. This table defines the flags of `serve`, the `SANDBANK_` variables, the
 * configuration file with its schema, and the options of `createSandbox` with their types.
 */
export const settings = {
  port: {
    describe: "Port to listen on; 0 picks a free one",
    type: integer({ min: 0, max: 65_535 }),
    default: DEFAULT_PORT,
  },
  host: { describe: "Address to listen on", type: text("an address or a name"), default: "127.0.0.1" },
  start: {
    describe: "Start time of the clock, such as 2026-11-20T09:00:00-03:00",
    type: timestamp,
    defaultText: "now",
    option: "start",
  },
  frozen: {
    describe: "Let time pass only when the clock is advanced",
    type: yesOrNo,
    default: false,
    describeOption:
      "`frozen`: time passes only by `advance`. `running`: time passes by itself. Default: `frozen`.",
    option: "mode",
    optionType: oneOf(["frozen", "running"]),
    toOption: (isFrozen: unknown) => (isFrozen === true ? "frozen" : "running"),
  },
  seed: {
    describe: "Seed of ids and random choices",
    type: integer(SEED_BOUNDS),
    defaultText: "1",
    option: "seed",
  },
  fixtures: {
    describe: "Folder of fixtures to start from",
    type: text("a folder"),
    defaultText: "the shipped ones",
    describeOption: "Folder of fixtures to start from, or the lists themselves; default: the shipped ones.",
    option: "fixtures",
    optionType: folderOrLists,
  },
  scenario: {
    describe: "Scenario file to run before the sandbox listens",
    describeOption:
      "Scenario file that runs in the default world first. The other options override the scenario's settings.",
    type: text("a file"),
    option: "scenario",
  },
  "calibration-report": {
    describe: "JSON report of sandbank calibrate, whose results the dashboard shows at each assumption",
    type: text("a file"),
    defaultText: "calibration.json, if it is there",
    describeOption:
      "JSON report of sandbank calibrate, whose results the dashboard shows at each assumption.",
    option: "calibrationReport",
  },
  states: {
    describe: "File or folder of your own provider states, in addition to the shipped ones (repeatable)",
    type: texts,
    option: "states",
  },
  "world-idle": {
    describe: "Drop a world after this time without a request",
    type: idleTime,
    defaultText: "PT1H; never with a data file or a database",
    option: "worldIdle",
  },
  "world-requests": {
    describe: "Maximum number of requests of one world at a time; further requests get 503",
    type: integer({ min: 1, max: 10_000 }),
    default: 500,
    option: "worldRequests",
  },
  "world-deliveries": {
    describe: "Maximum number of webhooks of one world at a time; further webhooks wait",
    type: integer({ min: 1, max: 2_048 }),
    default: 128,
    option: "worldDeliveries",
  },
  "world-memory": {
    describe:
      "Approximate maximum of stored megabytes in one world; above it, requests that store something get 503",
    type: integer({ min: 1, max: 1_000_000 }),
    defaultText: "two thirds of the memory of all worlds",
    option: "worldMemory",
  },
  data: {
    describe: "File that keeps all worlds between starts, or the postgres:// URL of a database",
    describeOption:
      "File that keeps all worlds between starts, or the postgres:// URL of a database. Several servers can share a database. Its content overrides `start`, `mode` and `seed`.",
    type: dataLocation,
    option: "data",
    shown: withoutPassword,
  },
  "data-schema": {
    describe: "Schema of the database that has the tables",
    type: schemaName,
    default: "sandbank",
    option: "dataSchema",
  },
  advertise: {
    describe: "URL of this server, for other servers of the same database",
    type: httpUrl("http://10.1.2.3:4010"),
    defaultText: "the address it listens on",
    option: "advertise",
  },
  lease: {
    describe: "Time until other servers take over the worlds of a lost server",
    type: waitTime("1", "PT5S"),
    default: "PT5S",
    option: "lease",
  },
  "world-sleep": {
    describe: "Unload a world from memory after this time without a request (PostgreSQL only)",
    type: idleTime,
    default: "PT5M",
    option: "worldSleep",
  },
  "clock-turn-timeout": {
    describe: "Maximum time of a clock follower's turn; then the advance stops",
    type: waitTime("0.1", "PT10S"),
    default: "PT10S",
    option: "clockTurnTimeout",
  },
  "clock-lease": {
    describe: "Time until a silent follower of the clock is removed",
    type: waitTime("0.1", "PT10S"),
    default: "PT10S",
    option: "clockLease",
  },
  metrics: {
    describe: "Serve metrics for Prometheus at /metrics",
    type: yesOrNo,
    default: false,
    option: "metrics",
  },
  "webhook-url": {
    describe: "Send the webhooks of all companies to this URL",
    describeOption: "Sends the webhooks of all companies to this URL; default: the URL of each company.",
    type: webhookUrl,
    option: "webhookUrl",
  },
  "egress-allow": {
    describe: "Address or CIDR range that webhook.egress=hosted allows as well (repeatable)",
    type: addressRanges,
    option: "egressAllow",
  },
  "allowed-hosts": {
    describe:
      "Name that the sandbox also answers to, in addition to addresses, localhost and names without a dot; .example.com for all names below it (repeatable)",
    type: hostNames,
    option: "allowedHosts",
  },
  origin: {
    describe: "URL of the sandbox for clients, for example of a proxy; URLs in answers begin with it",
    type: originUrl("https://sandbox.example.com"),
    defaultText: "the address of each request",
    option: "origin",
  },
  "admin-token": {
    describe: "Token that requests under /sandbox must send in the header x-admin-token",
    type: headerToken,
    defaultText: "none required",
    option: "adminToken",
    isSecret: true,
  },
  "log-level": {
    describe: "Level of the log on standard error; debug logs every request",
    type: oneOf(["silent", "error", "warn", "info", "debug"]),
    default: "info",
  },
  "log-format": {
    describe: "Form of the output and the log: text for readers, or JSON after the line with the address",
    type: oneOf(["text", "json"]),
    default: "text",
  },
  assume: {
    describe: "Set an assumption: id=value (repeatable)",
    describeInFile: "Assumptions to set, by id (sandbank assumptions lists them)",
    type: assumptions,
    key: "assumptions",
    option: "assumptions",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

export type SettingValue<Name extends SettingName> =
  (typeof settings)[Name]["type"] extends SettingType<infer T> ? T : never;

export const settingNames = Object.keys(settings) as SettingName[];

/** `SANDBANK_WEBHOOK_URL` for `webhook-url`. */
export function variableOf(name: SettingName | "config"): string {
  return `SANDBANK_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Returns the key of a setting in the configuration file. */
export function keyOf(name: SettingName): string {
  const { key }: Setting = settings[name];
  return key ?? name;
}

/** An option without a flag, such as a function. It is passed on unchanged. */
const anything: SettingType<unknown> = { schema: {}, read: (value) => ({ value }) };

/** The compiler requires every option that is not in the table to be here. */
const OTHER_OPTIONS: Readonly<
  Record<Exclude<keyof SandboxOptions, keyof SettingOptions>, SettingType<unknown>>
> = {
  log: anything,
  transport: anything,
  audit: anything,
};

const DESCRIBED_OPTIONS = Object.fromEntries(
  Object.values<Setting>(settings).flatMap(({ option, optionType, type }) =>
    option === undefined ? [] : [[option, optionType ?? type]],
  ),
);

/** Options that cannot be used: a sentence for each problem. */
export class OptionMistake extends UsageError {
  override readonly name = "OptionMistake";
}

/** Checks the options of `createSandbox` and returns them in their normal form. Throws an `OptionMistake`. */
export function readOptions(options: SandboxOptions): SandboxOptions {
  return readValues(options, { ...DESCRIBED_OPTIONS, ...OTHER_OPTIONS });
}

/** Checks the options of `connectSandbox` in the same way. */
export function readConnectOptions(options: ConnectOptions): ConnectOptions {
  const shared = new Set(["seed", "start", "mode", "assumptions", "webhookUrl", "adminToken"]);
  const described = Object.entries(DESCRIBED_OPTIONS).filter(([name]) => shared.has(name));
  const own = { name: text("a name"), keep: yesOrNo, fixtures: lists };
  return readValues(options, { ...own, ...Object.fromEntries(described) });
}

/** Checks the options of `listen` in the same way. */
export function readListenOptions<Options extends object>(options: Options): Options {
  return readValues(options, { port: settings.port.type, host: settings.host.type });
}

function readValues<Options extends object>(
  options: Options,
  types: Readonly<Record<string, SettingType<unknown>>>,
): Options {
  const problems: string[] = [];
  const values = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const read = types[name]?.read(value);
    if (read === undefined)
      problems.push(
        `There is no option "${name}". ${suggestion(name, Object.keys(types), { all: "docs/library.md" })}`,
      );
    else if (value === undefined) return [];
    else if ("value" in read) return [[name, read.value]];
    else problems.push(`The ${name} ${read.problem}.`);
    return [];
  });
  if (problems.length > 0) throw new OptionMistake(problems.join("\n"));
  return Object.fromEntries(values) as Options;
}
