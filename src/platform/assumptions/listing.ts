import type { AssumptionKind } from "./assumption.ts";
import type { AssumptionValues } from "./assumptions.ts";
import { assumptions } from "../catalog.ts";
import { howObserved } from "../../api/generated/observed.ts";

/** One assumption as `sandbank assumptions` and `GET /sandbox/assumptions` show it. */
export interface ListedAssumption {
  readonly id: string;
  readonly type: AssumptionKind;
  /** Null for a statement. */
  readonly default: unknown;
  /** What this world assumes: the default where no other value was set. */
  readonly value: unknown;
  readonly settable: boolean;
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
  return Object.entries(assumptions).map(([id, { type, default: standard, says, leavesOpen, because }]) => ({
    id,
    type,
    default: standard,
    value: values[id] ?? standard,
    settable: type.kind !== "statement",
    says,
    leavesOpen,
    because,
    observed: howObserved[id]?.observed ?? null,
    notObserved: howObserved[id]?.notObserved ?? null,
  }));
}
