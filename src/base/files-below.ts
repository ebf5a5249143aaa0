import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the files below a folder whose names match, by their paths in the folder, in the order of the paths. Links to
 * folders are followed, and each folder is read once.
 */
export function filesBelow(folder: string, name: RegExp): string[] {
  const found: string[] = [];
  const read = new Set<string>();
  const visit = (path: string): void => {
    const real = realpathSync(join(folder, path));
    if (read.has(real)) return;
    read.add(real);
    for (const entry of readdirSync(real)) {
      const below = join(path, entry);
      // A link without a target is a file that cannot be read.
      const isFolder = statSync(join(folder, below), { throwIfNoEntry: false })?.isDirectory() === true;
      if (isFolder) visit(below);
      else if (name.test(entry)) found.push(below);
    }
  };
  visit("");
  return found.sort();
}
