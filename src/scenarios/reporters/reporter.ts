import type { CoverageReport } from "../coverage.ts";
import type { ScenarioResult } from "../result.ts";

/** Where a report goes: standard output, or a file. */
interface ReporterOptions {
  readonly write: (text: string) => void;
  /** Whether `write` reaches a terminal, where a line of progress can be shown. */
  readonly isTerminal?: boolean;
  /** Whether colours are used: on a terminal, unless told. */
  readonly isColoured?: boolean;
}

/**
 * Told how a run goes: first how many scenarios there are, then each result in order, then the end, with what
 * was covered where that was asked for.
 */
export interface Reporter {
  started(total: number): void;
  /** A scenario begins; several are under way at a time. */
  began?(name: string): void;
  finished(result: ScenarioResult): void;
  ended(results: readonly ScenarioResult[], coverage?: CoverageReport): void;
}

export type MakeReporter = (options: ReporterOptions) => Reporter;
