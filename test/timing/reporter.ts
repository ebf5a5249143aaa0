import { existsSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { knownSeconds, TABLE } from "./longest-first.ts";

/** Files with less time need no place in the order. */
const LEAST_SECONDS = 1;

/** Writes the time of each test file of this run into the table that sets the order of files. */
// oxlint-disable-next-line no-default-export -- vitest loads the default export of a reporter
export default class Times implements Reporter {
  readonly #seconds = new Map(Object.entries(knownSeconds()));

  onTestModuleEnd(module: TestModule): void {
    this.#seconds.set(module.relativeModuleId, Math.round(module.diagnostic().duration / 1_000));
  }

  onTestRunEnd(): void {
    const long = [...this.#seconds].filter(([file, seconds]) => seconds >= LEAST_SECONDS && existsSync(file));
    const sorted = long.toSorted(([one, seconds], [other, more]) => more - seconds || (one < other ? -1 : 1));
    writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  }
}
