import { type RequestHead } from "../../../control/world-access.ts";
import type { ScenarioOperations } from "../world.ts";

/** Where the calls of a scenario go by default. */
export const DEFAULT_ORIGIN = "http://localhost";

/** A request to a world, with its answer. */
export interface RecordedRequest extends Omit<RequestHead, "origin"> {
  /** Undefined for what came over no connection. */
  readonly origin?: string;
  readonly text?: string | undefined;
  /** Null where the connection was dropped in place of an answer. */
  readonly status?: number | null | undefined;
  readonly answer?: unknown;
}

/** What a receiver answered to one attempt, or why there was no answer. */
export interface RecordedAnswer {
  readonly status: number | null;
  readonly error: string | null;
  readonly message: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly responseTruncated: boolean;
}

export interface SessionAttempt {
  readonly name: string;
  /** Whether the receiver gets to see it, and so to answer it. */
  readonly reaches: boolean;
  /** Whether a receiver that holds webhooks back also holds this one back, although it may not see it. */
  readonly waits: boolean;
}

/** One thing that reached a world, with the world's time in milliseconds, in the order in which the world handled it. */
export type SessionItem =
  | { readonly kind: "request"; readonly at: number; readonly request: RecordedRequest }
  | {
      readonly kind: "opened";
      readonly at: number;
      /** The attempts that go out together. */
      readonly attempts: readonly SessionAttempt[];
    }
  | { readonly kind: "answered"; readonly at: number; readonly name: string; readonly result: RecordedAnswer }
  | {
      readonly kind: "advanced";
      readonly at: number;
      readonly from: number;
      /** The body of the request for it. */
      readonly asked?: string | undefined;
    };

/** A session with a world, to be written as a scenario. */
export interface RecordedSession {
  readonly world: string;
  readonly seed: number;
  readonly start: number;
  readonly now: number;
  readonly assumptions: Readonly<Record<string, unknown>>;
  /** The folder of fixtures the world began with; undefined for those that ship. */
  readonly fixtures: string | undefined;
  readonly webhookUrl: string | null;
  /** They can be read more than once. */
  readonly items: () => Iterable<SessionItem>;
  /** The company of each token that is there from the start; the first one calls unless a step says otherwise. */
  readonly companies: ReadonlyMap<string, string>;
  readonly operations: ScenarioOperations;
  /** The digest of the journal, where a run of the scenario comes to the same. */
  readonly digest: string | undefined;
  /** What the recording leaves out, in a sentence each. */
  readonly gaps: readonly string[];
}
