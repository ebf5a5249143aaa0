import type { Scenario } from "../../../src/scenarios/scenario.ts";
import { expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/access/sandbox-interface.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { coveringScenarios, shippedScenarios } from "../../scenario-runs.ts";
import { RECEIVER_URL } from "../../partner.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { usePostgres } from "./use-postgres.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";

const postgres = usePostgres();

/** Requests after which the server that answers next leaves, and another one comes. */
const REQUESTS_PER_TURN = 3;

/** Servers of one sandbox in this process, to which requests go in turn; one after another leaves. */
class Servers {
  readonly #open: () => Promise<Sandbox>;
  readonly #all: Sandbox[] = [];
  readonly #closing: Promise<void>[] = [];
  #count = 0;

  constructor(open: () => Promise<Sandbox>) {
    this.#open = open;
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    if (this.#count++ % REQUESTS_PER_TURN === 0) {
      while (this.#all.length < 3) this.#all.push(await this.#open());
      const leaving = this.#count === 1 ? undefined : this.#all.shift();
      if (leaving !== undefined) this.#closing.push(leaving.close());
    }
    return this.#all[this.#count % this.#all.length]!.fetch(path, init);
  }

  /** The digest of the default world, by the server that has it after a last request. */
  async digest(): Promise<string> {
    await Promise.all(this.#closing);
    const [one] = this.#all;
    await one?.fetch("/sandbox/clock");
    for (const each of this.#all) {
      try {
        return each.digest();
      } catch (error) {
        if (!(error as Error).message.includes("the default world")) throw error;
      }
    }
    throw new Error("no server has the default world");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing, ...this.#all.map((one) => one.close())]);
  }
}

/** Scenarios that are run at a time: most of the time a server that leaves waits for its lease to end. */
const CONCURRENCY = 8;

/** Those in which most happens; all scenarios run where `SANDBANK_TEST_STORIES` is `all`. */
const told =
  process.env["SANDBANK_TEST_STORIES"] === "all"
    ? shippedScenarios().flatMap(({ scenarios }) => scenarios)
    : coveringScenarios().slice(0, 16);

/** The digest that a scenario leaves, through one process or through servers that come and go, and its outcome. */
async function leave(scenario: Scenario, dataSchema?: string): Promise<readonly string[]> {
  let digest = "";
  const { status, failure } = await runScenario(scenario, {
    openWorld: async ({ receiver, name: _name, ...given }) => {
      const transport = transportTo(receiver);
      const start = given.start ?? "2026-11-23T09:00:00-03:00";
      const options = { ...given, start, mode: "frozen" as const, webhookUrl: RECEIVER_URL, transport };
      const open = async (dataSchema: string): Promise<Sandbox> => {
        const sandbox = await createSandbox({ ...options, data: postgres.url(), dataSchema, lease: "PT4S" });
        await sandbox.listen();
        return sandbox;
      };
      const opened =
        dataSchema === undefined ? await createSandbox(options) : new Servers(() => open(dataSchema));
      return {
        fetch: (path, init) => opened.fetch(path, init),
        tokens: { acme: "acme-token", globex: "globex-token", initech: "initech-token" },
        receiver,
        digest: () => "",
        [Symbol.asyncDispose]: async () => {
          digest = await opened.digest();
          await opened.close();
        },
      };
    },
  });
  return [scenario.name, digest, status, JSON.stringify(failure ?? null)];
}

test("a scenario on three servers that come and go leaves the same journal as in one process in memory", async () => {
  const alone: (readonly string[])[] = [];
  const shared: (readonly string[])[] = [];
  const rest = [...told.entries()];
  const run = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, scenario] = next;
      const schema = `story_${index}`;
      alone[index] = await leave(scenario);
      shared[index] = await leave(scenario, schema);
      await postgres.sql(`DROP SCHEMA ${schema} CASCADE`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, run));
  expect(shared).toEqual(alone);
  expect(told.length).toBeGreaterThan(15);
}, 900_000);
