import type { ClockState } from "../worlds/clock.ts";
import { hostname } from "node:os";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

/** A server among those of a sandbox. */
export interface ServerIdentity {
  readonly id: string;
  readonly version: string;
  readonly startedAt: Date;
}

/** What all servers of this process have in common, once it was read. */
let machine: { readonly name: string; readonly version: string } | undefined;

function machineOf(): { readonly name: string; readonly version: string } {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return { name: hostname().split(".")[0] ?? "server", version };
}

/** A new server: the name of its machine, with an end of its own. */
export function newServer(): ServerIdentity {
  const { name, version } = (machine ??= machineOf());
  return { id: `${name}-${randomBytes(3).toString("hex")}`, version, startedAt: new Date() };
}

/** A server as `GET /sandbox/servers` shows it. */
export interface RunningServer extends ServerIdentity {
  /** Where other servers reach it; null while it listens nowhere. */
  readonly url: string | null;
  readonly seenAt: Date;
  /** How many worlds are awake in it. */
  readonly worlds: number;
}

/** A company of a world with its credentials. */
export interface ListedCompany {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
  readonly webhookSecret: string;
  readonly accounts: readonly string[];
}

/** What lists show of a world, whether it is awake or not. */
export interface WorldCard {
  readonly seed: number;
  readonly clock: ClockState;
  /** Its companies with their credentials. */
  readonly companies: readonly ListedCompany[];
}

/** A world that may be on another server, or asleep. */
export interface ListedWorld extends WorldCard {
  readonly id: string;
  readonly name: string;
  /** The server that has it; null while it is asleep. */
  readonly server: string | null;
}

/** The servers of a sandbox, as any of them sees them. */
export interface Servers {
  /** The id of this one. */
  readonly id: string;
  list(): Promise<readonly RunningServer[]>;
  /** Every world of all servers; undefined where those of this server are all. */
  readonly worlds?: () => Promise<readonly ListedWorld[]>;
  /** Why the sandbox cannot be used at the moment; undefined where it can. */
  readonly unavailable: string | undefined;
  /** Why this server should be sent no requests; undefined where it should. */
  readonly unready: string | undefined;
}
