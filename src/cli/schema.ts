import { command } from "./command.ts";
import { text } from "./flags.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { readdirSync, readFileSync } from "node:fs";
import { UsageError } from "../base/failures.ts";
import { writeOutput } from "./output.ts";

const FOLDER = new URL("../../schemas/", import.meta.url);
const ENDING = ".schema.json";

const flags = {
  name: text("Name of a schema, such as scenario [default: all schemas]", { isArgument: true }),
  out: text("Write the schema to this file [default: standard output]"),
};

/** `sandbank schema`: prints the JSON Schemas of requests, answers and files. */
export const schemaCommand = command(flags, ({ name, out }) => writeOutput(schemaText(name), out));

/** Returns the text of one schema, or of all of them in one object by name. */
function schemaText(name: string | undefined): string {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
  if (name === undefined) {
    const all = Object.fromEntries(names.map((one) => [one, read(one)]));
    return `${JSON.stringify(all, null, 2)}\n`;
  }
  if (names.includes(name)) return `${JSON.stringify(read(name), null, 2)}\n`;
  throw new UsageError(`There is no schema "${name}". ${suggestion(name, names)}`);
}

/** Reads a schema without the words of our own, which strict validators refuse. */
function read(name: string): unknown {
  return withoutOwnWords(JSON.parse(readFileSync(new URL(name + ENDING, FOLDER), "utf8")));
}

function withoutOwnWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutOwnWords);
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([word, value]) => !OWN_WORDS.has(word) && !(word === "format" && value === OWN_FORMAT),
  );
  return Object.fromEntries(kept.map(([word, value]) => [word, withoutOwnWords(value)]));
}

/** The format of a time with its offset. */
const OWN_FORMAT = "instant";

/** The words for error messages, assumptions, rules and editors. JSON Schema does not know them. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  "x-assumption",
  "x-expected",
  "x-rule",
  "markdownDescription",
]);
