import type { Act, Field } from "../../../src/pages/dashboard/page/page-data.ts";
import { actsFor, bodyOf, fieldsOf } from "../../../src/pages/dashboard/page/form-fields.js";
import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";

async function listedActs(): Promise<Act[]> {
  await using partner = await openPartner();
  return (await partner.ask("GET", "/sandbox/acts")).body["data"] as Act[];
}

test("an object has exactly the acts that its status allows", async () => {
  const acts = await listedActs();
  const offered = (collection: string, status: string) =>
    actsFor(acts, collection, status).map(({ act }) => act);
  expect(offered("subscriptions", "PENDING_AUTHORIZATION")).toContain("subscription.accept");
  expect(offered("subscriptions", "ACCEPTED")).toEqual(["subscription.request-cancellation"]);
  expect(offered("subscriptions", "CANCELED")).toEqual([]);
  expect(offered("orders", "PAID")).toEqual([
    "order.return",
    "order.dispute",
    "order.dispute-lost",
    "order.dispute-won",
  ]);
  expect(offered("accounts", "CLOSED")).toEqual([]);
});

test("every act has a form with fields for all its input", async () => {
  const acts = await listedActs();
  const formless = acts.filter(({ schema }) => schema !== null && fieldsOf(schema).length === 0);
  const fields = acts.flatMap(({ schema }) => fieldsOf(schema));
  expect(formless).toEqual([]);
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter(({ kind, choices }) => (kind === "choice") !== choices.length > 0)).toEqual([]);
});

test("objects inside a body are flat in the form and nested in what is sent", async () => {
  const accept = (await listedActs()).find(({ act }) => act === "subscription.accept");
  const fields = fieldsOf(accept?.schema ?? null);
  expect(fields.map(({ path }) => path.join("."))).toEqual([
    "payer.name",
    "payer.document.type",
    "payer.document.number",
    "maxAmount.currency",
    "maxAmount.value",
  ]);
  const typed: Record<string, string> = {
    "payer.name": " Paula Pagadora ",
    "payer.document.type": "CPF",
    "payer.document.number": "52998224725",
  };
  const body = bodyOf(fields, ({ path }) => typed[path.join(".")] ?? "");
  expect(body).toEqual({
    payer: { name: "Paula Pagadora", document: { type: "CPF", number: "52998224725" } },
  });

  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const accepted: SandboxObject = await partner.act("subscription.accept", { id, ...body });
  expect(accepted).toMatchObject({ status: "ACCEPTED", payer: { name: "Paula Pagadora" } });
});

test("a number is sent as a number, and other text as typed, so that the sandbox reports the mistake", () => {
  const [field] = fieldsOf({
    type: "object",
    properties: { sequence: { type: "integer" } },
    required: ["sequence"],
  });
  expect(field).toMatchObject({ kind: "number", required: true });
  expect(bodyOf([field as Field], () => "2")).toEqual({ sequence: 2 });
  expect(bodyOf([field as Field], () => "two")).toEqual({ sequence: "two" });
  expect(bodyOf([field as Field], () => " ")).toEqual({});
});
