import { createSandbox } from "../../../src/index.ts";
import { createSubscription, openPartner, subscriptionBody } from "../../partner.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPayout, TED } from "../../simulator/platform/payouts/payout-requests.ts";
import { makeOrder, orderBody } from "../../simulator/platform/orders/asking.ts";

/** Freezes the wall clock, and returns a function that moves it on. */
function wallClock(): (byMs: number) => void {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (byMs) => vi.advanceTimersByTime(byMs);
}

test("the clock shows its mode and the world's time", async () => {
  await using partner = await openPartner();
  const { status, body } = await partner.ask("GET", "/sandbox/clock", { token: null });
  expect(status).toBe(200);
  expect(body).toEqual({ mode: "frozen", now: "2026-11-20T12:00:00.000Z" });
});

test("an advance by a duration reports from, to, how many timers fired and what happened, in order", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.request-cancellation", { id, reason: "FRAUD_SUSPICION" });
  const advanced = await partner.ask("POST", "/sandbox/clock/advance", { body: { by: "PT1M" } });
  expect(advanced.body).toMatchObject({
    from: "2026-11-20T12:00:00.000Z",
    to: "2026-11-20T12:01:00.000Z",
    fired: 1,
  });
  const happened = advanced.body["happened"] as {
    at: string;
    what: string;
    objectId: string;
    cause: string;
  }[];
  expect(happened.map(({ what }) => what)).toEqual([
    "subscription.cancel: PENDING_AUTHORIZATION → CANCELED",
    "cancellation.accept: PENDING → ACCEPTED",
    "webhook SUBSCRIPTION.CANCELLATION.ACCEPTED",
    "attempt 1 of SUBSCRIPTION.CANCELLATION.ACCEPTED answered 200",
  ]);
  expect(happened[0]).toMatchObject({
    at: "2026-11-20T12:00:05.000Z",
    objectId: id,
    cause: "timer cancellation.answer",
  });
});

test("an advance goes to a timestamp, to the next due timer, or until no timer is left", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500], { always: true });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const to = await partner.advance({ to: "2026-11-20T09:00:30-03:00" });
  expect(to).toMatchObject({ to: "2026-11-20T12:00:30.000Z", fired: 0 });
  const next = await partner.advance({ until: "next" });
  expect(next).toMatchObject({ to: "2026-11-20T12:01:00.000Z", fired: 1 });
  const idle = await partner.advance({ until: "idle" });
  expect(idle).toMatchObject({ to: "2026-11-20T14:36:00.000Z", fired: 3 });
  expect(await partner.advance({ until: "next" })).toMatchObject({ fired: 0, to: idle["to"] as string });
});

test("a month is a month of the calendar in São Paulo", async () => {
  await using partner = await openPartner({ start: "2027-01-31T23:00:00-03:00" });
  expect(await partner.advance("P1M")).toMatchObject({ to: "2027-03-01T02:00:00.000Z" });
});

test.each([
  [{}, "by"],
  [{ by: "PT1S", until: "idle" }, "by"],
  [{ by: "1 day" }, "by"],
  [{ by: 5 }, "by"],
  [{ by: "-PT1S" }, "by"],
  [{ by: "P9000Y" }, "by"],
  [{ by: "P9999999Y" }, "by"],
  [{ to: "+010000-01-01T00:00:00Z" }, "to"],
  [{ to: "2026-11-21T09:00:00-03:00[America/Sao_Paulo]" }, "to"],
  [{ to: "tomorrow" }, "to"],
  [{ to: "2026-11-20" }, "to"],
  [{ to: "2026-11-20T08:59:59-03:00" }, "to"],
  [{ until: "dusk" }, "until"],
])("an advance of %j is refused, and the time does not change", async (body, field) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", "/sandbox/clock/advance", { body });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ error: "INVALID_REQUEST", details: [{ field }] });
  expect((await partner.ask("GET", "/sandbox/clock")).body["now"]).toBe("2026-11-20T12:00:00.000Z");
});

test("setting a later time is an advance to it, setting an earlier one is refused", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.request-cancellation", { id, reason: "FRAUD_SUSPICION" });
  const put = await partner.ask("PUT", "/sandbox/clock", { body: { now: "2026-11-20T10:00:00-03:00" } });
  expect(put.body).toEqual({ mode: "frozen", now: "2026-11-20T13:00:00.000Z" });
  expect(await partner.webhooks()).toHaveLength(2);
  expect((await partner.ask("PUT", "/sandbox/clock", { body: { now: "2026-11-20T12:00:00Z" } })).status).toBe(
    400,
  );
  expect((await partner.ask("PUT", "/sandbox/clock", { body: { mode: "fast" } })).status).toBe(400);
  expect((await partner.ask("PUT", "/sandbox/clock", { body: {} })).status).toBe(400);
});

