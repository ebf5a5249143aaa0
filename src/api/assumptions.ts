/** What the sandbox assumes where the interface leaves something open, as data. */
export type { Assumption, AssumptionKind } from "../platform/assumptions/assumption.ts";
export {
  type AssumptionId,
  type AssumptionValues,
  assumedValues,
} from "../platform/assumptions/assumptions.ts";
export { currentId, readAssumption, readAssumptions } from "../platform/assumptions/reading.ts";
export { assumptions } from "../platform/catalog.ts";
export { listAssumptions } from "../platform/assumptions/listing.ts";
