import type { WorldFixtures } from "../../simulator/api/generated/shapes.ts";
import type { AssumptionSettings } from "../../simulator/api/vocabulary.ts";
import type { ClockMode } from "../../simulator/worlds/clock.ts";
import type { SettingOptions } from "./generated/setting-options.ts";
import type { Log } from "../../base/log.ts";
import type { SimulationOptions } from "../../simulator/engine/simulation.ts";
import type { Transport } from "../../simulator/webhooks/transport.ts";

/** The options of `createSandbox`. `settings.ts` checks their values. Durations are ISO 8601 texts such as PT5M. */
export interface SandboxOptions extends SettingOptions {
  /** Receives events such as a full disk; default: no log. */
  readonly log?: Log;
  /** A function that sends the webhooks; default: over the network. */
  readonly transport?: Transport;
  /** A function that is called with the simulation after every change. */
  readonly audit?: SimulationOptions["audit"];
}

/** The options of `connectSandbox`: the settings of the new world, and the access to the server. */
export interface ConnectOptions {
  /** The name of the world, as `GET /sandbox/worlds` and the dashboard show it; default: its id. */
  readonly name?: string;
  /** Seed of ids and random choices. Default: a seed that no other world of the server has. */
  readonly seed?: number;
  /** Start time of the clock, as an RFC 3339 timestamp; default: the start of the server's worlds. */
  readonly start?: string;
  /** `frozen`: time passes only by `advance`. `running`: time passes by itself. Default: `frozen`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id; default: the assumptions of the server. */
  readonly assumptions?: AssumptionSettings;
  /**
   * The world's own companies, keys, payers, cards, deposit banks and people, by the names of their files
   * (`schemas/fixtures.schema.json`). Default of each list: the list of the server.
   */
  readonly fixtures?: WorldFixtures;
  /**
   * Sends the webhooks of all companies to this http or https URL. Default: the URL of the server (`--webhook-url`).
   * With null each webhook goes to the URL of its object or company, even if the server has a URL.
   */
  readonly webhookUrl?: string | null;
  /** The token that the server was started with (`--admin-token`). */
  readonly adminToken?: string;
  /** True if the world stays on the server after `close()`, for a look at it; default: false. */
  readonly keep?: boolean;
}
