import type { ClockState } from "./clock.ts";
import type { Company } from "../api/generated/shapes.ts";
import { hostname } from "node:os";
import { randomBytes } from "node:crypto";
import { packageVersion } from "../process/package.ts";

/** A server among those of a sandbox. */
export interface ServerIdentity {
  readonly id: string;
  readonly version: string;
  readonly startedAt: Date;
}

/** A new server: the name of its machine, with an end of its own. */
export function newServer(): ServerIdentity {
  const machine = hostname().split(".")[0] ?? "server";
  return {
    id: `${machine}-${randomBytes(3).toString("hex")}`,
    version: packageVersion(),
    startedAt: new Date(),
  };
}

/** A server as `GET /sandbox/servers` shows it. */
export interface RunningServer extends ServerIdentity {
  /** Where other servers reach it; null while it listens nowhere. */
  readonly url: string | null;
  readonly seenAt: Date;
  /** How many worlds are loaded in it. */
  readonly worlds: number;
}

/** What lists show of a world, loaded or not. */
export interface WorldSummary {
  readonly seed: number;
  readonly clock: ClockState;
  /** Its companies with their credentials. */
  readonly companies: readonly Company[];
}

/** A world that may be on another server, or not loaded. */
export interface ListedWorld extends WorldSummary {
  readonly id: string;
  readonly name: string;
  /** The server that has loaded it; null if none has. */
  readonly server: string | null;
}

/** The servers of a sandbox, as any of them sees them. */
export interface Servers {
  /** The id of this one. */
  readonly id: string;
  list(): Promise<readonly RunningServer[]>;
  /** Every world of all servers; undefined if there is no other server. */
  readonly worlds?: () => Promise<readonly ListedWorld[]>;
  /** Why the sandbox cannot be used at the moment; undefined if it can. */
  readonly unavailable: string | undefined;
  /** Why this server should receive no requests; undefined if it should. */
  unready(): string | undefined | Promise<string | undefined>;
}
