import { describe, expect, test } from "vitest";
import {
  ACME_ACCOUNT,
  type Answered,
  openPartner,
  type Partner,
  subscriptionBody,
} from "../../../partner.ts";
import { askPayout, GLOBEX_ACCOUNT, reais } from "../payouts/payout-requests.ts";
import { acceptedSubscription, chargeBody, putCharge } from "../scheduled-payments/charge.ts";

const FORBIDDEN = { status: 403, body: { error: "FORBIDDEN_ERROR", details: [] } };

function invalid(field: string, issue: string) {
  return { status: 400, body: { error: "INVALID_REQUEST", details: [{ field, issue }] } };
}

/** What a call gets where an assumption has a value. */
async function answered(
  assumptions: object,
  call: (partner: Partner) => Promise<Answered>,
): Promise<Pick<Answered, "status" | "body">> {
  await using partner = await openPartner({ assumptions });
  const { status, body } = await call(partner);
  return { status, body };
}

const deactivated = async (partner: Partner) => partner.act("account.deactivate", { id: ACME_ACCOUNT });

/** Calls that are refused, each with its assumption: by default, and otherwise. */
const refusals: readonly [
  id: string,
  otherwise: string,
  call: (partner: Partner) => Promise<Answered>,
  usual: object,
  other: object,
][] = [
  [
    "payout.insufficient-balance",
    "forbidden",
    (partner) => askPayout(partner, { amount: reais("900000.00") }),
    invalid("amount.value", "INSUFFICIENT_BALANCE"),
    FORBIDDEN,
  ],
  [
    "payout.inactive-account",
    "invalid",
    async (partner) => {
      await deactivated(partner);
      return askPayout(partner);
    },
    FORBIDDEN,
    invalid("accountId", "NOT_ALLOWED"),
  ],
  [
    "payout.foreign-account",
    "invalid",
    (partner) => askPayout(partner, { accountId: GLOBEX_ACCOUNT }),
    FORBIDDEN,
    invalid("accountId", "NOT_ALLOWED"),
  ],
  [
    "subscription.inactive-account",
    "invalid",
    async (partner) => {
      await deactivated(partner);
      return partner.ask("POST", "/order/v1/banking/subscriptions", { body: subscriptionBody() });
    },
    FORBIDDEN,
    invalid("accountId", "NOT_ALLOWED"),
  ],
  [
    "charge.inactive-account",
    "invalid",
    async (partner) => {
      const { id } = await acceptedSubscription(partner);
      await deactivated(partner);
      return putCharge(partner, id, chargeBody());
    },
    FORBIDDEN,
    invalid("id", "NOT_ALLOWED"),
  ],
  [
    "tenancy.foreign-resource",
    "forbidden",
    (partner) => partner.ask("GET", `/order/v1/banking/accounts/${GLOBEX_ACCOUNT}/balance`),
    { status: 404, body: { error: "NOT_FOUND" } },
    FORBIDDEN,
  ],
  [
    "tenancy.foreign-resource",
    "forbidden",
    async (partner) => {
      const { id } = await acceptedSubscription(partner);
      const path = `/public/v1/banking/subscriptions/${String(id)}/payments`;
      return partner.ask("PUT", path, { token: "globex-token", body: chargeBody() });
    },
    { status: 404, body: { error: "NOT_FOUND" } },
    FORBIDDEN,
  ],
  [
    "tenancy.foreign-resource",
    "forbidden",
    (partner) =>
      partner.ask("POST", `/order/v1/banking/accounts/${GLOBEX_ACCOUNT}/keys/claims`, {
        body: { type: "PORTABILITY", key: { type: "PHONE", value: "+5521912345678" } },
      }),
    invalid("accountId", "INVALID"),
    FORBIDDEN,
  ],
];

describe("what a platform may refuse otherwise", () => {
  test.each(refusals)("%s=%s", async (id, otherwise, call, usual, other) => {
    expect(await answered({}, call)).toMatchObject(usual);
    expect(await answered({ [id]: otherwise }, call)).toMatchObject(other);
  });

  test("an id that nobody has is not found in either case", async () => {
    const path = "/order/v1/banking/subscriptions/11111111-1111-4111-8111-111111111119";
    const unknown = await answered({ "tenancy.foreign-resource": "forbidden" }, (partner) =>
      partner.ask("GET", path),
    );
    expect(unknown.status).toBe(404);
  });
});

describe("what a platform may answer with", () => {
  test("http.statuses=created-200: a POST that creates answers 200, and a repeat as well", async () => {
    await using partner = await openPartner({ assumptions: { "http.statuses": "created-200" } });
    for (let time = 0; time < 2; time++)
      expect((await askPayout(partner, {}, { key: "one" })).status).toBe(200);
    await using usual = await openPartner();
    expect((await askPayout(usual)).status).toBe(201);
  });

  test("http.statuses-of-actions=201: a POST that creates nothing answers 201", async () => {
    await using partner = await openPartner({ assumptions: { "http.statuses-of-actions": "201" } });
    expect((await partner.ask("POST", "/order/v1/webhook/rotate-secret")).status).toBe(201);
    expect((await partner.ask("GET", "/order/v1/webhook")).status).toBe(200);
    await using usual = await openPartner();
    expect((await usual.ask("POST", "/order/v1/webhook/rotate-secret")).status).toBe(200);
  });
});