test("a running clock follows the wall clock, and can be frozen again", async () => {
  const moveWallClock = wallClock();
  await using partner = await openPartner();
  await partner.ask("PUT", "/sandbox/clock", { body: { mode: "running" } });
  const nowAt = async (): Promise<number> =>
    Date.parse((await partner.ask("GET", "/sandbox/clock")).body["now"] as string);
  const before = await nowAt();
  moveWallClock(1_234);
  expect((await nowAt()) - before).toBe(1_234);
  await partner.ask("PUT", "/sandbox/clock", { body: { mode: "frozen" } });
  moveWallClock(1_000);
  expect((await nowAt()) - before).toBe(1_234);
});

test("a duration is counted from the time at which the webhooks in flight are answered", async () => {
  const moveWallClock = wallClock();
  const received = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<{ status: number; headers: Record<string, string>; body: string }>();
  await using sandbox = await createSandbox({
    mode: "running",
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: "http://receiver.example/webhooks",
    transport: transportTo({
      receive: () => {
        received.resolve();
        return answered.promise;
      },
    }),
  });
  const partner = { authorization: "Bearer acme-token", "content-type": "application/json" };
  const body = JSON.stringify(subscriptionBody());
  const made = await sandbox.fetch("/order/v1/banking/subscriptions", {
    method: "POST",
    headers: partner,
    body,
  });
  const { id } = (await made.json()) as { id: string };
  const accepted = sandbox.act("subscription.accept", { id });
  const advance = sandbox.advance("PT1H");
  await received.promise;
  moveWallClock(5_000);
  answered.resolve({ status: 200, headers: {}, body: "" });
  const { from, to } = await advance;
  await accepted;
  expect(Date.parse(to) - Date.parse(from)).toBe(3_600_000);
});

test("on a running clock due timers fire without a request", async () => {
  await using partner = await openPartner({
    mode: "running",
    assumptions: { "cancellation.delay": "PT0.01S" },
  });
  const { id } = await createSubscription(partner, { startDate: "2026-11-21" });
  await partner.act("subscription.request-cancellation", { id, reason: "FRAUD_SUSPICION" });
  while (partner.receiver.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(JSON.parse(partner.receiver.received[1]?.body ?? "{}")).toMatchObject({
    event: "SUBSCRIPTION.CANCELLATION.ACCEPTED",
  });
});

test.each([
  "/",
  "/openapi.json",
  "/docs",
  "/sandbox/health",
  "/sandbox/recording",
  "/sandbox/timeline/stream",
  "/none",
])("the Date of the answer to GET %s is the world's time", async (path) => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(path);
  expect(response.headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
  await response.body?.cancel();
});

/** At the ends of the calendar a date was made that has no place in it, and the answer was a bug of the sandbox. */
test("a clock that starts outside the years 1 to 9899 is refused", async () => {
  await using partner = await openPartner();
  for (const start of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]) {
    await expect(createSandbox({ start })).rejects.toThrow(
      `The start must be in the years 1 to 9899; found "${start}".`,
    );
    const { body } = await partner.ask("POST", "/sandbox/worlds", { body: { start } });
    expect(body["details"]).toMatchObject([
      { field: "start", description: expect.stringContaining("in the years 1 to 9899") as string },
    ]);
  }
});

test.each(["0001-01-02T00:00:00Z", "1970-01-01T00:00:00Z", "9899-12-31T23:59:59.999Z"])(
  "whatever is made at %s has its dates",
  async (start) => {
    await using partner = await openPartner({ start });
    await createSubscription(partner, { startDate: "9899-12-31" });
    await createPayout(partner, TED);
    for (const method of ["BOLETO", "PIX", "DEPOSIT"]) await makeOrder(partner, orderBody(method));
    const { to } = await partner.advance({ until: "idle" });
    expect(to).toMatch(/^\d{4}-/);
  },
);

test("a clock stops at the year 9899", async () => {
  await using partner = await openPartner();
  await expect(partner.advance("P9000Y")).rejects.toThrow(
    "by must not lead past the year 9899; found P9000Y.",
  );
  await expect(partner.advance({ to: "9900-01-01T00:00:00Z" })).rejects.toThrow(
    "to must not lie past the year 9899; found 9900-01-01T00:00:00Z.",
  );
  await partner.advance({ to: "9899-12-31T23:59:59Z" });
  await partner.advance("PT0S");
});

test("a duration longer than the calendar is refused, and a fault lasts at most a hundred years", async () => {
  await using partner = await openPartner();
  await expect(partner.advance("P300000Y")).rejects.toThrow("by must be an ISO 8601 duration");
  await expect(createSandbox({ worldIdle: "P300000Y" })).rejects.toThrow(
    "must be an ISO 8601 duration up to P20D",
  );
  await expect(partner.sandbox.fault({ on: "webhook", effect: "delay", by: "P101Y" })).rejects.toThrow(
    'by must be an ISO 8601 duration of at most a hundred years, such as PT5M or P1D; found "P101Y".',
  );
});
