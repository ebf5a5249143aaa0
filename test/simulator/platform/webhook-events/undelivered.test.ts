import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import fc from "fast-check";
import { type Partner, RECEIVER_URL, createSubscription, detail, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";

const PATH = "/order/v1/webhook/events";

async function list(partner: Partner, query: Readonly<Record<string, string>> = {}): Promise<SandboxObject> {
  const answered = await partner.ask("GET", `${PATH}?${new URLSearchParams(query).toString()}`);
  if (answered.status !== 200) throw new Error(JSON.stringify(answered.body));
  return answered.body;
}

async function times(partner: Partner, query?: Readonly<Record<string, string>>): Promise<string[]> {
  const { data } = await list(partner, query);
  return (data as SandboxObject[]).map((event) => event["createdAt"] as string);
}

/** Has as many events announced as there are names, all at the present instant. */
async function announce(partner: Partner, names: readonly string[]): Promise<SandboxObject[]> {
  const subscriptions: SandboxObject[] = [];
  for (const externalId of names) {
    const subscription = await createSubscription(partner, { externalId });
    await partner.act("subscription.accept", { id: subscription["id"] });
    subscriptions.push(subscription);
  }
  await partner.advance("PT0S");
  return subscriptions;
}

/** A partner whose receiver answers nothing but 500, and whose events have all come to nothing. */
async function openFailing(names: readonly string[]): Promise<Partner> {
  const partner = await openPartner();
  partner.receiver.script([{ status: 500, body: { returnCode: "BROKEN" } }], { always: true });
  await announce(partner, names);
  await partner.advance("PT3H");
  return partner;
}

test("nothing undelivered is an empty page without a cursor", async () => {
  await using partner = await openPartner();
  await announce(partner, ["a"]);
  expect(await list(partner)).toEqual({
    limit: 20,
    sort: "desc",
    nextCursor: null,
    hasNext: false,
    data: [],
  });
});

test("an event is listed once its five attempts have failed, and not before", async () => {
  await using partner = await openPartner();
  partner.receiver.script([{ status: 500, body: { returnCode: "BROKEN" } }], { always: true });
  const [subscription] = await announce(partner, ["a"]);
  await partner.advance("PT2H35M59S");
  expect((await list(partner))["data"]).toEqual([]);
  await partner.advance("PT1S");
  const { data, nextCursor, hasNext } = await list(partner);
  const message = '{"returnCode":"BROKEN"}';
  const attemptAt = (createdAt: string) => ({ message, statusCode: 500, createdAt });
  expect(data).toEqual([
    {
      id: (await partner.sandbox.deliveries())[0]?.["id"],
      referenceId: subscription?.["id"],
      url: RECEIVER_URL,
      status: "FAILED",
      createdAt: "2026-11-20T12:00:00.000000Z",
      updatedAt: "2026-11-20T14:36:00.000Z",
      attempts: [
        attemptAt("2026-11-20T12:00:00.000Z"),
        attemptAt("2026-11-20T12:01:00.000Z"),
        attemptAt("2026-11-20T12:06:00.000Z"),
        attemptAt("2026-11-20T12:36:00.000Z"),
        attemptAt("2026-11-20T14:36:00.000Z"),
      ],
    },
  ]);
  expect([nextCursor, hasNext]).toEqual(["2026-11-20T12:00:00.000000Z", false]);
});

test("an attempt without an answer has no status code but a reason", async () => {
  await using partner = await openPartner();
  partner.receiver.script(["timeout"], { always: true });
  await announce(partner, ["a"]);
  await partner.advance("PT3H");
  const { data } = await list(partner);
  expect(data[0].attempts[0]).toEqual({
    message:
      "Failed to deliver: the receiver gave no answer (timeout). Answer first and do the work afterwards.",
    statusCode: null,
    createdAt: "2026-11-20T12:00:00.000Z",
  });
});

test("a company sees no event of another", async () => {
  await using partner = await openFailing(["a"]);
  const answered = await partner.ask("GET", PATH, { token: "globex-token" });
  expect(answered.body["data"]).toEqual([]);
});

test("events of one instant have creation times a microsecond apart, the newest first by default", async () => {
  await using partner = await openFailing(["a", "b", "c"]);
  const oldestFirst = [0, 1, 2].map((last) => `2026-11-20T12:00:00.00000${last}Z`);
  expect(await times(partner)).toEqual(oldestFirst.toReversed());
  expect(await times(partner, { sort: "asc" })).toEqual(oldestFirst);
});

test("the last page still has the time of its last item, and the page after it is empty", async () => {
  await using partner = await openFailing(["a", "b", "c"]);
  const first = await list(partner, { limit: "2" });
  expect(first).toMatchObject({
    limit: 2,
    sort: "desc",
    hasNext: true,
    nextCursor: "2026-11-20T12:00:00.000001Z",
  });
  const second = await list(partner, { limit: "2", cursor: first["nextCursor"] as string });
  expect(second).toMatchObject({ hasNext: false, nextCursor: "2026-11-20T12:00:00.000000Z" });
  expect(second["data"]).toHaveLength(1);
  const third = await list(partner, { limit: "2", cursor: second["nextCursor"] as string });
  expect(third).toMatchObject({ hasNext: false, nextCursor: null, data: [] });
});

test("both bounds are inclusive to the microsecond", async () => {
  await using partner = await openFailing(["a", "b", "c"]);
  const second = "2026-11-20T12:00:00.000001Z";
  expect(await times(partner, { createdFrom: second, createdTo: second })).toEqual([second]);
  expect(await times(partner, { createdFrom: second })).toHaveLength(2);
  expect(await times(partner, { createdTo: second })).toHaveLength(2);
  expect(await times(partner, { createdFrom: "2026-11-20T09:00:00.000001-03:00" })).toHaveLength(2);
});

test("a bound without a time is a whole day in UTC", async () => {
  await using partner = await openPartner({ start: "2026-11-20T20:59:59.999-03:00" });
  partner.receiver.script([500], { always: true });
  await announce(partner, ["evening"]);
  await partner.advance("PT0.001S");
  await announce(partner, ["night"]);
  await partner.advance("PT3H");
  expect(await times(partner, { createdTo: "2026-11-20" })).toEqual(["2026-11-20T23:59:59.999000Z"]);
  expect(await times(partner, { createdFrom: "2026-11-21" })).toEqual(["2026-11-21T00:00:00.000000Z"]);
  expect(await times(partner, { createdFrom: "2026-11-20", createdTo: "2026-11-21" })).toHaveLength(2);
  expect(await times(partner, { createdFrom: "2026-11-22" })).toEqual([]);
});

test("a resend that succeeds removes the event from the list, one that fails adds its attempt", async () => {
  await using partner = await openFailing(["a"]);
  const { id } = (await list(partner))["data"][0] as { id: string };
  await partner.ask("POST", `/sandbox/deliveries/${id}/resend`);
  const { data } = await list(partner);
  expect(data[0].attempts).toHaveLength(6);
  await partner.advance("P1D");
  expect((await list(partner))["data"][0].attempts).toHaveLength(6);
  partner.receiver.script([200]);
  await partner.ask("POST", `/sandbox/deliveries/${id}/resend`);
  expect((await list(partner))["data"]).toEqual([]);
});

test.each([
  ["limit", "0"],
  ["limit", "5001"],
  ["limit", "x"],
  ["limit", "2.5"],
  ["sort", "ASC"],
  ["cursor", "yesterday"],
  ["cursor", "2026-11-20"],
  ["createdFrom", "2026-02-30"],
  ["createdFrom", "20/11/2026"],
  ["createdTo", "2026-11-20T25:00:00Z"],
  ["createdTo", ""],
])("the query %s=%s is refused", async (name, value) => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", `${PATH}?${name}=${encodeURIComponent(value)}`);
  expect(answered.status).toBe(400);
  expect(answered.body["error"]).toBe("INVALID_REQUEST");
  expect(detail(answered, name)["issue"]).toBe("INVALID");
});

