import type { TestRecord } from "./test-record.ts";
import { listAssumptions } from "../../simulator/platform/assumptions/listing.ts";
import { sabotages } from "./sabotage.ts";
import { seededChance } from "../../simulator/engine/random.ts";
import { changedBehaviour } from "./changed-behaviour.ts";
import { matchesGlob } from "../../simulator/platform/faults/selection.ts";

/** One other possible behaviour of the platform. */
export interface Mutant {
  /** The id of an assumption, or of a sabotage. */
  readonly id: string;
  readonly family: "doubts" | "sabotage";
  /** Its name for a reader: `charge.resend-delay = PT90M instead of PT30M`, `ORDER-PAYOUT.ERROR never comes`. */
  readonly says: string;
  /** The changed behaviour of the platform, as a sentence. Absent if its name is a sentence. */
  readonly behaviour?: string;
  /** The value in the form of `--assume`. Null for a sabotage. */
  readonly value: string | null;
  /** The assumed behaviour of the platform. */
  readonly instead: string | null;
  /** The result of recorded traffic. Null without `--calibrated`, and for a sabotage. */
  readonly confirmed: "confirmed" | "contradicted" | "not-seen" | null;
}

/** A mutant, and the result of the partner's tests. */
export interface Doubted extends Mutant {
  readonly verdict:
    | "broke"
    | "tolerated"
    | "noticed"
    | "unnoticed"
    | "without-effect"
    | "not-reached"
    | "overruled"
    | "timed-out";
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
  readonly counts: Readonly<Record<Doubted["verdict"], number>>;
  /** The reason for the stop of the runs. Absent if they were not stopped. */
  readonly stopped?: string;
  /** Undecided if no mutant was run, or if the runs were stopped before a finding. */
  readonly verdict: "passed" | "failed" | "undecided";
}

export const families = ["doubts", "sabotage"] as const satisfies readonly Mutant["family"][];

/** A report of `sandbank calibrate`, as far as it is read here. */
export interface Calibrated {
  readonly verdicts: ReadonlyMap<string, string>;
  /** The values that traffic has shown in place of the defaults. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Writes a mutant in the form of `SANDBANK_MUTANT`. The same form names a mutant exactly. */
export function writtenMutant({ id, value }: Pick<Mutant, "id" | "value">): string {
  return value === null ? `sabotage:${id}` : `${id}=${value}`;
}

/** Returns the name of a mutant in a report. */
export function nameOf({ id, value }: Pick<Mutant, "id" | "value">): string {
  return value === null ? id : `${id}=${value}`;
}

/** Returns every mutant, in the order of the catalog. An assumption that traffic has contradicted is left out. */
export function allMutants(calibrated?: Calibrated): Mutant[] {
  const doubts = listAssumptions().flatMap((assumption): Mutant[] => {
    const { id, alternatives, default: standard } = assumption;
    const verdict = calibrated?.verdicts.get(id);
    if (verdict === "contradicted") return [];
    const confirmed = calibrated === undefined ? null : verdict === "confirmed" ? "confirmed" : "not-seen";
    return alternatives
      .filter((value) => !isSilence(id, value))
      .map((value) => {
        const says = `${id} = ${value} instead of ${String(standard)}`;
        const behaviour = changedBehaviour(assumption, value);
        return { id, family: "doubts", says, behaviour, value, instead: String(standard), confirmed };
      });
  });
  const sabotage = sabotages().map(({ id, says }): Mutant => {
    return { id, family: "sabotage", says, value: null, instead: null, confirmed: null };
  });
  return [...doubts, ...sabotage];
}

/**
 * Returns true for a platform without events. No test can pass then, so the result would be useless. The sabotage
 * `never` is about each event.
 */
function isSilence(id: string, value: string): boolean {
  return id.endsWith(".events") && value === "none";
}

/** Chooses mutants by ids, globs or `id=value`. */
export function isNamed(mutant: Mutant, names: readonly string[]): boolean {
  return names.some((name) => [mutant.id, nameOf(mutant)].some((own) => matchesGlob(name, own)));
}

/**
 * Orders the mutants. Mutants that traffic has confirmed come last. If the budget is smaller, the seed draws the
 * mutants.
 */
export function byWorth(
  mutants: readonly Mutant[],
  { budget, seed }: { budget: number; seed: number },
): Mutant[] {
  const chance = seededChance(seed, "doubt");
  const drawn = new Map(mutants.map((mutant) => [mutant, chance.below(2 ** 32)]));
  const all =
    mutants.length <= budget
      ? mutants
      : mutants.toSorted((one, other) => (drawn.get(one) ?? 0) - (drawn.get(other) ?? 0));
  const rank = ({ confirmed, family }: Mutant): number =>
    confirmed === "confirmed" ? 2 : family === "sabotage" ? 1 : 0;
  return all.toSorted((one, other) => rank(one) - rank(other)).slice(0, budget);
}

/** Returns true if the tests reach the part that a mutant changes. */
export function isReached({ id, family }: Mutant, run: TestRecord): boolean {
  const { events, operations } = run;
  const [kind, ...words] = id.split(".");
  if (family === "doubts")
    return run.assumptions.has(id) || (kind === "freedoms" && operations.size + events.size > 0);
  const named = words.slice(0, -1).join(".");
  if (kind === "event") return events.has(named);
  if (kind === "operation") return operations.has(named);
  return kind === "signatures" ? events.size > 0 : operations.size > 0;
}
