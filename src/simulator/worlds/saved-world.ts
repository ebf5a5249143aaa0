import type { ClockState } from "./clock.ts";
import type { Change } from "../engine/store.ts";
import type { CoverageCounts } from "./coverage.ts";
import type { JournalEntry, JournalNote } from "../engine/journal.ts";
import type { SavedExchange } from "../webhooks/exchange.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import type { WorldSettings } from "./world-settings.ts";

/** A world between two commands, with all data that has to outlive the process. */
export interface SavedWorld {
  readonly id: string;
  readonly name: string;
  readonly settings: WorldSettings;
  readonly clock: ClockState;
  readonly image: SimulationImage;
  readonly snapshots: ReadonlyMap<string, SimulationImage>;
  /** The expiry of each issued token, in wall time. */
  readonly tokenExpiries: ReadonlyMap<string, number>;
  /** The attempts whose outcome is not committed, in the order of their opening; absent in older data files. */
  readonly opened?: readonly SavedExchange[];
  /** The coverage so far. Absent in a data file. */
  readonly coverage?: CoverageCounts;
}

/** The worlds of a server, and how many were ever made, so that no id is used twice. */
export interface SavedWorlds {
  readonly made: number;
  readonly worlds: readonly SavedWorld[];
}

/** A change of one of the worlds. */
export type EventOfWorld = WorldEvent & { readonly world: string };

/** A change of a world. Its events, in order from `made` on, restore the world. */
export type WorldEvent =
  | {
      readonly kind: "made";
      readonly name: string;
      readonly settings: WorldSettings;
      readonly clock: ClockState;
    }
  /** It continues from the state that the world `from` had at that moment. */
  | {
      readonly kind: "forked";
      readonly from: string;
      /** The changes that give it its own credentials, which no journal entry contains; absent in older data files. */
      readonly renewed?: readonly Change[];
      readonly name: string;
      readonly settings: WorldSettings;
      readonly clock: ClockState;
    }
  /** It was emptied, to start from the fixtures at `at`. */
  | { readonly kind: "begun"; readonly at: number }
  | { readonly kind: "committed"; readonly entry: JournalEntry }
  /** The outcome of an attempt is known. A later entry makes it a part of the world. */
  | { readonly kind: "answered"; readonly attempt: SavedExchange }
  | { readonly kind: "clock"; readonly clock: ClockState }
  /** The journal's note of a move of the clock. A recording has it in the words of the request. */
  | { readonly kind: "moved"; readonly note: JournalNote }
  | { readonly kind: "settings"; readonly settings: WorldSettings }
  | { readonly kind: "token"; readonly token: string; readonly expiresAt: number }
  | { readonly kind: "snapshot"; readonly snapshot: string; readonly now: number }
  | { readonly kind: "snapshot-removed"; readonly snapshot: string }
  | { readonly kind: "restored"; readonly snapshot: string }
  | { readonly kind: "dropped" };