test("a lower bound after the upper one is refused", async () => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", `${PATH}?createdFrom=2026-11-21&createdTo=2026-11-20`);
  expect(answered.status).toBe(400);
  expect(detail(answered, "createdTo")["description"]).toContain("2026-11-21");
});

test("a page can have 5000 events", async () => {
  await using partner = await openPartner();
  expect((await list(partner, { limit: "5000" }))["limit"]).toBe(5000);
});

test("the list requires a token with the scope", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", PATH, { token: null })).status).toBe(401);
  expect((await partner.ask("GET", PATH, { token: "acme-token-without-scope" })).status).toBe(403);
});

test("pages cover every event once in either direction, whatever their size and the gaps between events", async () => {
  const gaps = fc.array(fc.constantFrom("PT0S", "PT0.001S", "PT7S"), { minLength: 1, maxLength: 6 });
  const property = fc.asyncProperty(
    gaps,
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom("asc", "desc"),
    async (waits, limit, sort) => {
      await using partner = await openPartner();
      partner.receiver.script([500], { always: true });
      for (const [index, wait] of waits.entries()) {
        await announce(partner, [`s${index}`]);
        await partner.advance(wait);
      }
      await partner.advance("PT3H");
      const whole = await times(partner, { sort });
      const seen: string[] = [];
      for (let cursor: string | undefined, hasNext = true; hasNext && seen.length < 100;) {
        const page = await list(partner, {
          sort,
          limit: String(limit),
          ...(cursor !== undefined && { cursor }),
        });
        seen.push(...(page["data"] as SandboxObject[]).map((event) => event["createdAt"] as string));
        cursor = page["nextCursor"] as string;
        hasNext = page["hasNext"] as boolean;
      }
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(waits.length);
    },
  );
  await fc.assert(property, { numRuns: 20 });
});
