import type { CreateTransparentOrderData, Webhooks } from "./hey/index.js";
import { ACME_ACCOUNT, GLOBEX_ACCOUNT, type Outside, SCOPE, check, newKey } from "./outside.js";
import { createClient } from "./hey/client/index.js";
import * as api from "./hey/sdk.gen.js";

const MARIA = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } } as const;

/** Every operation once, by the client that @hey-api/openapi-ts makes. */
export async function play({ url, fetch: send, act, advance, lastCode }: Outside): Promise<void> {
  const anonymous = createClient({ baseUrl: url, fetch: send });
  const tokenOf = async (company: string) => {
    const body = {
      grant_type: "client_credentials",
      client_id: company,
      client_secret: `${company}-secret`,
      scope: SCOPE,
    } as const;
    return (await api.issueToken({ client: anonymous, body, throwOnError: true })).data.access_token;
  };
  const as = async (company: string) => ({
    client: createClient({ baseUrl: url, fetch: send, auth: await tokenOf(company) }),
    throwOnError: true as const,
  });
  const acme = await as("acme");
  const globex = await as("globex");

  const { data: created } = await api.createSubscription({
    ...acme,
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
  });
  await act("subscription.accept", { id: created.id });
  const path = { id: created.id };
  const { data: subscription } = await api.getSubscription({ ...acme, path });
  check(subscription.status === "ACCEPTED", "the subscription is not accepted");
  const { data: charge } = await api.createScheduledPayment({
    ...acme,
    path,
    body: { externalId: "story-1-1", dueDate: "2026-11-25", amount: { currency: "BRL", value: "59.90" } },
  });
  check(charge.status === "PENDING" && charge.amount.value === "59.90", "the charge is not pending");

  const order: CreateTransparentOrderData["body"]["order"] = {
    externalId: "story-2",
    paymentMethod: "PIX",
    amount: { currency: "BRL", value: "10.50" },
    expiresIn: 3600,
  };
  const customer = { ...MARIA, ip: "203.0.113.7" };
  const { data: banks } = await api.listDepositBanks({ ...acme });
  check(banks.length > 0, "there is no deposit bank");
  const { data: open } = await api.createTransparentOrderV3({
    ...acme,
    headers: { "idempotency-key": newKey() },
    body: { order: { externalId: "story-3", paymentMethod: "PIX" }, customer },
  });
  check(open.finalAmount === undefined, "the amount is not open");
  const { data: closed } = await api.createTransparentOrder({
    ...acme,
    headers: { "idempotency-key": newKey() },
    body: { order, customer },
  });
  await act("order.pay", { id: closed.id });
  const { data: refund } = await api.refundOrder({
    ...acme,
    headers: { "idempotency-key": newKey() },
    body: {
      orderId: closed.id,
      reason: "REQUESTED_BY_CUSTOMER",
      requestedBy: { name: "Ana Lima", email: "ana@partner.example" },
      amount: "10.50",
    },
  });
  check(refund.status === "INITIAL", "the refund is not requested");

  const { data: payout } = await api.createPayout({
    ...acme,
    headers: { "idempotency-key": newKey() },
    body: {
      externalId: "story-4",
      accountId: ACME_ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "12.50" },
      description: "Invoice 42",
    },
  });
  check(payout.status === "PENDING", "the payout is not pending");
  const { data: accounts } = await api.listAccounts({ ...acme, query: { limit: 1, sort: "asc" } });
  check(accounts.data[0] !== undefined && accounts.hasNext, "the accounts are not in pages");
  const { data: balance } = await api.getAccountBalance({ ...acme, path: { accountId: ACME_ACCOUNT } });
  check(balance.balance.currency === "BRL", "the balance is not in BRL");

  const own = { accountId: ACME_ACCOUNT };
  const { data: claim } = await api.createClaim({
    ...acme,
    path: own,
    body: { type: "OWNERSHIP", key: { type: "PHONE", value: "+5521912345678" } },
  });
  const { validationId } = claim;
  await api.resendClaimCode({
    ...acme,
    path: own,
    headers: { "idempotency-key": newKey() },
    body: { validationId },
  });
  await api.confirmClaim({ ...acme, path: own, body: { validationId, code: await lastCode() } });
  const { data: withdrawn } = await api.cancelClaim({
    ...acme,
    path: { ...own, claimId: claim.claimId },
    headers: { "idempotency-key": newKey() },
  });
  check(withdrawn.status === "CANCELED", "the claim is not canceled");
  const theirs = { accountId: GLOBEX_ACCOUNT };
  const { data: foreign } = await api.createClaim({
    ...globex,
    path: theirs,
    body: { type: "OWNERSHIP", key: { type: "PHONE", value: "+5511987650001" } },
  });
  await api.confirmClaim({
    ...globex,
    path: theirs,
    body: { validationId: foreign.validationId, code: await lastCode() },
  });
  const { claimId } = foreign;
  const { data: validation } = await api.requestDonorConfirmation({ ...acme, path: { ...own, claimId } });
  const { data: denied } = await api.confirmDonor({
    ...acme,
    path: { ...own, claimId },
    body: { validationId: validation.validationId, code: await lastCode() },
  });
  check(denied.status === "DENIED", "the claim is not denied");

  const { data: webhook } = await api.getWebhook({ ...acme });
  const { data: rotated } = await api.rotateWebhookSecret({ ...acme });
  check(webhook.secret !== rotated.secret, "the secret is not another one");
  await advance("P1D");
  const { data: undelivered } = await api.listUndeliveredEvents({
    ...acme,
    query: { createdFrom: "2026-11-20", createdTo: "2027-01-01T00:00:00Z" },
  });
  check(Array.isArray(undelivered.data), "the events are not listed");

  const { error } = await api.getSubscription({ client: acme.client, path: { id: claimId } });
  check(error !== undefined && error.error === "NOT_FOUND", "the subscription of another id is found");
}

/** An event by its name; compiles only where the name tells one body from another. */
export function summaryOf(event: Webhooks["body"]): string {
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
