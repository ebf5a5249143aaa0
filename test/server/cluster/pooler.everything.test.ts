import { describe, expect, onTestFinished, test } from "vitest";
import { ask, pay, payoutsOf, serve as open } from "./servers.ts";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { findProgram } from "../../find-program.ts";
import { freePort } from "../../free-port.ts";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { unprivilegedUser } from "./postgres-server.ts";
import { usePostgres } from "./use-postgres.ts";
import { Client } from "pg";

const postgres = usePostgres();
const program = findProgram("pgbouncer");

/** Starts PgBouncer in front of the database, and returns the URL of the database behind it. */
async function startPooler(mode: "transaction" | "session"): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-pooler-"));
  const database = new URL(postgres.url());
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  writeFileSync(users, `"${database.username}" "${database.password}"\n`);
  writeFileSync(
    settings,
    `[databases]
postgres = host=127.0.0.1 port=${database.port} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
max_client_conn = 100
default_pool_size = 50
unix_socket_dir =
ignore_startup_parameters = extra_float_digits
`,
  );
  chmodSync(folder, 0o755);
  const child = spawn(program!, ["-q", settings], { ...unprivilegedUser(), stdio: "ignore" });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  database.port = String(port);
  await expect.poll(() => answers(database.href)).toBe(true);
  return database.href;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe.skipIf(program === undefined)("behind PgBouncer, which the Debian package pgbouncer has,", () => {
  test.each(["transaction", "session"] as const)(
    "in %s mode two servers change one sandbox at once, and start again",
    async (mode) => {
      const url = await startPooler(mode);
      const serve = (): Promise<string> =>
        open({ url: () => url }, { dataSchema: `pooled_${mode}`, lease: "PT2S" }, onTestFinished);
      const servers = [await serve(), await serve()];
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, number) =>
          ask(servers[number % 2]!, "POST", "/sandbox/worlds", { token: null, body: {} }),
        ),
      );
      const tokens = made.map(({ body }) => `acme-token.${String(body["id"])}`);
      const paid = await Promise.all(
        Array.from({ length: 60 }, (_, number) =>
          pay(servers[number % 2]!, `payout ${number}`, tokens[number % 6]),
        ),
      );
      expect(new Set(paid.map(({ status }) => status))).toEqual(new Set([201]));
      const third = await serve();
      const found = await Promise.all(tokens.map((token) => payoutsOf(third, token)));
      expect(found.flat()).toHaveLength(60);
      expect((await ask(third, "GET", "/sandbox/ready", { token: null })).status).toBe(200);
    },
  );
});
