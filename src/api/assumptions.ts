import type { AssumptionId, areaAssumptions } from "../platform/assumptions/assumptions.ts";
import type { AutopilotSettings } from "./vocabulary.ts";

/** The ids of the assumptions. */
export type AssumptionName = AssumptionId | keyof AutopilotSettings;

/** The values of the assumptions that can be set. */
export type AssumptionSettings = AutopilotSettings & {
  readonly [Id in AssumptionId as Default<Id> extends null ? never : Id]?: Default<Id>;
};

type Default<Id extends AssumptionId> = (typeof areaAssumptions)[Id]["default"];
