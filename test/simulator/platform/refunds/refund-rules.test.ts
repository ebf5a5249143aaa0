import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openPartner } from "../../../partner.ts";
import { openOrder, paidOrder, refund, refundBody, refunded } from "./paid-order.ts";

test("all wrong fields are reported together, in sentences", async () => {
  await using partner = await openPartner();
  const answered = await refund(partner, { requestedBy: { email: "ana" }, amount: true }, { key: "no-uuid" });
  expect(answered.status).toBe(400);
  const sentences = answered.body as unknown as string[];
  expect(sentences.map((sentence) => /^[\w.-]+/.exec(sentence)?.[0])).toEqual([
    "idempotency-key",
    "orderId",
    "reason",
    "requestedBy.name",
    "requestedBy.email",
    "amount",
  ]);
  for (const sentence of sentences) expect(sentence).toMatch(/^[\w.-]+(: [A-Z]| ).*\.$/);
});

test.each([
  ["orderId", 7],
  ["orderId", ""],
  ["orderId", null],
  ["reason", ["x"]],
  ["reason", ""],
  ["reason", "x".repeat(501)],
  ["requestedBy", "Ana"],
  ["requestedBy", null],
  ["requestedBy.name", { email: "ana@partner.example" }],
  ["requestedBy.name", { name: 1, email: "ana@partner.example" }],
  ["requestedBy.email", { name: "Ana" }],
  ["requestedBy.email", { name: "Ana", email: "ana" }],
  ["requestedBy.email", { name: "Ana", email: 5 }],
  ["amount", "0"],
  ["amount", "0.00"],
  ["amount", 0],
  ["amount", -1],
  ["amount", "-1.00"],
  ["amount", "1,50"],
  ["amount", "1.005"],
  ["amount", 1.005],
  ["amount", "1e1"],
  ["amount", ""],
  ["amount", null],
  ["amount", { currency: "BRL", value: "1.00" }],
  ["amount", "59.91"],
  ["amount", "99999999999"],
])("a %s of %j is refused and is the only problem", async (field, value) => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const [top = ""] = field.split(".");
  const answered = await refund(partner, refundBody(orderId, { [top]: value }));
  expect(answered.status).toBe(400);
  expect(answered.body).toEqual([expect.stringMatching(new RegExp(`^${field}(: [A-Z]| ).*\\.$`))]);
});

test.each([[undefined], ["[]"], ["null"], ["{"], ['"x"']])("the body %j is refused", async (body) => {
  await using partner = await openPartner();
  const answered = await refund(partner, body);
  expect(answered.status).toBe(400);
  expect(answered.body).toEqual([expect.stringMatching(/^body: [A-Z].+\.$/)]);
});

test("without a token it is 401, without the scope 403, both as arrays of sentences", async () => {
  await using partner = await openPartner();
  const unauthorized = await refund(partner, refundBody(randomUUID()), { token: null });
  expect([unauthorized.status, unauthorized.body]).toEqual([401, ["Unauthorized Request"]]);
  const forbidden = await refund(partner, refundBody(randomUUID()), { token: "acme-token-without-scope" });
  expect(forbidden.status).toBe(403);
  expect(forbidden.body).toEqual([expect.stringContaining("api://app-order-prd")]);
});

test("a bug is answered with 500 and an array of one sentence", async () => {
  await using partner = await openPartner({
    audit: (_simulation, { cause }) => {
      if (cause.name === "refundOrder") throw new Error("a bug of ours");
    },
  });
  const { orderId } = await paidOrder(partner);
  const failed = await refund(partner, refundBody(orderId));
  expect(failed.status).toBe(500);
  expect(failed.body).toEqual([expect.stringContaining("seed 7 and journal position")]);
});

test("an unknown order and another company's order get the same refusal", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const foreign = await refund(partner, refundBody(orderId), { token: "globex-token" });
  const unknown = await refund(partner, refundBody("nobody"), { token: "globex-token" });
  expect([foreign.status, unknown.status]).toEqual([400, 400]);
  expect(foreign.body).toEqual([
    `orderId: There is no order "${orderId}" of yours. Send the id of a paid order.`,
  ]);
  expect(unknown.body).toEqual([
    'orderId: There is no order "nobody" of yours. Send the id of a paid order.',
  ]);
});

test("a refund cannot be refunded", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const { id } = await refunded(partner, orderId, "10.00");
  await partner.advance("PT5S");
  const answered = await refund(partner, refundBody(id as string, { amount: "10.00" }));
  expect(answered.status).toBe(400);
  expect(answered.body).toEqual([
    `orderId: "${id}" is a refund, and a refund cannot be refunded. Name the order it refunds, ${orderId}, to refund what is left of that.`,
  ]);
  const foreign = await refund(partner, refundBody(id as string), { token: "globex-token" });
  expect(foreign.body).toEqual([expect.stringContaining("There is no order")]);
});

test.each([
  ["INITIAL", null],
  ["EXPIRED", "order.expire"],
  ["CANCELED", "order.cancel"],
  ["ERROR", "order.fail"],
])("an order that is %s cannot be refunded", async (status, act) => {
  await using partner = await openPartner();
  const { orderId } = await openOrder(partner);
  if (act !== null) await partner.act(act, { id: orderId });
  const answered = await refund(partner, refundBody(orderId));
  expect(answered.status).toBe(400);
  expect(answered.body).toEqual([
    expect.stringContaining(`orderId: The order ${orderId} is ${status}. Only`),
  ]);
});

test("all refunds together, pending ones included, never exceed what was paid", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await refunded(partner, orderId, "40.00");
  const tooMuch = await refund(partner, refundBody(orderId, { amount: "19.91" }));
  expect(tooMuch.body).toEqual([
    "amount: The amount must be at most 19.90: of the 59.90 BRL that arrived, 40.00 are refunded or about to be; found 19.91.",
  ]);
  await refunded(partner, orderId, "19.90");
});

test("an order can be refunded for exactly ninety days", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await partner.advance("P90D");
  await refunded(partner, orderId, "1.00");
  await partner.advance("PT0.001S");
  const late = await refund(partner, refundBody(orderId, { amount: "1.00" }));
  expect(late.status).toBe(400);
  expect(late.body).toEqual([
    `orderId: The order ${orderId} was paid at 2026-11-20T12:00:00.000Z and could be refunded for P90D, until 2027-02-18T12:00:00.000Z.`,
  ]);
});

test("unknown fields are ignored with a warning, and refused where the world is strict", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const answered = await refund(partner, refundBody(orderId, { currency: "BRL" }));
  expect([answered.status, answered.headers.get("x-sandbox-warning")]).toEqual([
    200,
    "unknown fields ignored: currency",
  ]);
  await using strict = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
  const order = await paidOrder(strict);
  const refused = await refund(strict, refundBody(order.orderId, { currency: "BRL" }));
  expect(refused.body).toEqual(['currency: The field "currency" is not known. Leave it out.']);
});
