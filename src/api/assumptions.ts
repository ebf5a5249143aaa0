/** Exports the assumptions of the sandbox as data, for all points that the API leaves open. */
import type { AssumptionId, areaAssumptions } from "../platform/assumptions/assumptions.ts";
import type { AutopilotSettings } from "./vocabulary.ts";

export type { Assumption, AssumptionKind } from "../platform/assumptions/assumption.ts";
export {
  type AssumptionId,
  type AssumptionValues,
  assumedValues,
} from "../platform/assumptions/assumptions.ts";
export { currentId, readAssumption, readAssumptions } from "../platform/assumptions/reading.ts";
export { assumptions } from "../platform/catalog.ts";
export { listAssumptions } from "../platform/assumptions/listing.ts";

/** The ids of the assumptions. */
export type AssumptionName = AssumptionId | keyof AutopilotSettings;

/** The values of the assumptions that can be set. */
export type AssumptionSettings = AutopilotSettings & {
  readonly [Id in AssumptionId as Default<Id> extends null ? never : Id]?: Default<Id>;
};

type Default<Id extends AssumptionId> = (typeof areaAssumptions)[Id]["default"];
