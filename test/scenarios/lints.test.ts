import { afterAll, beforeAll, expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { once } from "node:events";
import { freePort } from "../free-port.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import type { ScenarioResult } from "../../src/scenarios/result.ts";
import { localWorlds } from "../../src/scenarios/world.ts";
import { payoutBody } from "../partner.ts";

/** A partner's system that makes a payout for each request; `?answer=` says what it answers whatever happens. */
let port = 0;
const server = createServer((request, response) => {
  void (async () => {
    const { searchParams } = new URL(request.url ?? "/", "http://partner.example");
    const { keys, value } = (await json(request)) as { keys: string[]; value: string };
    const pay = async (key: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}/order/v1/banking/order-payouts`, {
        method: "POST",
        headers: { authorization: "Bearer acme-token", "idempotency-key": key, connection: "close" },
        body: JSON.stringify(
          payoutBody({
            amount: { currency: "BRL", value },
            ...(searchParams.has("at") && { description: dateIn(searchParams.get("at")) }),
          }),
        ),
      });
      return answer.status;
    };
    const paid = (key: string): Promise<number> => pay(key).catch(() => 500);
    const isLater = searchParams.get("later") !== null;
    const work = async (): Promise<number> => {
      let last = 0;
      for (const key of keys) last = await paid(key);
      return last;
    };
    if (isLater) {
      response.writeHead(202).end("{}", () => void work());
      return;
    }
    const status = await work();
    response.writeHead(Number(searchParams.get("answer") ?? status)).end("{}");
  })();
});
/** The time as a program writes it, or as a database does: the offset may be missing. */
function dateIn(form: string | null): string {
  const date = new Date().toISOString();
  return form === "database" ? date.replace("T", " ").slice(0, -1) : date;
}
let base = "";

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function run(
  steps: string,
  lint?: "fail" | "warn" | "off",
  start = "2025-11-20T09:00:00-03:00",
): Promise<Pick<ScenarioResult, "status"> & { lints: string[] }> {
  port = await freePort();
  const { scenarios, mistakes } = parseScenario(
    `name: n\nstart: ${start}\nsteps:\n${steps}`,
    "a.yaml",
    scenarioContext(),
  );
  expect(mistakes).toEqual([]);
  const { status, lints = [] } = await runScenario(scenarios[0]!, {
    openWorld: localWorlds(openSandbox, { port, webhookUrl: `${base}/webhooks` }),
    ...(lint && { lint }),
  });
  return { status, lints: lints.map((one) => (one.lint === "wall-time" ? one.message : one.lint)) };
}

const request = (query: string, body: object, expected = 201): string =>
  `  - request: POST ${base}/pay${query}\n    body: ${JSON.stringify(body)}\n    expect: { status: ${expected} }\n`;
const TWICE = { keys: ["k1", "k2"], value: "5.00" };

test("a run reports the calls of the partner's system that are suspicious, and fails where it is asked to", async () => {
  expect(await run(request("", TWICE))).toEqual({ status: "passed", lints: [] });
  expect(await run(request("", TWICE), "warn")).toEqual({ status: "passed", lints: ["two-keys"] });
  expect(await run(request("", TWICE), "fail")).toEqual({ status: "failed", lints: ["two-keys"] });
});

test("a request that is accepted although its call was refused is found, one that passes the refusal on is not", async () => {
  const refused = { keys: ["k1"], value: "-5.00" };
  expect(await run(request("?answer=201", refused), "warn")).toEqual({
    status: "passed",
    lints: ["refused-but-accepted"],
  });
  expect((await run(request("", refused, 400), "warn")).lints).toEqual([]);
  expect((await run(request("?later=1", refused, 202), "warn")).lints).toEqual([]);
});

test("a system that follows the clock and sends the time of the wall clock is told where, one that does not follow is not", async () => {
  const work = { keys: ["k1"], value: "5.00" };
  const follow = "  - call: POST /sandbox/clock/followers\n    body: { name: gym }\n";
  const found = ["$.description is wall time. Does the database set it?"];
  for (const at of ["program", "database"]) {
    expect(await run(follow + request(`?at=${at}`, work), "warn")).toEqual({
      status: "passed",
      lints: found,
    });
    expect(await run(request(`?at=${at}`, work), "warn")).toEqual({ status: "passed", lints: [] });
  }
  expect((await run(follow + request("", work), "warn")).lints).toEqual([]);
  const isNear = await run(follow + request("?at=program", work), "warn", "now");
  expect(isNear.lints).toEqual([]);
});

test("a call of the scenario itself is not the partner's", async () => {
  const call = (key: string): string =>
    `  - call: createPayout\n    key: ${key}\n    body: ${JSON.stringify(payoutBody())}\n`;
  expect((await run(call("k1") + call("k2"), "fail")).lints).toEqual([]);
});

test("a call that was carried out and whose answer was dropped is not refused", async () => {
  const fault = "  - fault: { on: api, operation: createPayout, effect: reset, times: 1 }\n";
  const { lints } = await run(fault + request("?answer=201", { keys: ["k1"], value: "5.00" }), "warn");
  expect(lints).toEqual([]);
});
