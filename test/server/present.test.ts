import { expect, onTestFinished, test } from "vitest";
import { acceptRequests } from "../../src/server/inbound-requests.ts";
import { loadFixtures } from "../../src/server/access/fixture-files.ts";
import { mountInterface } from "../../src/server/interface/routes.ts";
import { requestLife } from "../../src/server/request-life.ts";
import { Router } from "../../src/server/router.ts";
import { ScriptedReceiver } from "../../src/scenarios/receiver.ts";
import { transportTo } from "../../src/simulator/webhooks/in-process.ts";
import { Worlds } from "../../src/simulator/worlds/worlds.ts";

test("a call that waits for nothing is answered in its turn, at the time to which it brings a running clock once", async () => {
  const start = Date.parse("2026-11-20T12:00:00Z");
  let reads = 0;
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: transportTo(new ScriptedReceiver()),
    // Each read is a second after the one before.
    wallNow: () => start + 1_000 * reads++,
    defaults: { seed: 1, start, mode: "running", assumptions: {}, webhookUrl: null },
  });
  onTestFinished(() => worlds.close());
  const router = new Router();
  mountInterface(router, worlds);
  const own = requestLife({
    worlds,
    saving: undefined,
    answer: (named) => named.matched!.answer(named),
    onLogged: undefined,
  });
  const answerTo = acceptRequests(worlds, router)(own);
  const headers = { authorization: "Bearer acme-token" };
  const list = () => answerTo(new Request("http://localhost/order/v1/banking/accounts", { headers }), {});
  await list();
  const before = reads;
  const answering = list();
  expect(answering).not.toBeInstanceOf(Promise);
  const answer = await answering;
  const read = reads - before;
  const { now } = worlds.default.simulation;
  expect(answer.status).toBe(200);
  expect(answer.headers.get("date")).toBe(new Date(now).toUTCString());
  expect(read).toBe(1);
});
