import type { AssumptionSettings } from "../api/assumptions.ts";
import type { ClockMode } from "../worlds/clock.ts";
import type { Log } from "../server/log.ts";
import type { SimulationOptions } from "../engine/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";

/** The options of `createSandbox`. Each is described in `settings.ts` too, which checks its values. */
export interface SandboxOptions {
  /** Seed of ids and random choices; default: 1. */
  readonly seed?: number;
  /** RFC 3339 timestamp at which the clock starts; default: now. */
  readonly start?: string;
  /** Default: `frozen`: time passes only by `advance`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id. */
  readonly assumptions?: AssumptionSettings;
  /** Folder of fixtures; default: the shipped ones. */
  readonly fixtures?: string;
  /** Scenario file that runs in the default world first; the other options override what it sets. */
  readonly scenario?: string;
  /** Files and folders of your own provider states, in addition to the shipped ones. */
  readonly states?: readonly string[];
  /** Sends the webhooks of all companies to this http or https URL; default: the URL of each company. */
  readonly webhookUrl?: string;
  /** Wall time without a request after which a world, except the default one, is dropped; default: PT1H. */
  readonly worldIdle?: string;
  /** Requests from a port to one world that are answered at a time; any more get 503. Default: 500. */
  readonly worldRequests?: number;
  /** Webhooks of one world that are sent at a time; any more wait. Default: 128. */
  readonly worldDeliveries?: number;
  /** Megabytes that one world may keep, about; what would add to it then gets 503. Default: two thirds of what all may keep. */
  readonly worldMemory?: number;
  /**
   * File that keeps every world, or the URL of a PostgreSQL database, such as `postgres://user:password@host:5432/name`,
   * which several servers may share. What it contains overrides `start`, `mode` and `seed`.
   */
  readonly data?: string;
  /** Schema of the database that has the tables; default: `sandbank`. */
  readonly dataSchema?: string;
  /** URL at which other servers of the same database reach this one; default: the address that `listen` opens. */
  readonly advertise?: string;
  /** Time after which other servers take over the worlds of one that is gone, PT1S at least; default: PT5S. */
  readonly lease?: string;
  /** Time without a request after which a world of a database is unloaded from memory; default: PT5M. */
  readonly worldSleep?: string;
  /** Time that a follower of the clock may take for a turn before it stops the advance; default: PT10S. */
  readonly clockTurnTimeout?: string;
  /** Time after which a follower of the clock that is silent is removed; default: PT10S. */
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
   * Names under which the sandbox also answers at a port, besides addresses, localhost and names without a dot;
   * `.example.com` means all names below it. In this process it answers under every name.
   */
  readonly allowedHosts?: readonly string[];
  /** URL at which clients reach the sandbox. URLs in answers begin with it; default: the address of each request. */
  readonly origin?: string;
  /** Sends the webhooks; default: over the network. */
  readonly transport?: Transport;
  /** Called with the simulation after every change. */
  readonly audit?: SimulationOptions["audit"];
}

/** The options of `connectSandbox`: what the new world is made with, and how it is reached. */
export interface ConnectOptions {
  /** The name of the world, as `GET /sandbox/worlds` and the dashboard show it; default: its id. */
  readonly name?: string;
  /** Seed of ids and random choices; default: one that no other world of the server has. */
  readonly seed?: number;
  /** RFC 3339 timestamp at which the clock starts; default: that of the server. */
  readonly start?: string;
  /** Default: `frozen`: time passes only by `advance`. */
  readonly mode?: ClockMode;
  /** Assumptions to set, by id; default: those of the server. */
  readonly assumptions?: AssumptionSettings;
  /**
   * Sends the webhooks of all companies to this http or https URL; default: that of the server (`--webhook-url`). With
   * null each webhook goes to the URL of its object or company, whatever the server was started with.
   */
  readonly webhookUrl?: string | null;
  /** The token that the server was started with (`--admin-token`). */
  readonly adminToken?: string;
  /** Leaves the world on the server at the end, to look at it; default: false. */
  readonly keep?: boolean;
}
