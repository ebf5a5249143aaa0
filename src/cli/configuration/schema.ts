import type { Setting } from "./settings.ts";
import { keyOf, settingNames, settings } from "./settings.ts";

/** The JSON Schema of the configuration file, from the table of settings. */
export function configSchema(): string {
  const properties = settingNames.map((name) => {
    const { schema, describe, default: value }: Setting = settings[name];
    const description =
      name === "assume" ? "Assumptions to decide, by id (sandbank assumptions lists them)" : describe;
    return [keyOf(name), { description, ...schema, ...(value !== undefined && { default: value }) }];
  });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "config.schema.json",
    title: "Configuration of sandbank",
    description:
      "Settings of sandbank serve, in sandbank.config.yaml. A SANDBANK_ variable is stronger than this file, and a flag is stronger than both.",
    type: "object",
    properties: Object.fromEntries(properties) as object,
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
