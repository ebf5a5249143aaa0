import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { once } from "node:events";
import { openSandbox } from "../src/library/sandbox.ts";
import { createUntypedSandbox } from "./partner.ts";
import { localWorlds } from "../src/scenarios/world.ts";
import { parseScenario } from "../src/scenarios/parse.ts";
import { runScenario } from "../src/scenarios/run.ts";
import { scenarioContext } from "../src/scenarios/context.ts";

async function listeningReceiver() {
  const server = createServer((request, response) => {
    request.on("error", () => undefined).resume();
    request.on("end", () => response.end('{"returnCode":"OK"}'));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test.each([
  "refuse-connection",
  "rotate-mid-retry",
  "reset-on-connect",
  "reset-after-request",
  "truncate-then-close",
  "truncate-then-reset",
  "chunked",
])("a session with the fault %s and a receiver on a port is replayed to the same journal", async (effect) => {
  using receiver = await listeningReceiver();
  await using sandbox = await createUntypedSandbox({
    seed: 7,
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: receiver.url,
  });
  await sandbox.fault({ on: "webhook", effect, times: 1 });
  const payOut = (key: string) =>
    sandbox.fetch("/order/v1/banking/order-payouts", {
      method: "POST",
      headers: { authorization: "Bearer acme-token", "idempotency-key": key },
      body: JSON.stringify({
        externalId: key,
        accountId: "11111111-1111-4111-8111-111111111111",
        paymentMethod: "PIX",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "1.00" },
        description: "Invoice",
      }),
    });
  // Two at the same moment: which of them ends first belongs to the story.
  await payOut("one");
  await payOut("two");
  await sandbox.advance({ until: "idle" });
  const recording = await sandbox.recording();
  const digest = sandbox.digest();
  const { scenarios, mistakes } = parseScenario(recording, "recording.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("the recording contains no scenario");
  const result = await runScenario(scenario, { openWorld: localWorlds(openSandbox) });
  expect(result.failure).toBeUndefined();
  expect(result.digest).toBe(digest);
});
