import type { ScenarioResult } from "../result.ts";

/** Where a report goes: standard output, or a file. */
interface ReporterOptions {
  readonly write: (text: string) => void;
  /** Whether `write` reaches a terminal; only there are colours used. */
  readonly isTerminal?: boolean;
}

/** Told how a run goes: first how many scenarios there are, then each result in order, then the end. */
export interface Reporter {
  started(total: number): void;
  finished(result: ScenarioResult): void;
  ended(results: readonly ScenarioResult[]): void;
}

export type MakeReporter = (options: ReporterOptions) => Reporter;
