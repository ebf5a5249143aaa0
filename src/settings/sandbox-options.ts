import type { AssumptionSettings } from "../api/vocabulary.ts";
import type { ClockMode } from "../worlds/clock.ts";
import type { Log } from "../server/log.ts";
import type { SimulationOptions } from "../engine/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";

/** The options of `createSandbox`. `settings.ts` checks their values. Durations are ISO 8601 texts such as PT5M. */
export interface SandboxOptions {
  /** Seed of ids and random choices; default: 1. */
  readonly seed?: number;
  /** Start time of the clock, as an RFC 3339 timestamp; default: now. */
  readonly start?: string;
  /** `frozen`: time passes only by `advance`. `running`: time passes by itself. Default: `frozen`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id. */
  readonly assumptions?: AssumptionSettings;
  /** Folder of fixtures; default: the fixtures of the package. */
  readonly fixtures?: string;
  /** Scenario file that runs in the default world first. The other options override the scenario's settings. */
  readonly scenario?: string;
  /** Files and folders of your own provider states, in addition to the shipped ones. */
  readonly states?: readonly string[];
  /** Sends the webhooks of all companies to this http or https URL; default: the URL of each company. */
  readonly webhookUrl?: string;
  /** A world is dropped after this wall time without a request, except the default world. Default: PT1H. */
  readonly worldIdle?: string;
  /** Maximum number of requests of one world at a time, over a port. Further requests get 503. Default: 500. */
  readonly worldRequests?: number;
  /** Maximum number of webhooks of one world at a time. Further webhooks wait. Default: 128. */
  readonly worldDeliveries?: number;
  /**
   * Approximate maximum of stored megabytes in one world. Above it, requests that store something get 503. Default: two
   * thirds of the memory of all worlds.
   */
  readonly worldMemory?: number;
  /**
   * File that keeps all worlds, or the URL of a PostgreSQL database, such as `postgres://user:password@host:5432/name`.
   * Several servers can share a database. Its content overrides `start`, `mode` and `seed`.
   */
  readonly data?: string;
  /** Schema of the database that has the tables; default: `sandbank`. */
  readonly dataSchema?: string;
  /** URL of this server, for other servers of the same database; default: the address that `listen` opens. */
  readonly advertise?: string;
  /** Time until other servers take over the worlds of a lost server, at least PT1S; default: PT5S. */
  readonly lease?: string;
  /** A world of a database is unloaded from memory after this time without a request. Default: PT5M. */
  readonly worldSleep?: string;
  /** Maximum time of a clock follower's turn. Then the advance stops. Default: PT10S. */
  readonly clockTurnTimeout?: string;
  /** Time until a silent follower of the clock is removed; default: PT10S. */
  readonly clockLease?: string;
  /** True if `/metrics` answers in the format of Prometheus; default: false. */
  readonly metrics?: boolean;
  /** Token without blanks. Requests under `/sandbox` must send it in the header `x-admin-token`. Default: no token. */
  readonly adminToken?: string;
  /** Receives events such as a full disk; default: no log. */
  readonly log?: Log;
  /** Addresses and CIDR ranges that the assumption `webhook.egress: hosted` allows as well. */
  readonly egressAllow?: readonly string[];
  /**
   * Names that the sandbox also answers to at a port, in addition to addresses, localhost and names without a dot.
   * `.example.com` means all names below it. In this process it answers under every name.
   */
  readonly allowedHosts?: readonly string[];
  /** URL of the sandbox for clients. URLs in answers begin with it. Default: the address of each request. */
  readonly origin?: string;
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
   * Sends the webhooks of all companies to this http or https URL. Default: the URL of the server (`--webhook-url`).
   * With null each webhook goes to the URL of its object or company, even if the server has a URL.
   */
  readonly webhookUrl?: string | null;
  /** The token that the server was started with (`--admin-token`). */
  readonly adminToken?: string;
  /** True if the world stays on the server after `close()`, for a look at it; default: false. */
  readonly keep?: boolean;
}
