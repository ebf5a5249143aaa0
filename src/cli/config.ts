import type { CommandModule } from "yargs";
import type { InForce } from "./configuration/configuration.ts";
import { keyOf, settingNames, settings } from "./configuration/settings.ts";
import type { Setting, SettingName } from "./configuration/settings.ts";
import { readConfiguration } from "./configuration/configuration.ts";
import { settingFlags } from "./configuration/flags.ts";

interface ConfigFlags {
  readonly json?: boolean | undefined;
}

/** `sandbank config`: what is in force, and where each value comes from. */
export const configCommand: CommandModule<object, ConfigFlags> = {
  command: "config",
  describe: "Print the settings that are in force, and where each comes from",
  builder: (yargs) =>
    yargs.options(settingFlags()).option("json", { type: "boolean", describe: "Print them as JSON" }),
  handler: ({ json, ...flags }) => {
    const configuration = readConfiguration({ flags, environment: process.env });
    const rows = settingNames.map((name) => ({ setting: keyOf(name), ...shown(name, configuration[name]) }));
    process.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
  },
};

function shown(name: SettingName, { value, source }: InForce<unknown>): { value: unknown; source: string } {
  const { isSecret }: Setting = settings[name];
  return { value: isSecret && value !== undefined ? "(hidden)" : (value ?? null), source };
}

function table(rows: readonly { setting: string; value: unknown; source: string }[]): string {
  const lines = rows.map(({ setting, value, source }) => [
    setting,
    value === null ? "-" : textOf(value),
    source,
  ]);
  const widths = [0, 1].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      ([setting = "", value = "", source = ""]) =>
        `${setting.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${source}\n`,
    )
    .join("");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
