import { afterAll, beforeAll } from "vitest";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { tmpdir } from "node:os";

/** A PostgreSQL for the tests of a file: it is started before the first one, and ends after the last one. */
export function usePostgres(): PostgresServer {
  let server: PostgresServer | undefined;
  const started = (): PostgresServer => assertDefined(server, "the PostgreSQL of the tests");
  beforeAll(async () => {
    server = await startPostgres(join(tmpdir(), "empty-database"));
  }, 60_000);
  afterAll(() => server?.close());
  return {
    url: (database) => started().url(database),
    sql: (text) => started().sql(text),
    get stop() {
      return started().stop;
    },
    get crash() {
      return started().crash;
    },
    get start() {
      return started().start;
    },
    get dump() {
      return started().dump;
    },
    close: () => started().close(),
  };
}
