import type { ClockState } from "./clock.ts";
import type { Company } from "../api/generated/shapes.ts";
import { hostname } from "node:os";
import { randomBytes } from "node:crypto";
import { packageVersion } from "../../base/package.ts";

/** Returns a new server identity: the name of its machine with a random suffix. */
export function newServer(): Pick<RunningServer, "id" | "version" | "startedAt"> {
  const machine = hostname().split(".")[0] ?? "server";
  return {
    id: `${machine}-${randomBytes(3).toString("hex")}`,
    version: packageVersion(),
    startedAt: new Date(),
  };
}

/** A server as `GET /sandbox/servers` shows it. */
export interface RunningServer {
  readonly id: string;
  readonly version: string;
  readonly startedAt: Date;
  /** The address of the server for other servers. Null while it does not listen. */
  readonly url: string | null;
  readonly seenAt: Date;
  /** The number of loaded worlds. */
  readonly worlds: number;
}

/** A world as lists show it. It may be on another server, or not loaded. */
export interface ListedWorld {
  readonly id: string;
  readonly name: string;
  readonly seed: number;
  readonly clock: ClockState;
  /** Its companies with their credentials. */
  readonly companies: readonly Company[];
  /** The server that has loaded the world. Null if it is not loaded. */
  readonly server: string | null;
}

/** The servers of a sandbox, as any of them sees them. */
export interface Servers {
  /** The id of this one. */
  readonly id: string;
  list(): Promise<readonly RunningServer[]>;
  /** Lists the worlds of all servers. Undefined if this is the only server. */
  readonly worlds?: () => Promise<readonly ListedWorld[]>;
  /** The reason why the sandbox cannot be used now. Undefined if it can. */
  readonly unavailable: string | undefined;
  /** The reason why this server should receive no requests. Undefined if it should. */
  unready(): string | undefined | Promise<string | undefined>;
}
