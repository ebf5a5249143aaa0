import { existsSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { knownSeconds, TABLE } from "./dearest-first.ts";

/** Files with less processor time need no place in the order. */
const LEAST_SECONDS = 1;

/** Writes the processor time of each test file of this run into the table that sets the order of files. */
// oxlint-disable-next-line no-default-export -- vitest loads the default export of a reporter
export default class ProcessorTimes implements Reporter {
  readonly #seconds = new Map(Object.entries(knownSeconds()));

  onTestModuleEnd(module: TestModule): void {
    const { processorSeconds = 0 } = module.meta();
    this.#seconds.set(module.relativeModuleId, Math.round(processorSeconds));
  }

  onTestRunEnd(): void {
    const dear = [...this.#seconds].filter(([file, seconds]) => seconds >= LEAST_SECONDS && existsSync(file));
    const sorted = dear.toSorted(([one, seconds], [other, more]) => more - seconds || (one < other ? -1 : 1));
    writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  }
}
