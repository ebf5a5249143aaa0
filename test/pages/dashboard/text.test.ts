import {
  amountText,
  hexText,
  prettyText,
  summaryOf,
  counted,
  matches,
  errorText,
  shortId,
} from "../../../src/pages/dashboard/page/text.js";
import { createSubscription, openPartner } from "../../partner.ts";
import { toneOf } from "../../../src/pages/html/components.js";
import { expect, test } from "vitest";

test("a status has the tone that its collection gives it, and a status without one waits", () => {
  const collections = [{ ends: { PAID: "good", ERROR: "bad" } }, { ends: { EXPIRED: "neutral" } }] as const;
  const tones = ["PAID", "ERROR", "EXPIRED", "PENDING", "frozen"].map((one) => toneOf(one, collections));
  expect(tones).toEqual(["good", "bad", "neutral", "waiting", "neutral"]);
});

test.each([
  [{ currency: "BRL", value: "1234567.50" }, undefined, "R$1,234,567.50"],
  ["59.90", "BRL", "R$59.90"],
  ["-20.00", undefined, "-20.00"],
  ["1000", "JPY", "¥1,000"],
  [undefined, "BRL", ""],
  ["<b>", "BRL", ""],
])("the amount %j of %j is written %j", (amount, currency, text) => {
  expect(amountText(amount, currency)).toBe(text);
});

test("the title of a subscription is the partner's own code", async () => {
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

test("a claim has its own id, and a decimal amount has its currency", () => {
  expect(summaryOf({ claimId: "c1", status: "PENDING" })).toMatchObject({ id: "c1", title: "c1" });
  expect(summaryOf({ id: "p", amount: "10.00", currency: "BRL" })).toMatchObject({ amount: "R$10.00" });
});

test("the text of a refusal is its details, or its message, or its status", () => {
  const details = [{ description: "by must be a duration." }, { description: "to must be later." }];
  expect(errorText({ message: "no", details }, 400)).toBe("by must be a duration. to must be later.");
  expect(errorText({ message: "Resource not found", details: [] }, 404)).toBe("Resource not found");
  expect(errorText(null, 502)).toBe("The sandbox answered 502 without a message.");
});

test("a search finds rows that contain each of its words, in any case", () => {
  expect(matches("SHOP paid", { externalId: "shop-1", status: "PAID" })).toBe(true);
  expect(matches("shop unpaid", { externalId: "shop-1", status: "PAID" })).toBe(false);
  expect(matches("", "anything", undefined)).toBe(true);
});

test("UUIDs are shortened, and counts have their noun", () => {
  expect(shortId("c5d05f29-fdd7-4ca4-9505-abad4494ec72")).toBe("c5d05f29");
  expect(shortId("acme")).toBe("acme");
  expect([counted(1, "timer"), counted(0, "timer")]).toEqual(["1 timer", "0 timers"]);
});

test("a body is shown as JSON where it is JSON, and as hex on request", () => {
  expect(prettyText('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyText("<html>")).toBe("<html>");
  expect(hexText("é\n")).toBe(`0000  ${"c3 a9 0a".padEnd(47)}  ···`);
  expect(hexText("x".repeat(5000)).split("\n").at(-1)).toBe("… 904 bytes more");
});
