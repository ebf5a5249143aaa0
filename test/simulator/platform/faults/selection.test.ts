import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { type Partner, createSubscription, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";
import { matchesGlob } from "../../../../src/simulator/platform/faults/selection.ts";

/** Accepts `count` subscriptions, and shows for each event whether a fault lost it: `x` for lost. */
async function lostOf(partner: Partner, count: number): Promise<string> {
  for (let index = 1; index <= count; index++) {
    const { id } = await createSubscription(partner, { externalId: `subscription-${index}` });
    await partner.act("subscription.accept", { id });
  }
  await partner.advance("PT0S");
  const deliveries = await partner.sandbox.deliveries();
  return deliveries.map(({ status }) => (status === "lost" ? "x" : ".")).join("");
}

async function faultsOf(partner: Partner): Promise<SandboxObject[]> {
  return (await partner.ask("GET", "/sandbox/faults")).body["data"] as SandboxObject[];
}

const lose = { on: "webhook", effect: "lose" } as const;

test("a fault without selectors takes effect every time", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault(lose);
  expect(await lostOf(partner, 3)).toBe("xxx");
});

test("a fault with times ends after that many hits, which the list shows", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ ...lose, times: 2 });
  expect(await lostOf(partner, 4)).toBe("xx..");
  expect(await faultsOf(partner)).toMatchObject([
    { id: "f1", times: 2, hits: 2, matches: 2, inForce: false },
  ]);
});

test("nth counts the matches since the fault was armed", async () => {
  await using partner = await openPartner();
  await lostOf(partner, 0);
  await partner.sandbox.fault({ ...lose, nth: 3 });
  expect(await lostOf(partner, 5)).toBe("..x..");
  expect(await faultsOf(partner)).toMatchObject([{ hits: 1, matches: 3, inForce: false }]);
});

test("an event is selected by a glob over its name", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ ...lose, event: "ORDER-*" });
  expect(await lostOf(partner, 2)).toBe("..");
  await partner.sandbox.fault({ ...lose, event: "SUBSCRIPTION.ACC*" });
  await partner.sandbox.reset();
  await partner.sandbox.fault({ ...lose, event: "*.ACCEPTED" });
  expect(await lostOf(partner, 2)).toBe("xx");
});

test("an object selects the events that name it", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { externalId: "picked" });
  await partner.sandbox.fault({ ...lose, object: id as string });
  expect(await lostOf(partner, 1)).toBe(".");
  await partner.act("subscription.accept", { id });
  const deliveries = await partner.sandbox.deliveries();
  expect(deliveries.map(({ status }) => status as string)).toEqual(["delivered", "lost"]);
});

test("between is from the first time up to the second, which is not included", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({
    ...lose,
    between: ["2026-11-20T09:01:00-03:00", "2026-11-20T09:02:00-03:00"],
  });
  const accept = async (externalId: string): Promise<void> => {
    const { id } = await createSubscription(partner, { externalId });
    await partner.act("subscription.accept", { id });
  };
  await accept("one");
  await partner.advance("PT1M");
  await accept("two");
  await partner.advance("PT1M");
  await accept("three");
  const deliveries = await partner.sandbox.deliveries();
  expect(deliveries.map(({ status }) => status === "lost")).toEqual([false, true, false]);
  expect(await faultsOf(partner)).toMatchObject([
    { between: ["2026-11-20T12:01:00.000Z", "2026-11-20T12:02:00.000Z"], inForce: false },
  ]);
});

test("a probability is drawn from the seed, the same every time", async () => {
  const run = async (seed: number): Promise<string> => {
    await using partner = await openPartner({ seed });
    await partner.sandbox.fault({ ...lose, probability: 0.5 });
    return await lostOf(partner, 30);
  };
  const first = await run(7);
  expect(await run(7)).toBe(first);
  expect(await run(8)).not.toBe(first);
  expect(first).toContain("x");
  expect(first).toContain(".");
});

test("arming a fault changes no id and no other draw", async () => {
  const idsWith = async (armed: boolean): Promise<string[]> => {
    await using partner = await openPartner();
    if (armed)
      await partner.sandbox.fault({ on: "webhook", effect: "duplicate", copies: 3, probability: 0.5 });
    await lostOf(partner, 6);
    const deliveries = await partner.sandbox.deliveries();
    return deliveries.filter(({ duplicateOf }) => duplicateOf === null).map(({ id }) => id as string);
  };
  expect(await idsWith(true)).toEqual(await idsWith(false));
});

test("of two faults that would change the same thing only the first takes effect", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "bad-signature", form: "short" });
  await partner.sandbox.fault({ on: "webhook", effect: "missing-signature" });
  await partner.sandbox.fault({ on: "webhook", effect: "content-type", value: "text/plain" });
  await lostOf(partner, 1);
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery?.["attempts"][0].injected).toEqual(["bad-signature", "content-type"]);
  expect((await faultsOf(partner)).map(({ hits }) => hits as number)).toEqual([1, 0, 1]);
});

test("a fault on webhooks with an operation applies to the events that the call announced", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ ...lose, operation: "createSubscription" });
  expect(await lostOf(partner, 1)).toBe(".");
});

test("a restored snapshot has the faults that were armed when it was taken", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ ...lose, times: 1 });
  const { id } = await partner.sandbox.snapshot();
  expect(await lostOf(partner, 2)).toBe("x.");
  await partner.sandbox.restore(id);
  expect(await faultsOf(partner)).toMatchObject([{ hits: 0, inForce: true }]);
});

test.each([
  ["*", "ANY.THING", true],
  ["A.*", "A.B", true],
  ["A.*", "A", false],
  ["*.B", "A.B", true],
  ["A*A", "A", false],
  ["A*A", "AA", true],
  ["*A*B*", "xAyBz", true],
  ["*A*B*", "xByAz", false],
  ["A.B", "A.B", true],
  ["A.B", "AxB", false],
  ["A**B", "A.B", true],
  ["", "A", false],
])("the glob %s over %s is %s", (glob, text, matches) => {
  expect(matchesGlob(glob, text)).toBe(matches);
});

test("among hundreds of events there are exactly as many copies as the fault had hits", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate", probability: 0.2 });
  await partner.sandbox.fault({ on: "webhook", effect: "reset-after-request", nth: 100 });
  await lostOf(partner, 300);
  await partner.advance("PT1M");
  const [duplicate, lost] = await faultsOf(partner);
  const hits = duplicate?.["hits"] as number;
  expect(lost?.["hits"]).toBe(1);
  expect(hits).toBeGreaterThan(30);
  expect(hits).toBeLessThan(90);
  expect(partner.receiver.received).toHaveLength(300 + hits + 1);
  const distinct = new Set(partner.receiver.received.map(({ body }) => body));
  expect(distinct.size).toBe(300);
});
