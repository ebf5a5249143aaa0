import type { AssumptionKind } from "./assumption.ts";
import type { AssumptionValues } from "./assumptions.ts";
import { alternativesOf } from "./alternatives.ts";
import { assumptions } from "../catalog.ts";
import { howObserved, NOT_MEASURED, whyNotObserved } from "../../api/generated/observed.ts";

/** One assumption as `sandbank assumptions` and `GET /sandbox/assumptions` show it. */
export interface ListedAssumption {
  readonly id: string;
  readonly type: AssumptionKind;
  /** Null for a statement. */
  readonly default: unknown;
  /** What this world assumes: the default where no other value was set. */
  readonly value: unknown;
  readonly settable: boolean;
  /** Other values that the platform could have, as text for `--assume`; none of a statement and of the sandbox itself. */
  readonly alternatives: readonly string[];
  readonly says: string;
  readonly leavesOpen: string;
  readonly because: string;
  /** How recorded traffic shows it; null where it cannot. */
  readonly observed: string | null;
  /** Why recorded traffic cannot show it; null where it can. */
  readonly notObserved: string | null;
}

/** Every assumption in the order of the catalog, with the values of a world. */
export function listAssumptions(values: AssumptionValues = {}): readonly ListedAssumption[] {
  return Object.entries(assumptions).map(([id, known]) => ({
    id,
    type: known.type,
    default: known.default,
    value: values[id] ?? known.default,
    settable: known.type.kind !== "statement",
    alternatives: alternativesOf(id, known),
    says: known.says,
    leavesOpen: known.leavesOpen,
    because: known.because,
    observed: howObserved[id] ?? null,
    notObserved: id in howObserved ? null : (whyNotObserved[id] ?? NOT_MEASURED),
  }));
}
