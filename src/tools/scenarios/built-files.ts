import type { Place } from "./source.ts";
import type { Scenario } from "./scenario.ts";
import { existsSync, readFileSync } from "node:fs";
import { hash } from "node:crypto";

/** What a scenario file of the package was read as when the package was built. */
export interface BuiltFile {
  readonly scenarios: readonly Scenario[];
  readonly state?: Place & { readonly name: string };
  /** Its fields except the steps, as they are written. */
  readonly top: Readonly<Record<string, unknown>>;
}

/** A line for each file, written by `scripts/build.ts` next to the bundle. Run from its sources, the package has none. */
const FILE = new URL("./built-scenarios.txt", import.meta.url);

let lines: ReadonlyMap<string, string> | undefined;

/**
 * What a text was read as with the context that ships, without the name of its file; undefined for a text that is not
 * exactly the one of a file of the package. To read the files as YAML and to check them takes longer than to run them.
 */
export function builtFile(text: string): BuiltFile | undefined {
  lines ??= new Map(existsSync(FILE) ? readFileSync(FILE, "utf8").split("\n").map(keyAndJson) : []);
  const json = lines.size === 0 ? undefined : lines.get(keyOf(text));
  return json === undefined ? undefined : (JSON.parse(json) as BuiltFile);
}

/** The line of a file. */
export function builtLine(text: string, file: BuiltFile): string {
  return `${keyOf(text)} ${JSON.stringify(file)}`;
}

function keyOf(text: string): string {
  return hash("sha256", text);
}

function keyAndJson(line: string): [key: string, json: string] {
  const end = line.indexOf(" ");
  return [line.slice(0, end), line.slice(end + 1)];
}
