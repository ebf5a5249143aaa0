import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { atFreePort } from "../at-free-port.ts";
import { createServer } from "node:http";
import { localWorlds } from "../../src/scenarios/world.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import { stringify } from "yaml";
import { tracesIn } from "./books/played-books.ts";

const SETTLE_MS = 20;

/** A system whose worker books each webhook after a while. It never books the webhooks with these numbers. */
async function lintsOf(workMs: number, lost: readonly number[] = []): Promise<string[]> {
  const state = { received: 0, refunded: 0, paidOut: 0 };
  let number = 0;
  const server = createServer((request, response) => {
    void (async () => {
      await buffer(request);
      if (request.method === "GET") return void response.end(JSON.stringify(state));
      const isLost = lost.includes(++number);
      setTimeout(() => (state.paidOut += isLost ? 0 : 100), workMs);
      return void response.end("{}");
    })();
  });
  await using served = await atFreePort(server);
  const payOut = (externalId: string): object[] => [
    { call: "createPayout", body: { $use: "payout.pix", externalId } },
    { advance: "PT5S" },
  ];
  const steps = ["one", "two", "three"].flatMap(payOut);
  const text = stringify({ name: "n", probe: { url: `${served.url}/` }, steps });
  const { scenarios, mistakes } = parseScenario(text, "n.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const openWorld = localWorlds(openSandbox, { webhookUrl: `${served.url}/`, isDigested: false });
  const result = await runScenario(assertDefined(scenarios[0], "a scenario"), {
    openWorld,
    lint: "warn",
    settleMs: SETTLE_MS,
  });
  expect(result.failure).toBeUndefined();
  return tracesIn(result).map((line) => line.replace(/ moved.*/, ""));
}

test.each([0, SETTLE_MS / 2, SETTLE_MS * 5])(
  "run accuses no system that books %i ms after its answer",
  async (workMs) => {
    expect(await lintsOf(workMs)).toEqual([]);
  },
);

test("run names an event that a system never books, whether its work is late or not", async () => {
  for (const workMs of [0, SETTLE_MS * 5])
    expect(await lintsOf(workMs, [2])).toEqual(["event-without-trace: ORDER-PAYOUT.PAID (event 2)"]);
});
