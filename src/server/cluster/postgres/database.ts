import type { Log } from "../../../base/log.ts";
import { StorageFailure } from "../../storage/storage.ts";
import { Client, Pool, type PoolClient, type QueryResult, type QueryResultRow, types } from "pg";
import { migrate, quoted } from "./schema.ts";
import { setTimeout as pause } from "node:timers/promises";
import { FileMistakes } from "../../../base/failures.ts";

/** The place of a database. */
export interface DatabaseOptions {
  /** The URL: `postgres://user:password@host:5432/name`. */
  readonly url: string;
  readonly schema: string;
  readonly log: Log;
}

/** The maximum number of connections. */
const CONNECTIONS_MAX = 10;

/** Wall time that the start waits for the database. */
const STARTUP_TIMEOUT_MS = 30_000;

/** The longest wall time of a connection attempt, and of a statement. After it the connection counts as lost. */
const CONNECT_TIMEOUT_MS = 3_000;
const QUERY_TIMEOUT_MS = 10_000;

/** The time after a result during which the database counts as reachable. */
const REACHED_MS = 100;

/** The number of tries of a statement whose connection was cut. All connections of a pool may be cut at once. */
const ATTEMPTS_MAX = 4;

/** The database cannot be reached. The sentence names neither its user nor its password. */
export class DatabaseAway extends StorageFailure {
  override readonly name = "StorageFailure";
  /**
   * True if only the connection was cut, also while it was opened, so another connection may work. The statement may
   * have been executed.
   */
  readonly isCut: boolean;

  constructor(message: string, { isCut }: { readonly isCut: boolean }) {
    super(message);
    this.isCut = isCut;
  }
}

/**
 * The connections to a PostgreSQL database. Statements that may be repeated survive a cut connection; if the
 * database cannot be reached they fail with `DatabaseAway`.
 */
export class Database {
  /** The schema of the tables, as statements name it. */
  readonly schema: string;
  readonly #pool: Pool;
  readonly #urgent: Pool;
  readonly #address: string;
  /** The reason why the database cannot be reached. Undefined if the last statement reached it. */
  away: string | undefined;
  #reachedAt = -Infinity;
  /** The number of sent statements. */
  roundTrips = 0;

  private constructor({ url, schema }: DatabaseOptions) {
    this.schema = quoted(schema);
    this.#address = addressOf(url);
    this.#pool = this.#poolOf(url, CONNECTIONS_MAX);
    this.#urgent = this.#poolOf(url, 1);
  }

