/** The parts of the proof. */
export type PartName = "receiver" | "explore" | "scenarios" | "contracts" | "doubt" | "client" | "books";

/** The verdict of a part or of the whole. `not-judged`: a named part could not be tried, or could not be decided. */
export type PartVerdict = "passed" | "failed" | "not-judged";

/** The result of a part in numbers. The words of a language make a sentence of it. */
export type Counted =
  | {
      readonly of: "check" | "scenario" | "interaction";
      readonly passed: number;
      readonly failed: number;
      readonly undecided: number;
      readonly all: number;
    }
  | { readonly of: "schedules"; readonly tried: number; readonly diverged: number }
  | { readonly of: "mutants"; readonly run: number; readonly broke: number; readonly unnoticed: number }
  | { readonly of: "books"; readonly moments: number; readonly differences: number }
  | {
      readonly of: "client";
      readonly operations: NumberOf;
      readonly refused: NumberOf;
      readonly events: NumberOf;
    }
  | { readonly of: "nothing" };

type NumberOf = readonly [number: number, all: number];

/** A point that a complete integration has. */
export type MissingPoint =
  | { readonly part: NotShown }
  | { readonly operation: string }
  | { readonly event: string }
  | { readonly refusal: "none" }
  /** A behaviour of the platform that the tests do not notice, and what that means. */
  | { readonly unnoticed: string; readonly means: string };

/** Parts that every integration can show. */
export type NotShown = Exclude<PartName, "doubt" | "books">;
