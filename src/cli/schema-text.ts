import { closest } from "fastest-levenshtein";
import { readdirSync, readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

const FOLDER = new URL("../../schemas/", import.meta.url);
const ENDING = ".schema.json";

/** The text of one schema that ships, or of all of them in one object by name. */
export function schemaText(name: string | undefined): string {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
  if (name === undefined) {
    const all = Object.fromEntries(names.map((one) => [one, JSON.parse(read(one)) as unknown]));
    return `${JSON.stringify(all, null, 2)}\n`;
  }
  if (!names.includes(name)) {
    throw new UsageError(
      `There is no schema "${name}". Did you mean ${closest(name, names)}? All: ${names.join(", ")}.`,
    );
  }
  return read(name);
}

function read(name: string): string {
  return readFileSync(new URL(name + ENDING, FOLDER), "utf8");
}
