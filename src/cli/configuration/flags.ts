import type { Options } from "yargs";
import type { Setting } from "./settings.ts";
import { CONFIG_FILE } from "./config-file.ts";
import { settingNames, settings } from "./settings.ts";

/** The flags of every setting, as yargs takes them. Defaults stay out, so that what was not said can be told. */
export function settingFlags(): Record<string, Options> {
  const flags = settingNames.map((name): [string, Options] => [name, flagOf(settings[name] as Setting)]);
  const config: Options = {
    type: "string",
    requiresArg: true,
    describe: `File of settings; ${CONFIG_FILE} where there is one`,
  };
  return Object.fromEntries([...flags, ["config", config]]);
}

function flagOf({ describe, flag, default: value }: Setting): Options {
  const said =
    value === undefined || flag === "switch" ? describe : `${describe} [default: ${String(value)}]`;
  // As a text, so that what follows it is read and not taken for a yes; by itself it is one.
  if (flag === "switch") {
    return {
      type: "string",
      describe: said,
      coerce: (written: unknown) => (written === "" ? true : written),
    };
  }
  return { type: "string", requiresArg: true, describe: said, ...(flag === "list" && { array: true }) };
}
