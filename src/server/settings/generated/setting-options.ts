// Generated from src/server/settings/settings.ts by npm run generate. Do not edit it.

import type { WorldFixtures } from "../../../simulator/api/generated/shapes.ts";

import type { AssumptionSettings } from "../../../simulator/api/vocabulary.ts";

/** The options of `createSandbox` that are settings of `serve` as well. Durations are ISO 8601 texts such as PT5M. */
export interface SettingOptions {
  /** Start time of the clock, such as 2026-11-20T09:00:00-03:00; default: now. */
  readonly start?: string;
  /** `frozen`: time passes only by `advance`. `running`: time passes by itself. Default: `frozen`. */
  readonly mode?: "frozen" | "running";
  /** Seed of ids and random choices; default: 1. */
  readonly seed?: number;
  /** Folder of fixtures to start from, or the lists themselves; default: the shipped ones. */
  readonly fixtures?: string | WorldFixtures;
  /** Scenario file that runs in the default world first. The other options override the scenario's settings. */
  readonly scenario?: string;
  /** JSON report of sandbank calibrate, whose results the dashboard shows at each assumption. */
  readonly calibrationReport?: string;
  /** File or folder of your own provider states, in addition to the shipped ones. */
  readonly states?: readonly string[];
  /** Drop a world after this time without a request; default: PT1H; never with a data file or a database. */
  readonly worldIdle?: string;
  /** Maximum number of requests of one world at a time; further requests get 503; default: 500. */
  readonly worldRequests?: number;
  /** Maximum number of webhooks of one world at a time; further webhooks wait; default: 128. */
  readonly worldDeliveries?: number;
  /** Approximate maximum of stored megabytes in one world; above it, requests that store something get 503; default: two thirds of the memory of all worlds. */
  readonly worldMemory?: number;
  /** File that keeps all worlds between starts, or the postgres:// URL of a database. Several servers can share a database. Its content overrides `start`, `mode` and `seed`. */
  readonly data?: string;
  /** Schema of the database that has the tables; default: sandbank. */
  readonly dataSchema?: string;
  /** URL of this server, for other servers of the same database; default: the address it listens on. */
  readonly advertise?: string;
  /** Time until other servers take over the worlds of a lost server; default: PT5S. */
  readonly lease?: string;
  /** Unload a world from memory after this time without a request (PostgreSQL only); default: PT5M. */
  readonly worldSleep?: string;
  /** Maximum time of a clock follower's turn; then the advance stops; default: PT10S. */
  readonly clockTurnTimeout?: string;
  /** Time until a silent follower of the clock is removed; default: PT10S. */
  readonly clockLease?: string;
  /** Serve metrics for Prometheus at /metrics; default: false. */
  readonly metrics?: boolean;
  /** Sends the webhooks of all companies to this URL; default: the URL of each company. */
  readonly webhookUrl?: string;
  /** Address or CIDR range that webhook.egress=hosted allows as well. */
  readonly egressAllow?: readonly string[];
  /** Name that the sandbox also answers to, in addition to addresses, localhost and names without a dot; .example.com for all names below it. */
  readonly allowedHosts?: readonly string[];
  /** URL of the sandbox for clients, for example of a proxy; URLs in answers begin with it; default: the address of each request. */
  readonly origin?: string;
  /** Token that requests under /sandbox must send in the header x-admin-token; default: none required. */
  readonly adminToken?: string;
  /** Assumptions to set, by id (sandbank assumptions lists them). */
  readonly assumptions?: AssumptionSettings;
}
