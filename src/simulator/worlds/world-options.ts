import type { Follower } from "./followers.ts";
import type { Fixtures } from "../platform/seed.ts";
import type { Simulation, SimulationOptions } from "../engine/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { EventOfWorld } from "./saved-world.ts";
import type { WorldSettings } from "./world-settings.ts";

export interface WorldOptions {
  readonly id: string;
  readonly name: string;
  readonly settings: WorldSettings;
  readonly fixtures: Fixtures;
  /** The suffix of every token and client id of this world. It identifies the world. */
  readonly credentialSuffix: string;
  readonly transport: Transport;
  /** Wall time in milliseconds; a running clock moves with it. */
  readonly wallNow: () => number;
  /** Called with every change that has to outlive the process, in order, when it happens. */
  readonly log?: (event: EventOfWorld) => void;
  /** Called with each entry of the journal, and with the id of the world. */
  readonly audit?: (...committed: [...Parameters<NonNullable<SimulationOptions["audit"]>>, string]) => void;
  /** Called with every assumption that a command reads. */
  readonly consulted?: SimulationOptions["consulted"];
  /** Returns true if the world keeps as much as it may. Default: only the memory of the process is the limit. */
  readonly isFull?: (simulation: Simulation) => boolean;
  /** Called once with a world that has stopped, and the reason as a sentence. */
  readonly stopped?: (world: string, reason: string) => void;
  /** Called with a follower that was silent for its lease. */
  readonly followerGone?: (world: string, follower: Follower) => void;
}
