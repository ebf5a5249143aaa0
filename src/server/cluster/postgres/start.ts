import { addressOf, connectionOptions, type DatabaseOptions, isAway, reasonOf } from "./connection.ts";
import { Client, type DatabaseError } from "pg";
import { FileMistakes } from "../../../base/failures.ts";
import { migrate, quoted } from "./schema.ts";
import { setTimeout as pause } from "node:timers/promises";
import { StorageFailure } from "../../storage/storage.ts";

/** Wall time that the start waits for the database, and for the locks of other sessions. */
const STARTUP_TIMEOUT_MS = 30_000;

/** A start that waits longer for a lock looks for the session that has it. */
const BLOCKED_MS = 300;

/** The SQLSTATE of a lock that was not free in time. */
const LOCK_TIMEOUT = "55P03";
const NO_PERMISSION = "42501";

/**
 * Waits for the database, and makes or updates its tables. Rejects with a StorageFailure if the database does not answer
 * in time, and with a FileMistakes if it refuses for good.
 */
export async function prepareDatabase(
  options: DatabaseOptions,
  timeoutMs = STARTUP_TIMEOUT_MS,
): Promise<void> {
  const { url, log } = options;
  const until = performance.now() + timeoutMs;
  const seconds = Math.round(timeoutMs / 1000);
  for (let attempt = 0; ; attempt++) {
    try {
      await prepareTables(options, until, seconds);
      return;
    } catch (error) {
      if (error instanceof FileMistakes || error instanceof StorageFailure) throw error;
      const failure = error as NodeJS.ErrnoException;
      if (!isAway(failure)) throw refused(failure, options);
      const reason = reasonOf(failure);
      if (performance.now() >= until) {
        throw new StorageFailure(
          `Failed to reach the database ${addressOf(url)} within ${seconds} s: ${reason}. Start it, or name another one with --data.`,
        );
      }
      if (attempt === 0)
        log.warn({}, `Waiting up to ${seconds} s for the database ${addressOf(url)}: ${reason}.`);
      await pause(Math.min(500, Math.max(0, until - performance.now())));
    }
  }
}

async function prepareTables(
  { url, schema, log }: DatabaseOptions,
  until: number,
  seconds: number,
): Promise<void> {
  const client = new Client(connectionOptions(url));
  client.on("error", () => undefined);
  let watch: LockWatch | undefined;
  try {
    await client.connect();
    await requireUnicode(client, url);
    await migrate(client, schema, {
      lockTimeoutMs: Math.max(1, Math.ceil(until - performance.now())),
      mayWait: (pid) => {
        watch = new LockWatch(url, pid, (holders) =>
          log.warn(
            {},
            `Waiting up to ${seconds} s for a lock in the database ${addressOf(url)}: ${holders}.`,
          ),
        );
      },
    });
  } catch (error) {
    if ((error as DatabaseError).code !== LOCK_TIMEOUT) throw error;
    const holders = watch?.holders ?? "another session has it";
    throw new StorageFailure(
      `Failed to prepare the tables in the database ${addressOf(url)} within ${seconds} s: a lock was not free, because ${holders}. End that session with pg_terminate_backend, then start again.`,
    );
  } finally {
    watch?.stop();
    await client.end().catch(() => undefined);
  }
}

/** Finds the sessions for which a session waits, and reports them once. */
class LockWatch {
  holders: string | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(url: string, pid: number, found: (holders: string) => void) {
    this.#timer = setInterval(() => void this.#look(url, pid, found).catch(() => undefined), BLOCKED_MS);
  }

  async #look(url: string, pid: number, found: (holders: string) => void): Promise<void> {
    const holders = await holdersOf(url, pid);
    if (holders === undefined) return;
    if (this.holders === undefined) found(holders);
    this.holders = holders;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Names the sessions that have the lock for which the session `pid` waits. Undefined if it does not wait. */
async function holdersOf(url: string, pid: number): Promise<string | undefined> {
  const client = new Client(connectionOptions(url));
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pids: number[] }>("SELECT pg_blocking_pids($1) AS pids", [pid]);
    const pids = rows[0]?.pids ?? [];
    return pids.length === 0 ? undefined : `the session with the pid ${pids.join(" and ")} has it`;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Throws a FileMistakes if a text of partners may have characters that the database cannot store. */
async function requireUnicode(client: Client, url: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>("SHOW server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding === undefined || encoding === "UTF8" || encoding === "SQL_ASCII") return;
  throw new FileMistakes(
    `Failed to open the database ${addressOf(url)}: its encoding is ${encoding}, which lacks most characters. Name a database with the encoding UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** Returns the mistake for a database that refuses for good. A missing permission is named with its statement. */
function refused(failure: NodeJS.ErrnoException, { url, schema }: DatabaseOptions): FileMistakes {
  const reason = reasonOf(failure);
  const advice = failure.code === NO_PERMISSION ? grantOf(reason, url, schema) : "Check --data";
  return new FileMistakes(`Failed to open the database ${addressOf(url)}: ${reason}. ${advice}.`);
}

/** Returns the statement of an administrator that gives the missing permission. */
function grantOf(reason: string, url: string, schema: string): string {
  const name = quoted(schema);
  const user = `"${decodeURIComponent(URL.parse(url)?.username ?? "") || "user"}"`;
  const statement = /for database/.test(reason)
    ? `CREATE SCHEMA ${name} AUTHORIZATION ${user}`
    : `GRANT ALL ON SCHEMA ${name} TO ${user}; GRANT ALL ON ALL TABLES IN SCHEMA ${name} TO ${user}`;
  return `As an administrator of the database, run: ${statement}`;
}
