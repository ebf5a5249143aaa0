import { expect, test } from "vitest";
import { openPartner, payoutBody, subscriptionBody, type Partner } from "../../partner.ts";
import {
  acceptedSubscription,
  chargeBody,
  createCharge,
  planSettlement,
  putCharge,
} from "../../simulator/platform/scheduled-payments/charge.ts";

const PAYOUTS = "/order/v1/banking/order-payouts";
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

async function lints(partner: Partner): Promise<string[]> {
  const { body } = await partner.ask("GET", "/sandbox/lints");
  return (body["data"] as { lint: string; requests: string[] }[]).map(
    ({ lint, requests }) => `${lint} ${requests.join(" ")}`,
  );
}

function pay(partner: Partner, id: string, asked: { key?: string; changed?: object } = {}): Promise<unknown> {
  const { key = id, changed } = asked;
  const headers = { "x-request-id": id };
  return partner
    .ask("POST", PAYOUTS, { body: payoutBody(changed), headers, ...(key !== "" && { key }) })
    .catch(() => undefined);
}

test("a payout that is carried out under two keys is found, also where the first answer was dropped", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "reset", times: 1 });
  await pay(partner, "first");
  await pay(partner, "second");
  expect(await lints(partner)).toEqual(["two-keys first second"]);
  const { body } = await partner.ask("GET", "/sandbox/requests");
  const [dropped] = body["data"] as { status: number | null; carriedOut?: true }[];
  expect(dropped).toMatchObject({ status: null, carriedOut: true });
});

test("the same amount to the same externalId is the same payout, whatever else the body says", async () => {
  await using partner = await openPartner();
  await pay(partner, "first");
  await pay(partner, "second", {
    changed: { description: "again", amount: { currency: "BRL", value: 1250 } },
  });
  expect(await lints(partner)).toEqual(["two-keys first second"]);
});

test("a repetition with the same key, after an answer that was dropped or an error, is right", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "reset", times: 1 });
  await pay(partner, "first", { key: "k" });
  await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "unavailable", times: 1 });
  await pay(partner, "second", { key: "k" });
  await pay(partner, "third", { key: "k" });
  await pay(partner, "other", { changed: { externalId: "payout-2" } });
  expect(await lints(partner)).toEqual([]);
});

test("a call whose token a fault ends is not carried out", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "token-expired", times: 1 });
  await pay(partner, "first");
  const { body } = await partner.ask("GET", "/sandbox/requests");
  const [refused] = body["data"] as object[];
  expect(refused).toMatchObject({ status: 401 });
  expect(refused).not.toHaveProperty("carriedOut");
});

test("two keys of which one was refused have moved money once", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "unavailable", times: 1 });
  await pay(partner, "first");
  await pay(partner, "second");
  expect(await lints(partner)).toEqual([]);
});

test("a call that moves money without a key is found", async () => {
  await using partner = await openPartner();
  await pay(partner, "first", { key: "" });
  expect(await lints(partner)).toEqual(["no-key first"]);
});

test("an object that is made again under a new externalId after a lost answer is found, and two that are meant are not", async () => {
  await using partner = await openPartner();
  const subscribe = (id: string, externalId: string): Promise<unknown> =>
    partner
      .ask("POST", SUBSCRIPTIONS, { body: subscriptionBody({ externalId }), headers: { "x-request-id": id } })
      .catch(() => undefined);
  await subscribe("a", "member-1");
  await subscribe("b", "member-2");
  await partner.sandbox.fault({ on: "api", operation: "createSubscription", effect: "reset", times: 1 });
  await subscribe("c", "member-3");
  await subscribe("d", "member-4");
  expect(await lints(partner)).toEqual(["no-key c d"]);
});

test("a key that is used for another body is found; a body that was corrected after a refusal may keep it", async () => {
  await using partner = await openPartner();
  await pay(partner, "refused", { key: "k1", changed: { amount: { currency: "BRL", value: "-1" } } });
  await pay(partner, "corrected", { key: "k1" });
  await pay(partner, "used", { key: "k2", changed: { externalId: "payout-2" } });
  await pay(partner, "reused", { key: "k2", changed: { externalId: "payout-3" } });
  expect(await lints(partner)).toEqual(["key-reused used reused"]);
});

test("a refusal that is sent again unchanged more than twice is found", async () => {
  await using partner = await openPartner();
  const wrong = { key: "k", changed: { amount: { currency: "BRL", value: "-1" } } };
  for (const id of ["1", "2", "3"]) await pay(partner, id, wrong);
  expect(await lints(partner)).toEqual([]);
  await pay(partner, "4", wrong);
  expect(await lints(partner)).toEqual(["repeated-refusal 1 2 3 4"]);
});

test.each([
  ["although the platform resends an equal one", "2026-11-25T10:00:00-03:00", ["charged-again"]],
  ["before anything went wrong", "2026-11-21T10:00:00-03:00", []],
])("a charge that is sent %s is reported or not", async (_, to, found) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["SETTLEMENT_ERROR"]);
  await partner.advance({ to });
  await putCharge(partner, id, chargeBody({ externalId: "charge-2" }));
  expect((await lints(partner)).map((line) => line.split(" ")[0])).toEqual(found);
});

test.each([401, 408, 409, 425, 429])("a %i may be sent again unchanged", async (status) => {
  await using partner = await openPartner();
  const fault = { on: "api", operation: "createPayout", effect: "error", status, times: 4 } as const;
  await partner.sandbox.fault(fault);
  for (const id of ["1", "2", "3", "4", "5"]) await pay(partner, id, { key: "k" });
  expect(await lints(partner)).toEqual([]);
});

test("calls of sandbank's own commands are not the client's", async () => {
  await using partner = await openPartner();
  for (const key of ["k1", "k2"])
    await partner.ask("POST", PAYOUTS, { body: payoutBody(), key, headers: { "user-agent": "sandbank" } });
  expect(await lints(partner)).toEqual([]);
});
