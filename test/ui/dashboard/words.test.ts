import {
  amountText,
  counted,
  matches,
  sentenceOf,
  shortId,
  toneOf,
} from "../../../src/ui/dashboard/page/words.js";
import { collectionTold, collections, summaryOf } from "../../../src/ui/dashboard/page/collections.js";
import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import { hexText, prettyText } from "../../../src/ui/dashboard/page/bytes.js";
import { collections as listed, lifecycles, steps } from "../../../src/platform/catalog.ts";

test("every state from which nothing leads on is coloured as ended, well or badly or neither", () => {
  const ended = lifecycles.flatMap(({ states, transitions }) =>
    states.filter((state) => !transitions.some(({ from, to }) => from.includes(state) && to !== state)),
  );
  expect(ended.length).toBeGreaterThan(10);
  expect(ended.filter((state) => toneOf(state) === "waiting")).toEqual([]);
  expect(toneOf("PENDING_AUTHORIZATION")).toBe("waiting");
  expect(toneOf("retrying")).toBe("waiting");
});

test("every collection of the sandbox has its place, the events of webhooks among the deliveries", () => {
  expect([...listed.keys()].sort()).toEqual([...Object.keys(collections), "webhook-events"].sort());
});

test("the plan that an object is offered is one there is", () => {
  const offered = Object.values(collections).flatMap(({ plan }) => (plan === undefined ? [] : [plan]));
  expect(offered.filter((plan) => !steps.has(plan))).toEqual([]);
});

test.each([
  [{ currency: "BRL", value: "1234567.50" }, undefined, "1 234 567.50 BRL"],
  ["59.90", "BRL", "59.90 BRL"],
  ["-20.00", undefined, "-20.00"],
  ["1000", "JPY", "1 000 JPY"],
  [undefined, "BRL", ""],
  ["<b>", "BRL", ""],
])("the amount %j of %j is written %j", (amount, currency, text) => {
  expect(amountText(amount, currency)).toBe(text);
});

test("a subscription is summed up by the partner's own code", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const { body } = await partner.ask("GET", `/sandbox/resources/subscriptions/${String(id)}`);
  expect(summaryOf(body)).toMatchObject({
    id,
    status: "PENDING_AUTHORIZATION",
    title: "subscription-1",
    note: "MONTHLY",
  });
});

test("a claim is found by its own id, and an amount without an object around it has its currency beside it", () => {
  expect(summaryOf({ claimId: "c1", status: "PENDING" })).toMatchObject({ id: "c1", title: "c1" });
  expect(summaryOf({ id: "p", amount: "10.00", currency: "BRL" })).toMatchObject({ amount: "10.00 BRL" });
});

test.each([
  ["subscription.accept: PENDING_AUTHORIZATION → ACCEPTED", "subscriptions"],
  ["scheduled-payment.cancel: ACCEPTED → CANCELED", "scheduled-payments"],
  ["webhook SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED", "scheduled-payments"],
  ["attempt 1 of ORDER-PAYOUT.PAID answered 200", "payouts"],
  ["payout-transaction.settle: PENDING → PAID", undefined],
  ["confirmation code sent to maria@mail.example", undefined],
])("the line %j tells of %s", (what, collection) => {
  expect(collectionTold(what)).toBe(collection);
});

test("a refusal is told by its details, or else by its message, or else by its status", () => {
  const details = [{ description: "by must be a duration." }, { description: "to must be later." }];
  expect(sentenceOf({ message: "no", details }, 400)).toBe("by must be a duration. to must be later.");
  expect(sentenceOf({ message: "Resource not found", details: [] }, 404)).toBe("Resource not found");
  expect(sentenceOf(null, 502)).toBe("The sandbox answered 502 and said no more.");
});

test("a search finds what has every one of its words, in whatever case", () => {
  expect(matches("SHOP paid", { externalId: "shop-1", status: "PAID" })).toBe(true);
  expect(matches("shop unpaid", { externalId: "shop-1", status: "PAID" })).toBe(false);
  expect(matches("", "anything", undefined)).toBe(true);
});

test("ids are cut where they are UUIDs, and things are counted in words", () => {
  expect(shortId("c5d05f29-fdd7-4ca4-9505-abad4494ec72")).toBe("c5d05f29");
  expect(shortId("acme")).toBe("acme");
  expect([counted(1, "timer"), counted(0, "timer")]).toEqual(["1 timer", "0 timers"]);
});

test("a body is shown as JSON where it is JSON, and byte by byte where its bytes matter", () => {
  expect(prettyText('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyText("<html>")).toBe("<html>");
  expect(hexText("é\n")).toBe(`0000  ${"c3 a9 0a".padEnd(47)}  ···`);
  expect(hexText("x".repeat(5000)).split("\n").at(-1)).toBe("… 904 bytes more");
});
