import type { Exploration } from "./exploration.ts";
import { NotTried } from "../../base/failures.ts";
import { ofPlatform } from "./platform-state.ts";
import { type IgnoredPath, readIgnoredPath } from "../../partner/states/ignored-paths.ts";

/** Returns the JSON paths that the user leaves out. */
export function ignoredTexts({ scenario, ignore = [] }: Exploration): readonly string[] {
  return [...(scenario.probe?.ignore ?? []), ...ignore];
}

/** Returns the paths of the partner's state to leave out during a run, when the values of the run have no names yet. */
export function ignoredInRun(exploration: Exploration): readonly IgnoredPath[] {
  return ignoredTexts(exploration)
    .filter((path) => ofPlatform(path) === undefined && !path.includes("${"))
    .map(ignoredPath);
}

export function ignoredPath(path: string): IgnoredPath {
  const read = readIgnoredPath(path);
  if ("mistake" in read) throw new NotTried(read.mistake);
  return read;
}
