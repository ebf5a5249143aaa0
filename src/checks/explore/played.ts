import type { BooksFinding } from "../../scenarios/books/finding.ts";
import type { Lint } from "../../simulator/api/generated/shapes.ts";
import type { PlayedCall } from "./calls.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";
import type { ScenarioFailure } from "../../scenarios/result.ts";

/** The result of a run. */
export interface Played {
  readonly run: string;
  readonly deliveries: readonly PlayedDelivery[];
  readonly calls: readonly PlayedCall[];
  /** The platform's own objects and balances at the end, if they depend on the partner's system. */
  readonly platform?: unknown;
  /** True if a caller called without end. */
  readonly isEndless: boolean;
  /** Every text of the run by its origin, without the texts of events. */
  readonly origins: ReadonlyMap<string, string>;
  /** The state at the end. Undefined if the probe gave no state. */
  readonly state?: unknown;
  /** The reason why the probe gave no state. */
  readonly stateProblem?: string;
  /** The first differences between the partner's books and the ledger. Empty if they agree, or are not compared. */
  readonly books: readonly BooksFinding[];
  /** The number of comparisons of the books. */
  readonly moments: number;
  /** The suspicious calls of the partner's system. */
  readonly lints: readonly Lint[];
  /** The previous reading, if the state was still moving. */
  readonly moved?: unknown;
  /** The step that failed. */
  readonly failure?: Pick<ScenarioFailure, "step" | "title" | "message">;
  /** The end of each step: the number of events so far, and the time. Empty if the run was not measured. */
  readonly stepEnds: readonly { readonly events: number; readonly at: number }[];
  /** The statuses of the answers, by step. */
  readonly statuses: ReadonlyMap<number, number | null | undefined>;
  /** The number of effects of each fault, by its id. */
  readonly hits: ReadonlyMap<string, number>;
  /** The operations whose repeat came only after the clock had moved. */
  readonly lateRepeats: readonly string[];
  /** The numbers of the events whose planned kill did not happen. */
  readonly killsLeft: ReadonlySet<number>;
}
