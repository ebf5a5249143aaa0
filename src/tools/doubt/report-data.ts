/** The result of a mutant. A browser reads these types too, so they are in a separate file. */
export type MutantVerdict =
  | "broke"
  | "survived"
  | "noticed"
  | "unnoticed"
  | "without-effect"
  | "not-reached"
  | "overruled"
  | "timed-out";

/** One other possible behaviour of the platform. */
export interface Mutant {
  /** The id of an assumption, or of a sabotage. */
  readonly id: string;
  readonly family: "doubts" | "sabotage";
  /** What happens: `charge.resend-delay = PT90M instead of PT30M`, `ORDER-PAYOUT.ERROR never comes`. */
  readonly says: string;
  /** The value in the form of `--assume`. Null for a sabotage. */
  readonly value: string | null;
  /** The assumed behaviour of the platform. */
  readonly instead: string | null;
  /** The result of recorded traffic. Null without `--calibrated`, and for a sabotage. */
  readonly confirmed: "confirmed" | "contradicted" | "not-seen" | null;
}

/** A mutant, and the result of the partner's tests. */
export interface Doubted extends Mutant {
  readonly verdict: MutantVerdict;
  /** The names of the tests that failed, and their files if they are known. */
  readonly failed: readonly string[];
  readonly files: readonly string[];
  /** The first line with the reason of the failure. */
  readonly message: string | null;
  /** The last lines of the run. */
  readonly output: string;
  /** Null if it was not run. */
  readonly seconds: number | null;
  readonly replay: string;
  /** True if the baseline has it. */
  readonly known?: true;
}

/** A report of `sandbank doubt --reporter json`. */
export interface DoubtReport {
  readonly test: string;
  readonly seed: number;
  /** The parts that the run without a mutant reached. */
  readonly first: {
    readonly seconds: number;
    readonly events: readonly string[];
    readonly operations: readonly string[];
    readonly assumptions: readonly string[];
  };
  readonly seconds: number;
  /** False if two equal runs have different traffic. Then a mutant without effect cannot be recognised. */
  readonly isComparable: boolean;
  /** The mutants that `--budget` or `--time` left out. */
  readonly notRun: readonly string[];
  readonly mutants: readonly Doubted[];
  readonly counts: Readonly<Record<MutantVerdict, number>>;
  /** The reason for the stop of the runs. Absent if they were not stopped. */
  readonly stopped?: string;
  /** Undecided if no mutant was run, or if the runs were stopped before a finding. */
  readonly verdict: "passed" | "failed" | "undecided";
}
