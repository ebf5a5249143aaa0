import { print } from "./standard-streams.ts";
import { readUserText } from "../base/user-file.ts";
import { command } from "./command.ts";
import { type Flag, PORTS, toggle } from "./flags.ts";
import { LIMITS } from "../checks/explore/search-limits.ts";
import { type SettingType, httpUrl, integer, text } from "../server/settings/setting-types.ts";
import type { AssumptionValues } from "../simulator/platform/assumptions/assumptions.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { existsSync } from "node:fs";
import { FileMistakes } from "../base/failures.ts";
import { type Path, formatMistake, readYaml } from "../base/yaml-file.ts";
import { foundKind } from "../simulator/api/found-value.ts";
import {
  type Setting,
  type SettingName,
  type SettingValue,
  keyOf,
  settingNames,
  settings,
  variableOf,
} from "../server/settings/settings.ts";
import { readAssumptions } from "../simulator/platform/assumptions/reading.ts";

/** The file that is read if the user names no file. */
const CONFIG_FILE = "sandbank.config.yaml";

/** The value of a setting, and its source. */
interface InForce<T> {
  readonly value: T | undefined;
  /** The flag, the variable, or the file and key; `default` if no place sets it. */
  readonly source: string;
}

export type Configuration = { readonly [Name in SettingName]: InForce<SettingValue<Name>> };

interface ConfigurationPlaces {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads every setting: a flag overrides a variable, and a variable overrides the file. Assumptions are combined
 * from all three. Throws `FileMistakes` with every problem, also of values that are overridden. yargs could read
 * variables and a file too, but it reports one problem only and not the place of a value.
 */
export function readConfiguration({ flags, environment }: ConfigurationPlaces): Configuration {
  const file = readConfigFile(flags["config"] ?? (environment[variableOf("config")] || undefined));
  const problems: string[] = [...file.problems];
  const all = settingNames.map((name) => {
    const written = [
      { value: flags[name], source: `--${name}` },
      // An empty variable counts as not set, because compose files cannot leave out a variable.
      { value: environment[variableOf(name)] || undefined, source: variableOf(name) },
      {
        value: file.values[keyOf(name)],
        source: `${file.path}: ${keyOf(name)}`,
        place: file.lineAt([keyOf(name)], keyOf(name)),
      },
    ];
    return [name, inForce(settings[name], written, problems)];
  });
  if (problems.length > 0) throw new FileMistakes(problems.join("\n"));
  return Object.fromEntries(all) as Configuration;
}

function inForce(
  setting: Setting,
  written: readonly (InForce<unknown> & { readonly place?: string })[],
  problems: string[],
): InForce<unknown> {
  const values = written.flatMap(({ value, source, place = source }) => {
    if (value === undefined) return [];
    const read = setting.type.read(setting.type.parse?.(value) ?? value);
    if ("value" in read) return [{ value: read.value, source }];
    problems.push(sentence(`${place} ${read.problem}`));
    return [];
  });
  if (setting.key !== "assumptions") return values[0] ?? { value: setting.default, source: "default" };
  if (values.length === 0) return { value: undefined, source: "default" };
  // The strongest place of each id wins. Values that depend on each other are checked together.
  const value = Object.assign({}, ...values.map((one) => one.value as object).reverse()) as AssumptionValues;
  const source = values.map((one) => one.source).join(", ");
  problems.push(...readAssumptions(value).mistakes.map((mistake) => `${source} cannot be used: ${mistake}`));
  return { value, source };
}

/** Ends a sentence with a full stop, if it has no end yet. */
function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** A line for each unknown key and each wrong value of the section `checks`. */
  readonly problems: readonly string[];
  /** Returns the line for a mistake at a path. */
  readonly lineAt: (path: Path, message: string) => string;
}

/** Reads the configuration file. If the user names no file, reads the default file of this folder, if it exists. */
function readConfigFile(named: unknown): ConfigFile {
  const path = typeof named === "string" ? named : CONFIG_FILE;
  if (named === undefined && !existsSync(path))
    return { path, values: {}, problems: [], lineAt: (_, message) => message };
  const file = readFile(path);
  const lineAt: ConfigFile["lineAt"] = (at, message) =>
    formatMistake({ file: path, ...file.keyPlace(at), message });
  const values = file.value ?? {};
  if (!isRecord(values)) {
    const advice = "Begin with a line such as port: 4010.";
    throw new FileMistakes(
      lineAt([], `The file must be a mapping of settings to values; found ${foundKind(values)}. ${advice}`),
    );
  }
  const keys = [...settingNames.map(keyOf), "checks"];
  const unknown = Object.keys(values).filter((key) => !keys.includes(key));
  const problems = unknown.map((key) =>
    lineAt([key], `There is no setting "${key}". ${suggestion(key, keys, { all: "docs/running.md" })}`),
  );
  const ofChecks = checksProblems(values["checks"] ?? {}).map(({ at, message }) => lineAt(at, message));
  return { path, values, problems: [...problems, ...ofChecks], lineAt };
}

/** A key of the section `checks`. */
interface CheckKey {
  readonly describe: string;
  readonly type: SettingType<unknown>;
}

const anUrl = httpUrl("http://127.0.0.1:3000/webhooks");
const settleRange = LIMITS.settleMs.range;

