import { SpentTime } from "../../../src/base/spent-time.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Machine } from "../../partners/machine.ts";
import { Probe } from "../../../src/checks/receiver/probe.ts";
import { unwantedChange } from "../../../src/checks/receiver/state-findings.ts";

const EVENT = { ids: ["order-2"] };
const KNOWN = new Set(["order-1", "order-2"]);

let machine: Machine;
beforeEach(() => {
  machine = new Machine(1, 1);
});
afterEach(() => machine[Symbol.dispose]());

/** Changes the state of a receiver after a delivery that should have no effect. */
async function findingAfter(change: (state: { rows: object[]; sum: number }) => void) {
  const state = { rows: [{ id: "order-0", status: "PAID" }], sum: 1 };
  const read = async () => structuredClone(state);
  const probe = new Probe({
    wall: machine.wall,
    spent: new SpentTime(machine.wall),
    read,
    settleMs: 20,
    identities: KNOWN,
  });
  const before = await probe.before();
  change(state);
  const bench = { probe, options: { source: { ids: KNOWN } } };
  return unwantedChange(bench, { event: EVENT, before, what: "Half of a body", fix: "Wait." });
}

test("a change of the event's own object is an effect of the delivery", async () => {
  const finding = await findingAfter(({ rows }) => rows.push({ id: "order-2", status: "PAID" }));
  expect(finding).toMatchObject({
    verdict: "fail",
    cause: expect.stringContaining("Half of a body changed"),
  });
});

test("a change that names no object is an effect of the delivery", async () => {
  expect(await findingAfter((state) => void (state.sum += 1))).toMatchObject({ verdict: "fail" });
});

test("a change of the objects of earlier events only is their late work, and no effect of the delivery", async () => {
  const finding = await findingAfter((state) => {
    state.rows.push({ id: "order-1", status: "PAID" });
    state.sum += 1;
  });
  expect(finding).toMatchObject({
    verdict: "inconclusive",
    cause: expect.stringContaining("Objects of earlier events changed"),
  });
});

test("an unchanged state has no finding", async () => {
  expect(await findingAfter(() => undefined)).toBeUndefined();
});
