import { chmodSync, chownSync, statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "pg";
import { prepareDatabase } from "../../../src/server/cluster/postgres/start.ts";
import { SILENCE } from "../../../src/base/log.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

interface Started {
  readonly url?: string;
  readonly schema: string;
  readonly timeoutMs?: number;
  readonly onWarning?: () => void;
}

/** Prepares the tables as a start does, and returns its warnings. */
async function prepare({
  url = postgres.url(),
  schema,
  timeoutMs = 10_000,
  onWarning = () => undefined,
}: Started): Promise<string[]> {
  const warnings: string[] = [];
  function warn(_fields: object, sentence: string): void {
    warnings.push(sentence);
    onWarning();
  }
  await prepareDatabase({ url, schema, log: { ...SILENCE, warn } }, timeoutMs);
  return warnings;
}

/** A session of another program that runs these statements, and its pid. It ends with the test. */
async function session(
  ...statements: readonly string[]
): Promise<{ readonly pid: number; readonly end: () => Promise<void> }> {
  const client = new Client({ connectionString: postgres.url() });
  client.on("error", () => undefined);
  await client.connect();
  const end = (): Promise<void> => client.end().catch(() => undefined);
  onTestFinished(end);
  for (const statement of statements) await client.query(statement);
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return { pid: rows[0]!.pid, end };
}

const HOLDERS: Readonly<Record<string, (schema: string) => readonly string[]>> = {
  "the lock of a migration": () => ["SELECT pg_advisory_lock(7263226501)"],
  "an open CREATE SCHEMA": (schema) => ["BEGIN", `CREATE SCHEMA ${schema}`],
};

test.each(Object.keys(HOLDERS))("a start that waits for %s warns once, and goes on", async (what) => {
  const { pid, end } = await session(...HOLDERS[what]!("waited_for"));
  expect(await prepare({ schema: "waited_for", onWarning: () => void end() })).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Waiting up to 10 s for a lock in the database .*: the session with the pid ${pid} has it\\.$`,
      ),
    ),
  ]);
  await postgres.sql("DROP SCHEMA waited_for CASCADE");
});

test.each(Object.keys(HOLDERS))(
  "a start that waits in vain for %s names the pid of the session that has it",
  async (what) => {
    const { pid, end } = await session(...HOLDERS[what]!("never_free"));
    await expect(prepare({ schema: "never_free", timeoutMs: 1_500 })).rejects.toThrow(
      `within 2 s: a lock was not free, because the session with the pid ${pid} has it. End that session with pg_terminate_backend`,
    );
    await end();
  },
);

test("a start on complete tables waits for no lock", async () => {
  await prepare({ schema: "complete" });
  await session("SELECT pg_advisory_lock(7263226501)");
  expect(await prepare({ schema: "complete", timeoutMs: 1_500 })).toEqual([]);
});

test("a schema that an administrator made needs no right to make schemas", async () => {
  await postgres.sql("CREATE ROLE app LOGIN PASSWORD 'app'");
  await postgres.sql("CREATE DATABASE appdb");
  const admin = new Client({ connectionString: postgres.url("appdb") });
  await admin.connect();
  onTestFinished(() => admin.end());
  const url = new URL(postgres.url("appdb"));
  url.username = "app";
  url.password = "app";
  await expect(prepare({ url: url.href, schema: "sandbank" })).rejects.toThrow(
    /permission denied for database appdb\. As an administrator of the database, run: CREATE SCHEMA "sandbank" AUTHORIZATION "app"\.$/,
  );
  await admin.query("CREATE SCHEMA sandbank AUTHORIZATION app");
  for (let start = 0; start < 2; start++) await prepare({ url: url.href, schema: "sandbank" });
  await admin.query("CREATE SCHEMA foreign_one");
  await expect(prepare({ url: url.href, schema: "foreign_one" })).rejects.toThrow(
    'permission denied for schema foreign_one. As an administrator of the database, run: GRANT ALL ON SCHEMA "foreign_one" TO "app"',
  );
});

test("a database whose encoding lacks characters is refused at the start", async () => {
  await postgres.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
  await expect(prepare({ url: postgres.url("latin"), schema: "sandbank" })).rejects.toThrow(
    "its encoding is LATIN1, which lacks most characters. Name a database with the encoding UTF8",
  );
});

test("sslmode has the meaning that it has for libpq, and a certificate that is refused is named", async () => {
  const at = (parameters: string): Promise<string[]> =>
    prepare({ url: `${postgres.url()}?${parameters}`, schema: "encrypted" });
  await expect(at("sslmode=require")).rejects.toThrow("it does not use TLS. Leave sslmode out");
  const [{ folder }] = (await postgres.sql("SELECT current_setting('data_directory') AS folder")) as [
    { folder: string },
  ];
  const { uid, gid } = statSync(folder);
  const [key, certificate] = [join(folder, "server.key"), join(folder, "server.crt")];
  const request = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=other.example"];
  execFileSync("openssl", ["req", ...request, "-keyout", key, "-out", certificate], { stdio: "pipe" });
  chmodSync(key, 0o600);
  for (const file of [key, certificate]) chownSync(file, uid, gid);
  await postgres.sql("ALTER SYSTEM SET ssl = on");
  await postgres.sql("SELECT pg_reload_conf()");
  onTestFinished(async () => {
    await postgres.sql("ALTER SYSTEM RESET ssl");
    await postgres.sql("SELECT pg_reload_conf()");
  });
  await expect.poll(() => at("sslmode=require").catch((error: Error) => error.message)).toEqual([]);
  await expect(at("sslmode=verify-full")).rejects.toThrow(
    "no known authority has signed its certificate. Add sslrootcert=FILE",
  );
  await expect(at("sslmode=verify-ca")).rejects.toThrow("Add sslrootcert=FILE");
  const authority = `sslrootcert=${encodeURIComponent(certificate)}`;
  expect(await at(`sslmode=verify-ca&${authority}`)).toEqual([]);
  await expect(at(`sslmode=verify-full&${authority}`)).rejects.toThrow("its certificate is for another host");
});
