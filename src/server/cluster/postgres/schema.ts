import type { Client } from "pg";
import { randomBytes } from "node:crypto";
import { FileMistakes } from "../../../base/failures.ts";

/**
 * The last number that development versions used for their tables. Later numbers are higher, so no number has two
 * meanings.
 */
const USED_VERSION = 4;

/**
 * The statements that lead from each version of the tables to the next. A new version adds an item at the end. Bodies
 * are texts, not jsonb, because a journal must come back byte for byte. jsonb loses the order of keys and null
 * characters.
 */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.sandbox (
      id integer PRIMARY KEY CHECK (id = 1), made bigint NOT NULL, secret text NOT NULL);
    CREATE TABLE ${schema}.servers (
      id text PRIMARY KEY, url text, version text NOT NULL, worlds integer NOT NULL DEFAULT 0,
      is_stopping boolean NOT NULL DEFAULT false,
      started_at timestamptz NOT NULL, seen_at timestamptz NOT NULL, lease_until timestamptz NOT NULL);
    CREATE TABLE ${schema}.worlds (
      id text PRIMARY KEY, name text NOT NULL, settings text NOT NULL, card text NOT NULL,
      owner text REFERENCES ${schema}.servers (id) ON DELETE SET NULL, epoch bigint NOT NULL,
      was_released boolean NOT NULL DEFAULT false, next_due timestamptz, head bigint NOT NULL,
      used_at timestamptz NOT NULL, made_at timestamptz NOT NULL);
    CREATE INDEX worlds_by_owner ON ${schema}.worlds (owner);
    CREATE INDEX worlds_by_next_due ON ${schema}.worlds (next_due) WHERE owner IS NULL;
    CREATE TABLE ${schema}.entries (
      world text NOT NULL, number bigint NOT NULL, epoch bigint NOT NULL, body text NOT NULL,
      PRIMARY KEY (world, number));
    CREATE TABLE ${schema}.snapshots (
      world text NOT NULL, number bigint NOT NULL, name text NOT NULL, body bytea NOT NULL,
      PRIMARY KEY (world, number, name));
    CREATE TABLE ${schema}.scenarios (
      name text PRIMARY KEY, body text NOT NULL, posted_at timestamptz NOT NULL);
    CREATE TABLE ${schema}.observations (world text PRIMARY KEY, number bigint NOT NULL, body bytea NOT NULL);
    CREATE TABLE ${schema}.history (
      world text NOT NULL, first bigint NOT NULL, last bigint NOT NULL, index text NOT NULL, body bytea NOT NULL,
      PRIMARY KEY (world, first));
    ALTER TABLE ${schema}.history ALTER COLUMN body SET STORAGE EXTERNAL;
    ALTER TABLE ${schema}.snapshots ALTER COLUMN body SET STORAGE EXTERNAL;`,
  // Rows of this version have the differences of changed records, which earlier servers cannot read.
  (schema) =>
    `COMMENT ON TABLE ${schema}.entries IS 'Events as JSON. A changed record is the difference to its earlier version.'`,
];

/** The version of the tables that this version of sandbank makes. */
export const NEWEST_VERSION = USED_VERSION + MIGRATIONS.length;

/** Writes a schema for statements, in quotes: its name may be a keyword of SQL. */
export function quoted(schema: string): string {
  return `"${schema}"`;
}

/** The key of the advisory lock for making tables: one server at a time. */
const LOCK = 7_263_226_501;

interface MigrateOptions {
  /** The longest wall time of a wait for the lock of another session. After it a statement fails with 55P03. */
  readonly lockTimeoutMs: number;
  /** Called before the first statement that may wait, with the pid of this session. */
  readonly mayWait?: (pid: number) => void;
  readonly migrations?: readonly ((schema: string) => string)[];
}

/**
 * Makes the tables, or updates older tables. Throws a FileMistakes if this version cannot read them. Only missing parts
 * need a lock and the right to make them.
 */
export async function migrate(
  client: Client,
  schema: string,
  { lockTimeoutMs, mayWait, migrations = MIGRATIONS }: MigrateOptions,
): Promise<void> {
  const newest = USED_VERSION + migrations.length;
  if ((await versionOf(client, schema, newest)) === newest) return;
  // A pooler may send the statements of a session over several connections, but not those of a transaction.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    mayWait?.(rows[0]!.pid);
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    // Another server may have been faster.
    const found = await versionOf(client, schema, newest);
    if (found !== newest) await update(client, schema, { found, migrations });
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Returns the version of the tables. Undefined if there are none. Throws a FileMistakes if it is too old or too new. */
async function versionOf(client: Client, schema: string, newest: number): Promise<number | undefined> {
  const { rows: tables } = await client.query(
    "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'",
    [schema],
  );
  if (tables.length === 0) return undefined;
  const { rows } = await client.query<{ version: number }>(
    `SELECT version FROM ${quoted(schema)}.schema_version`,
  );
  const version = rows[0]?.version;
  if (version !== undefined && version > newest) {
    throw new FileMistakes(
      `Failed to open the schema ${schema}: it has version ${version}, and this version of sandbank knows those up to ${newest}. Update sandbank, or name another schema with --data-schema. Nothing was changed.`,
    );
  }
  if (version !== undefined && version <= USED_VERSION) {
    throw new FileMistakes(
      `Failed to open the schema ${schema}: a development version before this one made it. Name another schema with --data-schema, and make its worlds again, for instance from a recording of GET /sandbox/recording. Nothing was changed.`,
    );
  }
  return version;
}

async function update(
  client: Client,
  schema: string,
  {
    found,
    migrations,
  }: {
    readonly found: number | undefined;
    readonly migrations: readonly ((schema: string) => string)[];
  },
): Promise<void> {
  const name = quoted(schema);
  const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  // Also with IF NOT EXISTS it needs the right to make schemas.
  if (rows.length === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`);
  await client.query(`CREATE TABLE IF NOT EXISTS ${name}.schema_version (version integer NOT NULL)`);
  for (const migration of migrations.slice((found ?? USED_VERSION) - USED_VERSION))
    await client.query(migration(name));
  const version = USED_VERSION + migrations.length;
  if (found !== undefined) {
    await client.query(`UPDATE ${name}.schema_version SET version = $1`, [version]);
    return;
  }
  await client.query(`INSERT INTO ${name}.schema_version VALUES (${version})`);
  const secret = randomBytes(32).toString("hex");
  await client.query(`INSERT INTO ${name}.sandbox VALUES (1, 0, $1)`, [secret]);
}
