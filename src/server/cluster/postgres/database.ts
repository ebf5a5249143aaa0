import { StorageFailure } from "../../storage/storage.ts";
import {
  addressOf,
  connectionOptions,
  type DatabaseOptions,
  isAway,
  reasonOf,
  wasCut,
} from "./connection.ts";
import { Pool, type PoolClient, type QueryResult, type QueryResultRow } from "pg";
import { prepareDatabase } from "./start.ts";
import { quoted } from "./schema.ts";

/** The maximum number of connections. */
const CONNECTIONS_MAX = 10;

/** The longest wall time of a statement. After it the connection counts as lost. */
const QUERY_TIMEOUT_MS = 10_000;

const TIMEOUT_MESSAGE = /timeout/i;

/** The time after a result during which the database counts as reachable. */
const REACHED_MS = 100;

/**
 * The number of tries of a statement whose connection was cut. All connections of a pool may be cut at once, and each
 * try may take one of them.
 */
export const CUT_TRIES_MAX = CONNECTIONS_MAX + 1;

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
  #trial: Promise<string | undefined> | undefined;
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
    await prepareDatabase(options);
    return new Database(options);
  }

  /**
   * Sends a statement whose repetition has the same effect. Repeats it if its connection is cut. The name is a comment
   * in the statement, for the lists of the database.
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
        if (!(error instanceof DatabaseAway) || !error.isCut || attempt >= CUT_TRIES_MAX) throw error;
      }
    }
  }

  /** Runs a query on a connection that waits for no other statement: a server that cannot renew its lease is removed. */
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

  /** Tries to write, and returns the reason if no change can be stored now. Undefined if changes can be stored. */
  obstacle(): Promise<string | undefined> {
    this.#trial ??= this.#tryToWrite().finally(() => {
      this.#trial = undefined;
    });
    return this.#trial;
  }

  /** Inserts a row and deletes it. Statements that are sent together are one transaction. */
  async #tryToWrite(): Promise<string | undefined> {
    const text = `INSERT INTO ${this.schema}.entries (world, number, epoch, body) VALUES ('', 0, 0, '')
      ON CONFLICT DO NOTHING; DELETE FROM ${this.schema}.entries WHERE world = ''`;
    try {
      await this.query("trial", text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
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
      // Not prepared: a pooler in transaction mode may send the next use of its name over another connection.
      const result = await client.query<Row>({ text: `/* ${name} */ ${text}`, values: [...values] });
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
      return new StorageFailure(
        `Failed to save the change in the database ${this.#address}: ${reason}. Check the database, and send the request again.`,
      );
    this.away = `The database ${this.#address} cannot be reached: ${reason}.`;
    return new DatabaseAway(this.away, { isCut });
  }
}
