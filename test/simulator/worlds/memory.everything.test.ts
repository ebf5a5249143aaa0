import { collectGarbage } from "../../../src/base/memory.ts";
import type { Simulation } from "../../../src/simulator/engine/simulation.ts";
import { createSubscription, openPartner, subscriptionBody } from "../../partner.ts";
import { expect, test } from "vitest";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** Every simulation that ever ran in a sandbox, held by nothing of ours. */
function countSimulations() {
  const seen = new WeakSet<Simulation>();
  const refs: WeakRef<Simulation>[] = [];
  return {
    audit: (simulation: Simulation): void => {
      if (seen.has(simulation)) return;
      seen.add(simulation);
      refs.push(new WeakRef(simulation));
    },
    total: () => refs.length,
    /** How many are still in memory once all that can be collected is. */
    alive: async (): Promise<number> => {
      for (let turn = 0; turn < 10; turn++) {
        await yieldToEventLoop();
        collectGarbage();
      }
      return refs.filter((ref) => ref.deref() !== undefined).length;
    },
  };
}

for (const mode of ["frozen", "running"]) {
  test(`the memory of a dropped world with a ${mode} clock is freed`, { timeout: 60_000 }, async () => {
    const { audit, total, alive } = countSimulations();
    await using partner = await openPartner({ audit });
    for (let count = 0; count < 40; count++) {
      const body = { start: "2026-11-20T09:00:00-03:00", mode };
      const made = (await partner.ask("POST", "/sandbox/worlds", { body })).body;
      const { token } = (made["companies"] as { token: string }[])[0]!;
      const created = await partner.ask("POST", "/order/v1/banking/subscriptions", {
        token,
        body: subscriptionBody(),
      });
      await partner.ask("POST", "/sandbox/acts/subscription.accept", {
        token,
        body: { id: created.body["id"] },
      });
      await partner.ask("POST", "/sandbox/snapshots", { token });
      const fork = (await partner.ask("POST", "/sandbox/fork", { token })).body;
      const [{ token: ofFork }] = fork["companies"] as [{ token: string }];
      await partner.ask("POST", "/order/v1/banking/subscriptions", {
        token: ofFork,
        body: subscriptionBody({ externalId: "of the fork" }),
      });
      await partner.ask("POST", "/sandbox/faults", {
        token,
        body: { on: "webhook", effect: "delay", by: "PT1H" },
      });
      const stream = await partner.sandbox.fetch("/sandbox/timeline/stream", {
        headers: { authorization: `Bearer ${token}` },
      });
      await stream.body?.cancel();
    }
    const { data } = (await partner.ask("GET", "/sandbox/worlds")).body as { data: { id: string }[] };
    expect(data).toHaveLength(81);
    for (const { id } of data.filter((world) => world.id !== "default"))
      expect((await partner.ask("DELETE", `/sandbox/worlds/${id}`)).status).toBe(200);
    expect(total()).toBe(81);
    expect(await alive()).toBe(1);
  });
}

test("the memory of the state before a reset and a restore is freed", { timeout: 60_000 }, async () => {
  const { audit, total, alive } = countSimulations();
  await using partner = await openPartner({ audit });
  for (let count = 0; count < 20; count++) {
    partner.receiver.script(["timeout", 500]);
    const { id } = await createSubscription(partner);
    const snapshot = await partner.sandbox.snapshot();
    await partner.act("subscription.accept", { id });
    await partner.advance("PT1M");
    await partner.sandbox.restore(snapshot["id"]);
    await partner.act("subscription.reject", { id });
    await partner.sandbox.reset();
  }
  expect(total()).toBe(41);
  expect(await alive()).toBe(1);
});
