import type { Fixtures } from "../platform/founding.ts";
import type { RecordingMark } from "./recorder.ts";
import type { SimulationImage, SimulationOptions } from "../core/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { WorldSettings } from "./world.ts";
import { renewCredentials } from "../platform/founding.ts";
import { World } from "./world.ts";

export const DEFAULT_WORLD = "default";

/** What every world of a server has in common. */
export interface WorldsOptions {
  readonly fixtures: Fixtures;
  readonly transport: Transport;
  readonly wallNow: () => number;
  readonly audit?: SimulationOptions["audit"];
  /** What the default world is made with, and what a new world takes where it says nothing. */
  readonly defaults: WorldSettings;
}

/** The worlds of one server, by id and by the credentials that name them. */
export class Worlds {
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  #made = 0;

  constructor(options: WorldsOptions) {
    this.#options = options;
    this.#add(DEFAULT_WORLD, DEFAULT_WORLD, options.defaults);
  }

  get default(): World {
    return this.#worlds.get(DEFAULT_WORLD)!;
  }

  /** What a new world takes where its request says nothing. */
  get defaults(): WorldSettings {
    return this.#options.defaults;
  }

  all(): World[] {
    return [...this.#worlds.values()];
  }

  get(id: string): World | undefined {
    return this.#worlds.get(id);
  }

  /** Makes a world with credentials of its own; what is left out comes from the server's own settings. */
  create(settings: Partial<WorldSettings> & { readonly name?: string }): World {
    const id = `w${++this.#made}`;
    return this.#add(id, settings.name ?? id, { ...this.defaults, ...settings });
  }

  /** Makes a world that goes on from an image of another, under credentials of its own. */
  fork(world: World, image: SimulationImage): World {
    const id = `w${++this.#made}`;
    const settings = { ...world.settings, mode: world.clockMode };
    const fork = this.#add(id, `${world.name} (fork)`, settings, { image, mark: world.markOf(image) });
    const suffixes = { from: world.credentialSuffix, to: fork.credentialSuffix };
    fork.execute({ by: "control", name: "fork" }, (tx) => renewCredentials(tx, suffixes));
    return fork;
  }

  /** Drops a world and everything in it; the default world stays. */
  drop(id: string): boolean {
    if (id === DEFAULT_WORLD) return false;
    this.#worlds.get(id)?.close();
    return this.#worlds.delete(id);
  }

  /** The world that a token or client id belongs to: its suffix names it, and without one it is the default. */
  ofCredential(credential: string): World | undefined {
    const dot = credential.lastIndexOf(".");
    return (dot >= 0 ? this.#worlds.get(credential.slice(dot + 1)) : undefined) ?? this.default;
  }

  close(): void {
    for (const world of this.#worlds.values()) world.close();
  }

  #add(
    id: string,
    name: string,
    settings: WorldSettings,
    past?: { readonly image: SimulationImage; readonly mark: RecordingMark },
  ): World {
    const { fixtures, transport, wallNow, audit } = this.#options;
    const credentialSuffix = id === DEFAULT_WORLD ? "" : `.${id}`;
    const options = { id, name, settings, fixtures, credentialSuffix, transport, wallNow };
    const world = new World({ ...options, ...(audit && { audit }) }, past?.image, past?.mark);
    this.#worlds.set(id, world);
    return world;
  }
}
