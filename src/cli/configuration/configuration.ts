import type { AssumptionValues } from "../../platform/assumptions/assumptions.ts";
import type { Setting, SettingName, SettingValue } from "./settings.ts";
import { FileMistakes } from "../usage-error.ts";
import { keyOf, settingNames, settings, variableOf } from "./settings.ts";
import { readAssumptions } from "../../platform/assumptions/reading.ts";
import { readConfigFile } from "./config-file.ts";

/** A setting that is in force, and where it comes from. */
export interface InForce<T> {
  readonly value: T | undefined;
  /** The flag, the variable, the file and key; `default` where nobody said anything. */
  readonly source: string;
}

export type Configuration = { readonly [Name in SettingName]: InForce<SettingValue<Name>> };

/** Where settings are looked for. */
export interface Surroundings {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Written {
  readonly value: unknown;
  readonly source: string;
}

/**
 * Everything that is set: a flag is stronger than a variable, and a variable than the file; assumptions are
 * put together from all three. What is wrong is told, all of it, even where something stronger stands above it.
 */
export function readConfiguration({ flags, environment }: Surroundings): Configuration {
  const named = flags["config"] ?? (environment[variableOf("config")] || undefined);
  const file = readConfigFile(named);
  const mistakes: string[] = [...file.mistakes];
  const all = settingNames.map((name) => {
    const inFile = file.values[keyOf(name)];
    const variable = environment[variableOf(name)];
    const written: Written[] = [
      { value: flags[name], source: `--${name}` },
      // A variable that is empty counts as not set, as compose files have it.
      { value: variable === "" ? undefined : variable, source: variableOf(name) },
      { value: inFile, source: `${file.path}: ${keyOf(name)}` },
    ].filter(({ value }) => value !== undefined);
    return [name, inForce(settings[name], written, mistakes)];
  });
  if (mistakes.length > 0) throw new FileMistakes(mistakes.join("\n"));
  return Object.fromEntries(all) as Configuration;
}

function inForce(setting: Setting, written: readonly Written[], mistakes: string[]): InForce<unknown> {
  const read: InForce<unknown>[] = [];
  for (const { value, source } of written) {
    const result = setting.read(value);
    if ("mistake" in result) mistakes.push(`${source} ${result.mistake}.`);
    else read.push({ value: result.value, source });
  }
  const [strongest] = read;
  if (strongest === undefined) return { value: setting.default, source: "default" };
  return setting.key === "assumptions" ? together(read, mistakes) : strongest;
}

/** Assumptions are decided one by one, so each place has its say; what has to agree may come from two of them. */
function together(read: readonly InForce<unknown>[], mistakes: string[]): InForce<unknown> {
  const value = Object.assign({}, ...read.map((one) => one.value as object).reverse()) as AssumptionValues;
  const source = read.map((one) => one.source).join(", ");
  mistakes.push(...readAssumptions(value).mistakes.map((mistake) => `${source} is wrong: ${mistake}`));
  return { value, source };
}
