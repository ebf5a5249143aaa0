import type { ChangeableSettings } from "../platform/world-settings.ts";
import type { ClockMode } from "./clock.ts";
import type { Fixtures } from "../platform/seed.ts";
import type { FaultDefinition } from "../platform/faults/fault.ts";

/** The settings of one world. */
export interface WorldSettings extends ChangeableSettings {
  readonly seed: number;
  /** Null starts at the present wall time. */
  readonly start: number | null;
  readonly mode: ClockMode;
  /** The fixtures of this world alone. Default: the fixtures of the server. */
  readonly fixtures?: Fixtures;
  /** Faults that are armed from the start, after a reset too. */
  readonly faults?: readonly FaultDefinition[];
}
