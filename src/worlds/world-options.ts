import type { AssumptionValues } from "../platform/assumptions/assumptions.ts";
import type { ClockMode } from "./clock.ts";
import type { Fixtures } from "../platform/founding.ts";
import type { RecordingMark } from "./recorder.ts";
import type { SavedWorld, WorldLog, WorldNews } from "./saved-world.ts";
import type { SimulationImage, SimulationOptions } from "../engine/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { World } from "./world.ts";

/** What one world can be made with. */
export interface WorldSettings {
  readonly seed: number;
  /** Null starts at the present wall time. */
  readonly start: number | null;
  readonly mode: ClockMode;
  readonly assumptions: AssumptionValues;
  readonly webhookUrl: string | null;
}

export interface WorldOptions {
  readonly id: string;
  readonly name: string;
  readonly settings: WorldSettings;
  readonly fixtures: Fixtures;
  /** Ends every token and client id of this world, so that they name it. */
  readonly credentialSuffix: string;
  readonly transport: Transport;
  /** Wall time in milliseconds; what a running clock flows with. */
  readonly wallNow: () => number;
  /** Hears of all that has to outlive the process. */
  readonly log?: WorldLog;
  readonly audit?: SimulationOptions["audit"];
}

/** What a world can go on from: another world as it stands, or itself as it was saved. */
export type WorldOrigin = { readonly forkOf: World } | { readonly saved: SavedWorld };

/** What the world starts from, where it does not start from the fixtures. */
export function originImage(origin: WorldOrigin | undefined): SimulationImage | undefined {
  if (origin === undefined) return undefined;
  return "saved" in origin ? origin.saved.image : origin.forkOf.image();
}

/** What was recorded of what the world goes on from; undefined where nobody wrote it down. */
export function originPast(origin: WorldOrigin | undefined): RecordingMark | undefined {
  return origin !== undefined && "forkOf" in origin ? origin.forkOf.chronicle.mark() : undefined;
}

/** How the log tells that a world begins: made anew, or forked from another. */
export function birthOf(
  origin: WorldOrigin | undefined,
  made: Omit<Extract<WorldNews, { kind: "made" }>, "kind">,
): WorldNews {
  return origin !== undefined && "forkOf" in origin
    ? { kind: "forked", from: origin.forkOf.id, ...made }
    : { kind: "made", ...made };
}