  /**
   * Waits for the database, and makes its tables. Rejects with a StorageFailure if it does not answer in time, and
   * with a FileMistakes if it refuses for good.
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, schema, log } = options;
    const until = performance.now() + STARTUP_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      const client = new Client(connectionOptions(url));
      client.on("error", () => undefined);
      try {
        await client.connect();
        await migrate(client, schema);
        return new Database(options);
      } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        if (failure instanceof FileMistakes) throw failure;
        const reason = reasonOf(failure);
        if (!isAway(failure)) {
          throw new FileMistakes(
            `Failed to open the database ${addressOf(url)}: ${reason}. Check --data, and that the user may create the schema ${schema}.`,
          );
        }
        if (performance.now() >= until) {
          throw new StorageFailure(
            `Failed to reach the database ${addressOf(url)} within ${Math.round(STARTUP_TIMEOUT_MS / 1000)} s: ${reason}. Start it, or name another one with --data.`,
          );
        }
        if (attempt === 0)
          log.warn(
            {},
            `Waiting up to ${Math.round(STARTUP_TIMEOUT_MS / 1000)} s for the database ${addressOf(url)}: ${reason}.`,
          );
        await pause(Math.min(500, Math.max(0, until - performance.now())));
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  /**
   * Sends a statement whose repetition has the same effect. Repeats it if its connection is cut. A name has only one
   * text, so it is prepared once for each connection.
   */
  async query<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: readonly unknown[] = [],
    pool = this.#pool,
  ): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send<Row>(name, text, values, pool);
      } catch (error) {
        if (!(error instanceof DatabaseAway) || !error.isCut || attempt >= ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Runs a query on a connection for urgent statements only: a server that cannot renew its lease is removed. */
  urgent<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    return this.query(name, text, values, this.#urgent);
  }

  /** Makes sure that the database answers, if no statement has shown it a moment ago. */
  async reach(): Promise<void> {
    if (performance.now() - this.#reachedAt > REACHED_MS) await this.query("reach", "SELECT 1");
  }

  /** Sends a statement once, on a connection that is thrown away if it is cut or the statement takes too long. */
  async send<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: readonly unknown[],
    pool = this.#pool,
  ): Promise<QueryResult<Row>> {
    let client: PoolClient | undefined;
    let isLost = false;
    try {
      client = await pool.connect();
      this.roundTrips++;
      const result = await client.query<Row>({ name, text, values: [...values] });
      this.away = undefined;
      this.#reachedAt = performance.now();
      return result;
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      isLost = isAway(failure);
      const isCut = client === undefined ? wasCut(failure) : !TIMEOUT_MESSAGE.test(failure.message);
      throw this.#failed(failure, { isCut });
    } finally {
      client?.release(isLost);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#urgent.end()]);
  }

  #poolOf(url: string, max: number): Pool {
    const pool = new Pool({
      ...connectionOptions(url),
      max,
      idleTimeoutMillis: 60_000,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    // A cut idle connection is not an error: the next statement opens another connection.
    pool.on("error", () => {
      this.#reachedAt = -Infinity;
    });
    // A cut connection in use needs no handler, because its statement fails.
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool;
  }

  #failed(error: NodeJS.ErrnoException, { isCut }: { readonly isCut: boolean }): Error {
    const reason = reasonOf(error);
    if (!isAway(error))
      return new StorageFailure(`Failed to save the change in the database ${this.#address}: ${reason}.`);
    this.away = `The database ${this.#address} cannot be reached: ${reason}.`;
    return new DatabaseAway(this.away, { isCut });
  }
}

function connectionOptions(url: string) {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: "sandbank",
    types: { getTypeParser },
  };
}

/** Reads a bigint as a number: all of ours are counts. */
const getTypeParser = ((type: Parameters<typeof types.getTypeParser>[0], format?: "text") =>
  type === types.builtins.INT8 ? Number : types.getTypeParser(type, format)) as typeof types.getTypeParser;

/** Returns the host, the port and the name of a database, without its user and password. */
export function addressOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "of --data";
  const host = parsed.host || parsed.searchParams.get("host") || "localhost";
  return `${host}${parsed.pathname === "/" ? "" : parsed.pathname}`;
}

/** Network errors, and classes of SQLSTATE that mean a temporary refusal of the database. */
const AWAY =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|08\w{3}|57P0[123]|53300|25006)$/;
const CUT = /^(?:ECONNRESET|EPIPE|57P01)$/;
const TIMEOUT_MESSAGE = /timeout/i;
const AWAY_MESSAGE =
  /timeout|Connection terminated|Client has encountered a connection error|not queryable|Cannot use a pool/i;

function isAway({ code, message }: NodeJS.ErrnoException): boolean {
  return code === undefined ? AWAY_MESSAGE.test(message) : AWAY.test(code);
}

/** Returns true if a connection was cut while it was opened. */
function wasCut({ code, message }: NodeJS.ErrnoException): boolean {
  return code === undefined ? message === "Connection terminated unexpectedly" : CUT.test(code);
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there",
    ENOENT: "nothing listens there",
    ENOTFOUND: "its host is unknown",
    EAI_AGAIN: "its host is unknown",
    ECONNRESET: "the connection was cut",
    "23503": "another server has taken this one for dead",
    "53100": "its disk is full",
    "53300": "it has too many connections",
    "57P01": "it is shutting down",
    "57P03": "it is starting up",
    "25006": "it is read-only",
    "28P01": "the user or the password is wrong",
    "28000": "the user is not admitted",
    "3D000": "there is no such database",
    "42501": "the user lacks a permission",
  };
  // The message of the pool if no connection became free in time.
  if (message === "timeout exceeded when trying to connect") return "all connections to it are in use";
  return reasons[code ?? ""] ?? message.replace(/\.$/, "");
}
