import type { AssumptionSettings } from "../api/assumptions.ts";
import type { ClockMode } from "../worlds/clock.ts";
import type { Log } from "../server/log.ts";
import type { SimulationOptions } from "../engine/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";

/** The options of `createSandbox`. Each is described in `settings.ts` too, which checks its values. */
export interface SandboxOptions {
  /** Seed of ids and random choices; default: 1. */
  readonly seed?: number;
  /** RFC 3339 timestamp of the clock's start. Default: now. */
  readonly start?: string;
  /** Default: `frozen`: time passes only by `advance`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id. */
  readonly assumptions?: AssumptionSettings;
  /** Folder of fixtures; default: the shipped ones. */
  readonly fixtures?: string;
  /** Scenario file that runs in the default world first. The other options override the scenario's settings. */
  readonly scenario?: string;
  /** Files and folders of your own provider states, in addition to the shipped ones. */
  readonly states?: readonly string[];
  /** Sends the webhooks of all companies to this http or https URL; default: the URL of each company. */
  readonly webhookUrl?: string;
  /** Wall time without a request after which a world is dropped, except the default world. Default: PT1H. */
  readonly worldIdle?: string;
  /** Requests from a port to one world that are answered at a time. Further requests get 503. Default: 500. */
  readonly worldRequests?: number;
  /** Webhooks of one world that are sent at a time. Further webhooks wait. Default: 128. */
  readonly worldDeliveries?: number;
  /**
   * Approximate megabytes of one world. Beyond it, requests that store something get 503. Default: two thirds of the
   * memory of all worlds.
   */
  readonly worldMemory?: number;
  /**
   * File that keeps every world, or the URL of a PostgreSQL database, such as
   * `postgres://user:password@host:5432/name`, which several servers may share. Its content overrides `start`, `mode`
   * and `seed`.
   */
  readonly data?: string;
  /** Schema of the database that has the tables; default: `sandbank`. */
  readonly dataSchema?: string;
  /** URL of this server for other servers of the same database. Default: the address that `listen` opens. */
  readonly advertise?: string;
  /** Time after which other servers take over the worlds of a lost server, PT1S at least. Default: PT5S. */
  readonly lease?: string;
  /** Time without a request after which a world of a database is unloaded from memory; default: PT5M. */
  readonly worldSleep?: string;
  /** Time that a follower of the clock may take for a turn before it stops the advance; default: PT10S. */
  readonly clockTurnTimeout?: string;
  /** Time after which a silent follower of the clock is removed. Default: PT10S. */
  readonly clockLease?: string;
  /** Whether `/metrics` answers in the format of Prometheus; default: false. */
  readonly metrics?: boolean;
  /** Token that requests under `/sandbox` must send in the header `x-admin-token`, without blanks; default: none. */
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
  /** Sends the webhooks; default: over the network. */
  readonly transport?: Transport;
  /** Called with the simulation after every change. */
  readonly audit?: SimulationOptions["audit"];
}

/** The options of `connectSandbox`: the settings of the new world, and the access to it. */
export interface ConnectOptions {
  /** The name of the world, as `GET /sandbox/worlds` and the dashboard show it; default: its id. */
  readonly name?: string;
  /** Seed of ids and random choices. Default: a seed that no other world of the server has. */
  readonly seed?: number;
  /** RFC 3339 timestamp of the clock's start. Default: the start of the server's worlds. */
  readonly start?: string;
  /** Default: `frozen`: time passes only by `advance`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id; default: those of the server. */
  readonly assumptions?: AssumptionSettings;
  /**
   * Sends the webhooks of all companies to this http or https URL. Default: the URL of the server (`--webhook-url`).
   * With null each webhook goes to the URL of its object or company, even if the server has a URL.
   */
  readonly webhookUrl?: string | null;
  /** The token that the server was started with (`--admin-token`). */
  readonly adminToken?: string;
  /** Leaves the world on the server at the end, to look at it; default: false. */
  readonly keep?: boolean;
}
