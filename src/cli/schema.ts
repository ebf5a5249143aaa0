import { command } from "./command.ts";
import { text } from "./flags.ts";
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

/** `sandbank schema`: prints the JSON Schemas of requests, answers and files, as the package has them. */
export const schemaCommand = command(flags, ({ name, out }) => writeOutput(schemaText(name), out));

/** Returns the text of one schema, or of all of them in one object by name. */
function schemaText(name: string | undefined): string {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
  if (name === undefined) {
    const all = Object.fromEntries(names.map((one) => [one, JSON.parse(read(one)) as unknown]));
    return `${JSON.stringify(all, null, 2)}\n`;
  }
  if (names.includes(name)) return read(name);
  throw new UsageError(
    `There is no schema "${name}". ${suggestion(name, names, { all: "sandbank schema" })}`,
  );
}

function read(name: string): string {
  return readFileSync(new URL(name + ENDING, FOLDER), "utf8");
}
