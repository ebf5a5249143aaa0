import type { Difference } from "./expectation.ts";
import type { Place } from "./scenario.ts";

export type Verdict = "passed" | "failed" | "skipped";

export interface StepResult extends Place {
  /** Counts from 1. */
  readonly number: number;
  /** `call createSubscription`: the verb and what it is about. */
  readonly title: string;
  readonly note?: string;
  readonly status: Verdict;
}

/** Something that happened in the world, as `GET /sandbox/timeline` tells it. */
export interface TimelineEntry {
  readonly at?: string;
  readonly what?: string;
  readonly objectId?: string | null;
  readonly cause?: unknown;
}

export interface ScenarioFailure extends Place {
  /** The number of the step, or 0 when the world could not be opened. */
  readonly step: number;
  readonly title: string;
  /** What is wrong, in whole sentences. */
  readonly message: string;
  readonly differences: readonly Difference[];
  /** The answer that the step got, where it got one. */
  readonly answer?: { readonly status: number | null; readonly body: unknown };
  /** The last things that happened, oldest first. */
  readonly before: readonly TimelineEntry[];
  /** What led to the object that the step is about, from the call, act, plan or fault that began it. */
  readonly why?: { readonly objectId: string; readonly causes: readonly TimelineEntry[] };
}

export interface ScenarioResult {
  readonly name: string;
  readonly file: string;
  readonly status: Verdict;
  readonly steps: readonly StepResult[];
  readonly failure?: ScenarioFailure;
  /** Why it was not run. */
  readonly skipped?: string;
  /** What a provider state gives back. */
  readonly returns?: { readonly [name: string]: unknown };
  /** The digest of the world's journal at the end. */
  readonly digest?: string;
  /** Wall time; left out of every report that has to be the same each time. */
  readonly durationMs: number;
}