/** The facts about the user's system for commands that test it: the keys of the section `checks`. */
export const CHECKS: Readonly<Record<string, CheckKey>> = {
  receiver: { describe: "URL of your webhook receiver", type: anUrl },
  probe: { describe: "URL that returns your system's state as JSON", type: anUrl },
  reset: { describe: "URL that empties your system on a POST", type: anUrl },
  port: {
    describe: "Port of the sandbox, for the calls of your system",
    type: integer({ min: PORTS[0], max: PORTS[1] }),
  },
  secret: { describe: "Webhook secret of the receiver", type: text("a text, in quotes if it is a number") },
  settle: { describe: LIMITS.settleMs.says, type: integer({ min: settleRange[0], max: settleRange[1] }) },
  partner: { describe: "Command that starts your system", type: text("a command") },
  "partner-start": {
    describe: "Command that starts your system if another program runs it",
    type: text("a command"),
  },
  "partner-stop": {
    describe: "Command that kills your system if another program runs it",
    type: text("a command"),
  },
  "partner-ready": {
    describe: "URL of your system that answers 2xx when it accepts requests",
    type: anUrl,
  },
};

function checksProblems(checks: unknown): { readonly at: Path; readonly message: string }[] {
  if (!isRecord(checks))
    return [{ at: ["checks"], message: "checks must be a mapping, such as checks: { receiver: URL }." }];
  const keys = Object.keys(CHECKS);
  return Object.entries(checks).flatMap(([key, value]) => {
    const at = ["checks", key];
    const type = CHECKS[key]?.type;
    if (type === undefined)
      return [
        {
          at,
          message: `There is no key "${key}" in checks. ${suggestion(key, keys, { all: "docs/running.md" })}`,
        },
      ];
    const read = type.read(type.parse?.(value) ?? value);
    return "problem" in read ? [{ at, message: sentence(`checks.${key} ${read.problem}`) }] : [];
  });
}

/**
 * Returns the section `checks` of the configuration file, as texts. Throws `FileMistakes` with every problem of the
 * file.
 */
export function checksOf(environment: ConfigurationPlaces["environment"]): Record<string, string> {
  const { values, problems } = readConfigFile(environment[variableOf("config")] || undefined);
  if (problems.length > 0) throw new FileMistakes(problems.join("\n"));
  const checks = Object.entries((values["checks"] ?? {}) as Record<string, string | number>);
  return Object.fromEntries(checks.map(([key, value]) => [key, String(value)]));
}

/** Reads a configuration file. Throws `FileMistakes` with every mistake of the YAML. */
function readFile(path: string) {
  let text: string;
  try {
    text = readUserText(path);
  } catch (error) {
    throw new FileMistakes(`Failed to read ${path}: ${(error as Error).message}. Name an existing file.`);
  }
  const file = readYaml(text, path, { what: "configuration" });
  if (file.mistakes.length > 0) throw new FileMistakes(file.mistakes.map(formatMistake).join("\n"));
  return file;
}

/**
 * Returns the flags of all settings. yargs gets no defaults, so that `sandbank config` can report the values that were
 * set.
 */
export function settingFlags(): Record<string, Flag<unknown>> {
  const flags = settingNames.map((name): [string, Flag<unknown>] => [name, flagOf(settings[name])]);
  const describe = `Configuration file [default: ${CONFIG_FILE}, if it exists]`;
  return Object.fromEntries([...flags, ["config", { type: "string", requiresArg: true, describe }]]);
}

function flagOf(setting: Setting): Flag<unknown> {
  const { type } = setting;
  const describe =
    setting.describe +
    notesOf(setting)
      .map((note) => ` [${note}]`)
      .join("");
  if (type.flag !== "switch")
    return { type: "string", requiresArg: true, describe, ...(type.flag === "list" && { array: true }) };
  // As a text, so that a wrong value is reported and not read as false. The flag without a value means true.
  return { type: "string", describe, read: (written) => (written === "" ? true : written) };
}

/** Returns `choices: …` and `default: …` of a setting, if it has them. */
export function notesOf({ type: { choices }, default: value, defaultText }: Setting): string[] {
  const standard = defaultText ?? value;
  return [
    ...(choices === undefined ? [] : [`choices: ${choices.join(", ")}`]),
    ...(standard === undefined ? [] : [`default: ${String(standard)}`]),
  ];
}

const flags = { ...settingFlags(), json: toggle("Print the settings as JSON") };

/** `sandbank config`: the value of every setting, and its source. */
export const configCommand = command(flags, ({ json, ...flags }) => {
  const configuration = readConfiguration({ flags, environment: process.env });
  const rows = settingNames.map((name) => ({ setting: keyOf(name), ...shown(name, configuration[name]) }));
  print(json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
});

function shown(name: SettingName, { value, source }: InForce<unknown>): { value: unknown; source: string } {
  const { isSecret, shown: show = (one) => one }: Setting = settings[name];
  return { value: isSecret && value !== undefined ? "(hidden)" : (show(value) ?? null), source };
}

function table(rows: readonly { setting: string; value: unknown; source: string }[]): string {
  const lines = rows.map(({ setting, value, source }) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return { setting, text: value === null ? "-" : text, source };
  });
  const [settingWidth, textWidth] = (["setting", "text"] as const).map((column) =>
    Math.max(...lines.map((line) => line[column].length)),
  );
  return lines
    .map(
      ({ setting, text, source }) =>
        `${setting.padEnd(settingWidth ?? 0)}  ${text.padEnd(textWidth ?? 0)}  ${source}\n`,
    )
    .join("");
}
