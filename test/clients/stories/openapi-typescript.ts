import type { components, paths, webhooks } from "./openapi-typescript-types.js";
import { ACME_ACCOUNT, GLOBEX_ACCOUNT, type Outside, SCOPE, check, newKey } from "./outside.js";
import createClient from "openapi-fetch";

type Schemas = components["schemas"];

const MARIA: Schemas["SubscriptionPersonInput"] = {
  name: "Maria da Silva",
  document: { type: "CPF", number: "52998224725" },
};

/** Every operation once, by openapi-fetch with the types that openapi-typescript makes. */
export async function play({ url, fetch: send, act, advance, lastCode }: Outside): Promise<void> {
  const anonymous = createClient<paths>({ baseUrl: url, fetch: send });
  const as = async (company: string) => {
    const answer = await anonymous.POST("/oauth2/v2.0/token", {
      body: {
        grant_type: "client_credentials",
        client_id: company,
        client_secret: `${company}-secret`,
        scope: SCOPE,
      },
      headers: { "content-type": "application/x-www-form-urlencoded" },
      bodySerializer: (form) => new URLSearchParams({ ...form }),
    });
    const { access_token: token } = dataOf(answer);
    return createClient<paths>({ baseUrl: url, fetch: send, headers: { authorization: `Bearer ${token}` } });
  };
  const acme = await as("acme");
  const globex = await as("globex");
  const keyed = () => ({ "idempotency-key": newKey() });

  const created = dataOf(
    await acme.POST("/order/v1/banking/subscriptions", {
      body: {
        accountId: ACME_ACCOUNT,
        type: "AUTHORIZATION_QRCODE",
        externalId: "story-1",
        webhookUrl: "http://receiver.example/webhooks",
        frequencyType: "MONTHLY",
        startDate: "2026-11-25",
        fixedAmount: { currency: "BRL", value: 59.9 },
        debtor: MARIA,
      },
    }),
  );
  await act("subscription.accept", { id: created.id });
  const ofSubscription = { params: { path: { id: created.id } } };
  const subscription = dataOf(await acme.GET("/order/v1/banking/subscriptions/{id}", ofSubscription));
  check(subscription.status === "ACCEPTED", "the subscription is not accepted");
  const charge = dataOf(
    await acme.PUT("/public/v1/banking/subscriptions/{id}/payments", {
      ...ofSubscription,
      body: {
        externalId: "story-1-1",
        dueDate: "2026-11-25",
        amount: { currency: "BRL", value: "59.90" },
      },
    }),
  );
  check(charge.status === "PENDING" && charge.amount.value === "59.90", "the charge is not pending");

  const banks = dataOf(await acme.GET("/v1/orders/deposit/banks"));
  check(banks.length > 0, "there is no deposit bank");
  const customer: Schemas["OrderCustomerInput"] = { ...MARIA, ip: "2001:db8::7" };
  const open = dataOf(
    await acme.PUT("/order/v3/transparent", {
      params: { header: keyed() },
      body: { order: { externalId: "story-3", paymentMethod: "PIX" }, customer },
    }),
  );
  check(open.finalAmount === undefined, "the amount is not open");
  const closed = dataOf(
    await acme.PUT("/order/v2/transparent", {
      params: { header: keyed() },
      body: {
        order: {
          externalId: "story-2",
          paymentMethod: "PIX",
          amount: { currency: "BRL", value: "10.50" },
        },
        customer,
      },
    }),
  );
  await act("order.pay", { id: closed.id });
  const refund = dataOf(
    await acme.PUT("/order/v2/refund", {
      params: { header: keyed() },
      body: {
        orderId: closed.id,
        reason: "REQUESTED_BY_CUSTOMER",
        requestedBy: { name: "Ana Lima", email: "ana@partner.example" },
        amount: "10.50",
      },
    }),
  );
  check(refund.status === "INITIAL", "the refund is not requested");

  const payout = dataOf(
    await acme.POST("/order/v1/banking/order-payouts", {
      params: { header: keyed() },
      body: {
        externalId: "story-4",
        accountId: ACME_ACCOUNT,
        paymentMethod: "PIX",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "12.50" },
        description: "Invoice 42",
      },
    }),
  );
  check(payout.status === "PENDING", "the payout is not pending");
  const accounts = dataOf(
    await acme.GET("/order/v1/banking/accounts", { params: { query: { limit: 1, sort: "asc" } } }),
  );
  check(accounts.data[0] !== undefined && accounts.hasNext, "the accounts are not in pages");
  const own = { accountId: ACME_ACCOUNT };
  const { balance } = dataOf(
    await acme.GET("/order/v1/banking/accounts/{accountId}/balance", { params: { path: own } }),
  );
  check(balance.currency === "BRL", "the balance is not in BRL");

  const claims = "/order/v1/banking/accounts/{accountId}/keys/claims";
  const { claimId, validationId } = dataOf(
    await acme.POST(claims, {
      params: { path: own },
      body: { type: "OWNERSHIP", key: { type: "PHONE", value: "+5521912345678" } },
    }),
  );
  dataOf(
    await acme.POST(`${claims}/resend`, {
      params: { path: own, header: keyed() },
      body: { validationId },
    }),
  );
  dataOf(
    await acme.POST(`${claims}/confirm`, {
      params: { path: own },
      body: { validationId, code: await lastCode() },
    }),
  );
  const withdrawn = dataOf(
    await acme.POST(`${claims}/{claimId}/cancel`, {
      params: { path: { ...own, claimId }, header: keyed() },
    }),
  );
  check(withdrawn.status === "CANCELED", "the claim is not canceled");
  const theirs = { accountId: GLOBEX_ACCOUNT };
  const foreign = dataOf(
    await globex.POST(claims, {
      params: { path: theirs },
      body: { type: "OWNERSHIP", key: { type: "PHONE", value: "+5511987650001" } },
    }),
  );
  dataOf(
    await globex.POST(`${claims}/confirm`, {
      params: { path: theirs },
      body: { validationId: foreign.validationId, code: await lastCode() },
    }),
  );
  const ofForeign = { params: { path: { ...own, claimId: foreign.claimId } } };
  const validation = dataOf(await acme.POST(`${claims}/{claimId}/confirm-request`, ofForeign));
  const denied = dataOf(
    await acme.POST(`${claims}/{claimId}/confirm`, {
      ...ofForeign,
      body: { validationId: validation.validationId, code: await lastCode() },
    }),
  );
  check(denied.status === "DENIED", "the claim is not denied");

  const webhook = dataOf(await acme.GET("/order/v1/webhook"));
  const rotated = dataOf(await acme.POST("/order/v1/webhook/rotate-secret"));
  check(webhook.secret !== rotated.secret, "the secret is not another one");
  await advance("P1D");
  const undelivered = dataOf(
    await acme.GET("/order/v1/webhook/events", {
      params: { query: { createdFrom: "2026-11-20", createdTo: "2027-01-01T00:00:00Z" } },
    }),
  );
  check(Array.isArray(undelivered.data), "the events are not listed");

  const { error } = await acme.GET("/order/v1/banking/subscriptions/{id}", {
    params: { path: { id: claimId } },
  });
  check(error?.error === "NOT_FOUND", "the subscription of another id is found");
}

function dataOf<Data>({
  data,
  error,
}: {
  readonly data?: Data;
  readonly error?: unknown;
}): NonNullable<Data> {
  if (data === undefined || data === null)
    throw new Error(`Failed to play the story: ${JSON.stringify(error)}`);
  return data;
}

/** Any event that the platform sends. */
type WebhookEvent = webhooks[keyof webhooks]["post"]["requestBody"]["content"]["application/json"];

/** An event by its name; compiles only where the name tells one body from another. */
export function summaryOf(event: WebhookEvent): string {
  switch (event.event) {
    case "ORDER-PAYOUT.PAID":
      return event.receiver.name;
    case "ORDER-PAYIN.ERROR":
      return event.type === "REFUND" ? event.refundId : event.code;
    case "SUBSCRIPTION.ACCEPTED":
      return event.data.externalId;
    case "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED":
      return event.data.cancellation.reason;
    default:
      return event.event;
  }
}
