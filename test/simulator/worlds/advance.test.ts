import { makeOrder, orderBody } from "../platform/orders/asking.ts";
import { openPartner } from "../../partner.ts";
import type { TimerKind } from "../../../src/simulator/engine/transaction.ts";
import { expect, test } from "vitest";
import { advanceTo } from "../../../src/simulator/worlds/advance.ts";
import { Deliveries } from "../../../src/simulator/webhooks/deliveries.ts";
import { Simulation } from "../../../src/simulator/engine/simulation.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";

/** Arms another one a second later, for ever. */
const ticks: TimerKind = {
  name: "tick",
  fire: (tx) => {
    tx.log({ kind: "note", objectId: null, what: "tick" });
    tx.arm({ kind: "tick", owner: "clock", due: tx.now + 1_000 });
  },
};

function openTicking() {
  const simulation = new Simulation({ seed: 1, start: 0, timerKinds: [ticks] });
  simulation.execute({ by: "control", name: "test" }, (tx) =>
    tx.arm({ kind: "tick", owner: "clock", due: 1_000 }),
  );
  const nothing = (): void => undefined;
  const frozen = { mode: "frozen", isMoving: false, isReadOnly: false } as const;
  const clock = { ...frozen, catchUp: nothing, scheduleNext: nothing };
  const deliveries = new Deliveries(simulation, {
    world: "default",
    transport: transportTo(new ScriptedReceiver()),
    clock,
    answered: nothing,
  });
  return {
    simulation,
    deliveries,
    fireUntil: async (until: number) => simulation.moveTo(until),
    isFull: false,
  };
}

test("an advance that never becomes idle stops at its limit, at the instant reached, and reports it", async () => {
  const run = openTicking();
  const target = { until: "idle" } as const;
  const report = await advanceTo({ run, waits: true, target, timersMax: 500 });
  expect(report).toEqual({ fired: 500, turns: [], stoppedBy: "timersPerAdvanceMax" });
  expect(run.simulation.now).toBe(500_000);
  expect(await advanceTo({ run, waits: true, target: { to: 600_000 } })).toEqual({ fired: 100, turns: [] });
});

test("an advance that reaches its target with the last allowed timer was not stopped", async () => {
  const run = openTicking();
  const report = await advanceTo({ run, waits: true, target: { to: 10_500 }, timersMax: 10 });
  expect(report).toEqual({ fired: 10, turns: [] });
  expect(run.simulation.now).toBe(10_500);
});

test("an advance until the next timer ends at the end of the clock", async () => {
  await using partner = await openPartner({ start: "9899-12-31T23:00:00Z" });
  const expiresIn = 86_400;
  await makeOrder(partner, orderBody("PIX", { expiresIn }));
  for (const until of ["next", "idle"])
    expect(await partner.advance({ until } as never)).toMatchObject({
      to: "9899-12-31T23:59:59.999Z",
      stoppedBy: "clockEnd",
    });
});
