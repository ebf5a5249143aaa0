import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The seconds that test files take in a run of all. `npm run test:times` measures them. */
export const TABLE = "test/timing/seconds.json";

export function knownSeconds(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(TABLE, "utf8")) as Record<string, number>;
}

/** Sorts the files by their time: a long file that begins late runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = knownSeconds();
    const of = ({ moduleId }: TestSpecification): number =>
      seconds[moduleId.slice(process.cwd().length + 1)] ?? 0;
    return (await super.sort(files)).toSorted((one, other) => of(other) - of(one));
  }
}
