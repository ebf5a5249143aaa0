import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The packages of programs that only start others, which follow the clock themselves. */
const STARTERS = new Set(["npm", "pnpm", "@pnpm/exe", "yarn", "@yarnpkg/cli-dist", "corepack", "tsx"]);

/** Returns true for the program of such a package. A user's own file may have any name. */
export function isStarter(program: string): boolean {
  try {
    const file = realpathSync(program);
    // The releases of Yarn are single files: https://yarnpkg.com/configuration/yarnrc#yarnPath
    if (/[\\/]\.yarn[\\/]releases[\\/]yarn-[^\\/]+\.c?js$/.test(file)) return true;
    for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
      const path = join(folder, "package.json");
      if (!existsSync(path)) continue;
      const { name } = JSON.parse(readFileSync(path, "utf8")) as { readonly name?: string };
      // A package inside another one may have a package.json without a name.
      if (name !== undefined) return STARTERS.has(name);
    }
    return false;
  } catch {
    return false;
  }
}
