import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

test.each([
  ["GET", "/order/v1/banking/accounts"],
  ["PUT", "/order/v2/refund"],
])("%s %s without a token is answered with the authentication scheme", async (method, path) => {
  await using partner = await openPartner();
  const answered = await partner.ask(method, path, { token: null });
  expect(answered.status).toBe(401);
  expect(answered.headers.get("www-authenticate")).toBe("Bearer");
});
