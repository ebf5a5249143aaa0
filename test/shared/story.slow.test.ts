import type { Sandbox } from "../../src/sandbox.ts";
import { expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox.ts";
import { globSync, readFileSync } from "node:fs";
import { operations } from "../../src/api/operations.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { RECEIVER_URL } from "../partner.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import { usePostgres } from "./postgres-server.ts";
import { transportTo } from "../../src/webhooks/in-process.ts";

const postgres = usePostgres();
const context = scenarioContext();
const scenarios = globSync("scenarios/**/*.yaml")
  .sort()
  .flatMap((file) => parseScenario(readFileSync(file, "utf8"), file, context).scenarios);

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

test("a story through three servers that come and go leaves the same journal as in one process in memory", async () => {
  const differing: string[] = [];
  for (const [index, scenario] of scenarios.slice(0, 8).entries()) {
    const results = [];
    const digests: string[] = [];
    for (const isShared of [false, true]) {
      results.push(
        await runScenario(scenario, {
          operations,
          openWorld: async ({ receiver, name: _name, ...given }) => {
            const options = {
              ...given,
              mode: "frozen" as const,
              webhookUrl: RECEIVER_URL,
              transport: transportTo(receiver),
            };
            const opened = isShared
              ? new Servers(async () => {
                  const shared = { data: postgres.url(), dataSchema: `story_${index}`, lease: "PT1S" };
                  const sandbox = await createSandbox({ ...options, ...shared });
                  await sandbox.listen();
                  return sandbox;
                })
              : await createSandbox(options);
            return {
              fetch: (path, init) => opened.fetch(path, init),
              tokens: { acme: "acme-token", globex: "globex-token", initech: "initech-token" },
              receiver,
              digest: () => "",
              [Symbol.asyncDispose]: async () => {
                digests.push(await opened.digest());
                await opened.close();
              },
            };
          },
        }),
      );
    }
    const [alone, shared] = results;
    if (digests[0] !== digests[1])
      differing.push(`${scenario.name}: ${JSON.stringify([alone?.status, shared?.status, shared?.failure])}`);
  }
  expect(differing).toEqual([]);
}, 240_000);
