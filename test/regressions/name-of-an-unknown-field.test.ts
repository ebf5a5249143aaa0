import { expect, test } from "vitest";
import { openPartner, subscriptionBody } from "../partner.ts";

/** Half of a character in the name of an unknown field, or in the cut of a long one, ended in a 500. */
test.each([
  ["half of a character", "\ud800", "%EF%BF%BD"],
  ["a character where it is cut", `${"x".repeat(99)}😀`, `${"x".repeat(99)}%EF%BF%BD`],
])("an unknown field with %s in its name causes a warning", async (_title, name, shown) => {
  await using partner = await openPartner();
  const answered = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    body: subscriptionBody({ [name]: 1 }),
  });
  expect(answered.status).toBe(201);
  expect(answered.headers.get("x-sandbox-warning")).toBe(`unknown fields ignored: ${shown}`);
});

test("the names of many unknown fields leave an answer that a client can read", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const names = Array.from({ length: 20 }, (_, index) => `${index}${"漢".repeat(98)}`);
  const response = await fetch(`${url}/order/v1/banking/subscriptions`, {
    method: "POST",
    headers: { authorization: "Bearer acme-token" },
    body: JSON.stringify(subscriptionBody(Object.fromEntries(names.map((name) => [name, 1])))),
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("x-sandbox-warning")).toContain("19%E6%BC%A2");
});
