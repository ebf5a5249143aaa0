import { assumptionFields, valueSchema } from "./assumption-fields.ts";
import { CHECKS, notesOf } from "../src/cli/config.ts";
import { type Setting, keyOf, settingNames, settings, variableOf } from "../src/server/settings/settings.ts";

/** The table of settings in docs/running.md. */
export function settingsTable(): string {
  const rows = settingNames.map((name) => {
    const setting: Setting = settings[name];
    const option = setting.option === undefined ? "" : `\`${setting.option}\``;
    const text = [setting.describe, ...notesOf(setting)].join("; ");
    return `| \`--${name}\` | \`${variableOf(name)}\` | \`${keyOf(name)}\` | ${option} | ${text} |`;
  });
  const head = ["| flag | variable | key in the file | `createSandbox` | what it does |", "|-|-|-|-|-|"];
  return [...head, ...rows].join("\n");
}

/** The JSON Schema of the configuration file. */
export function configSchema(): object {
  const properties = settingNames.map((name) => {
    const { type, describe, describeInFile, default: value, defaultText }: Setting = settings[name];
    const standard = defaultText === undefined ? "" : `; default: ${defaultText}`;
    const description = (describeInFile ?? describe) + standard;
    const fields = name === "assume" && {
      properties: assumptionFields(valueSchema),
      additionalProperties: false,
    };
    return [
      keyOf(name),
      { description, ...type.schema, ...fields, ...(value !== undefined && { default: value }) },
    ];
  });
  const checks = {
    description:
      "Your system, for receiver check, explore, certify and run --receiver; a flag overrides each of them",
    type: "object",
    properties: Object.fromEntries(
      Object.entries(CHECKS).map(([key, { describe, type }]) => [
        key,
        { description: describe, ...type.schema },
      ]),
    ),
    additionalProperties: false,
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "config.schema.json",
    title: "Configuration of sandbank",
    description:
      "Settings of sandbank serve, in sandbank.config.yaml. A SANDBANK_ variable overrides this file, and a flag overrides both.",
    type: "object",
    properties: { ...Object.fromEntries(properties), checks },
    additionalProperties: false,
  };
}
