import { format } from "prettier";
import { type Setting, settings } from "../src/server/settings/settings.ts";
import { typeOf } from "./shapes.ts";

const HEADER = "// Generated from src/server/settings/settings.ts by npm run generate. Do not edit it.";

/** The types of options whose schema in the file is wider. */
const TYPES: Readonly<Record<string, string>> = {
  assumptions: "AssumptionSettings",
  fixtures: "string | WorldFixtures",
  webhookUrl: "string",
};

/** Writes the type of the settings that are options of `createSandbox`, with a comment for each. */
export function settingOptions(): Promise<string> {
  const fields = Object.values<Setting>(settings).flatMap((setting) => {
    const { option, optionType, type } = setting;
    if (option === undefined) return [];
    const written = TYPES[option] ?? typeOf((optionType ?? type).schema);
    return [`/** ${commentOf(setting)} */`, `readonly ${option}?: ${written};`];
  });
  const source = [
    HEADER,
    'import type { WorldFixtures } from "../../../simulator/api/generated/shapes.ts";',
    'import type { AssumptionSettings } from "../../../simulator/api/vocabulary.ts";',
    "/** The options of `createSandbox` that are settings of `serve` as well. Durations are ISO 8601 texts such as PT5M. */\n" +
      `export interface SettingOptions { ${fields.join("\n")} }`,
  ];
  return format(source.join("\n\n"), { parser: "typescript", printWidth: 110 });
}

/** Returns the comment of an option: the description and the default, without the form that only flags have. */
function commentOf({
  describe,
  describeInFile,
  describeOption,
  default: value,
  defaultText,
}: Setting): string {
  if (describeOption !== undefined) return describeOption;
  const text = (describeInFile ?? describe).replace(" (repeatable)", "");
  const standard = defaultText ?? value;
  return `${text}${standard === undefined ? "" : `; default: ${String(standard)}`}.`;
}
