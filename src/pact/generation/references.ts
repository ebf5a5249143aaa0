import type { Scenario } from "../../scenarios/scenario.ts";
import { dirname, join, relative, resolve, sep } from "node:path";
import { existsSync } from "node:fs";

/** The way back from an interaction to its scenario; the verifier prints it. */
export function references({ file, name }: Scenario, step?: number) {
  return {
    references: {
      scenario: {
        file: placeOf(resolve(file)),
        name,
        ...(step !== undefined && { step: String(step) }),
      },
    },
  };
}

/** The place of a file in its project, wherever that is and wherever the command was given from. */
function placeOf(file: string): string {
  const root = foldersAbove(file).find((folder) => isProject(folder)) ?? dirname(file);
  return relative(root, file).split(sep).join("/");
}

function isProject(folder: string): boolean {
  return existsSync(join(folder, "package.json")) || existsSync(join(folder, ".git"));
}

/** The folders that a path lies in, the nearest first. */
export function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
