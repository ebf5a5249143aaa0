import { ACME_ACCOUNT, openPartner } from "../partner.ts";
import { expect, test } from "vitest";

const token = "acme-token-without-scope";

/** The assumption auth.scope-elsewhere could be set and changed nothing. */
test.each([
  ["GET", "/order/v1/banking/accounts", 200],
  ["GET", `/order/v1/banking/accounts/${ACME_ACCOUNT}/balance`, 200],
  ["GET", "/order/v1/webhook/events", 200],
  ["GET", "/v1/orders/deposit/banks", 200],
  ["POST", "/order/v1/banking/order-payouts", 400],
  ["POST", "/order/v1/banking/subscriptions", 403],
  ["GET", "/order/v1/banking/subscriptions/3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01", 403],
  ["PUT", "/order/v2/refund", 403],
  ["PUT", "/order/v2/transparent", 403],
])(
  "where only the named endpoints need the scope, %s %s answers %i without it",
  async (method, path, status) => {
    await using partner = await openPartner({ assumptions: { "auth.scope-elsewhere": false } });
    const answered = await partner.ask(method, path, { token, ...(method !== "GET" && { body: {} }) });
    expect(answered.status).toBe(status);
  },
);
