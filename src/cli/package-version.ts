import { readFileSync } from "node:fs";

/** The version of this package, which yargs would look for in the folder of the start. */
export function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
