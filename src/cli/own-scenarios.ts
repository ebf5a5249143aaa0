import type { PactFile } from "../contracts/verification/pact-file.ts";
import { existsSync, readFileSync } from "node:fs";
import { statOf } from "../scenarios/scenario-files.ts";
import { fileURLToPath } from "node:url";
import { foldersAbove } from "../base/package.ts";
import { join, resolve } from "node:path";
import { stateLibrary } from "../contracts/states/state-library.ts";
import { FileMistakes } from "../base/failures.ts";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Finds the scenarios of generated pacts, next to the pacts or in the current folder, so that the user need not name
 * them again. Shipped scenarios and files with mistakes are skipped.
 */
export async function ownScenarios(pacts: readonly PactFile[], named: readonly string[]): Promise<string[]> {
  const here = [process.cwd(), ...foldersAbove(process.cwd())];
  const found = pacts.flatMap(({ file, scenarios, scenarioFolders }) =>
    scenarios.map((scenario) => {
      const folders = [...scenarioFolders, ...foldersAbove(resolve(file)), ...here];
      const path = folders.map((folder) => join(folder, scenario)).find(isFile);
      return path === undefined || isSame(path, join(PACKAGE, scenario)) ? undefined : path;
    }),
  );
  const usable: string[] = [];
  for (const path of new Set(found)) {
    if (path !== undefined && (await isUsable(path, named))) usable.push(path);
  }
  return usable;
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}

function isSame(path: string, shipped: string): boolean {
  return existsSync(shipped) && readFileSync(shipped).equals(readFileSync(path));
}

async function isUsable(path: string, named: readonly string[]): Promise<boolean> {
  try {
    return (await stateLibrary([...named, path])).all().length > 0;
  } catch (error) {
    if (error instanceof FileMistakes) return false;
    throw error;
  }
}
