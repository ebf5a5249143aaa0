import { dirname } from "node:path";
import { readFileSync } from "node:fs";

interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
}

let read: PackageJson | undefined;

function packageJson(): PackageJson {
  read ??= JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as PackageJson;
  return read;
}

/** Returns the version of this package. yargs would read the package.json of the working directory. */
export function packageVersion(): string {
  return packageJson().version;
}

/** Returns what to do if this Node is older than `engines` of package.json requires. Undefined if it is not. */
export function outdatedNode(running: string): string | undefined {
  const required = packageJson().engines.node.replace(">=", "");
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [majorMin = 0, minorMin = 0] = required.split(".").map(Number);
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return undefined;
  return `Failed to start sandbank: this is Node ${running}. Install Node ${required} or later, for example with nvm install 24.`;
}

/** Returns the folders that contain a path, the nearest first. */
export function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
