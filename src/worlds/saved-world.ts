import type { ClockState } from "./clock.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import type { WorldSettings } from "./world-options.ts";

/** A world as it stands between two commands, with all that has to outlive the process. */
export interface SavedWorld {
  readonly id: string;
  readonly name: string;
  readonly settings: WorldSettings;
  readonly clock: ClockState;
  readonly image: SimulationImage;
  readonly snapshots: ReadonlyMap<string, SimulationImage>;
  /** When issued tokens expire, in wall time. */
  readonly tokenExpiries: ReadonlyMap<string, number>;
}

/** The worlds of a server, and how many were ever made, so that no id is given twice. */
export interface SavedWorlds {
  readonly made: number;
  readonly worlds: readonly SavedWorld[];
}

/** Something that happened to a world. Taking its events one after another, from `made` on, gives the world back. */
export type WorldEvent = WorldNews & { readonly world: string };

export type WorldNews =
  | {
      readonly kind: "made";
      readonly name: string;
      readonly settings: WorldSettings;
      readonly clock: ClockState;
    }
  /** It goes on from the world `from` as that stood then. */
  | {
      readonly kind: "forked";
      readonly from: string;
      readonly name: string;
      readonly settings: WorldSettings;
      readonly clock: ClockState;
    }
  /** It was emptied, to be founded anew at `at`. */
  | { readonly kind: "begun"; readonly at: number }
  | { readonly kind: "committed"; readonly entry: JournalEntry }
  | { readonly kind: "clock"; readonly clock: ClockState }
  | { readonly kind: "settings"; readonly settings: WorldSettings }
  | { readonly kind: "token"; readonly token: string; readonly expiresAt: number }
  | { readonly kind: "snapshot"; readonly snapshot: string; readonly now: number }
  | { readonly kind: "restored"; readonly snapshot: string }
  | { readonly kind: "dropped" };

/** Hears of every event of every world, in order, as it happens. */
export type WorldLog = (event: WorldEvent) => void;
