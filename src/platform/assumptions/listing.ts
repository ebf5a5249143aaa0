import type { AssumptionKind } from "./assumption.ts";
import type { AssumptionValues } from "./assumptions.ts";
import { assumptions } from "../catalog.ts";

/** One assumption as `sandbank assumptions` and `GET /sandbox/assumptions` show it. */
export interface ListedAssumption {
  readonly id: string;
  readonly type: AssumptionKind;
  /** Null for a statement. */
  readonly default: unknown;
  /** What this world assumes: the default unless it was set. */
  readonly value: unknown;
  readonly settable: boolean;
  readonly says: string;
  readonly leavesOpen: string;
  readonly because: string;
}

/** Every assumption in the order of the catalogue, with the values that a world was made with. */
export function listAssumptions(values: AssumptionValues = {}): readonly ListedAssumption[] {
  return Object.entries(assumptions).map(([id, { type, default: standard, says, leavesOpen, because }]) => {
    const settable = type.kind !== "statement";
    return {
      id,
      type,
      default: standard,
      value: values[id] ?? standard,
      settable,
      says,
      leavesOpen,
      because,
    };
  });
}
