import type { Operation } from "../../api/operations.ts";
import type { CallStep, Scenario } from "../../scenarios/scenario.ts";

/** One call of a scenario, as it went over the wire. */
export interface Exchange {
  readonly scenario: Scenario;
  readonly step: CallStep;
  readonly operation: Operation;
  readonly request: {
    readonly method: string;
    /** The path with its query. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  };
  readonly response: { readonly status: number; readonly body: unknown };
  /** What the state before the step returned, by name. */
  readonly returned: Readonly<Record<string, unknown>>;
}

/** A webhook that a scenario brought about. */
export interface SentMessage {
  readonly scenario: Scenario;
  readonly event: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
}
