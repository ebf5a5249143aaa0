import type { Account } from "../accounts/account.ts";
import type { Call } from "../call.ts";
import type {
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  TaxDocument,
} from "../../api/generated/shapes.ts";
import type { InitialCharge, Subscription } from "./subscription.ts";
import type { Order } from "../orders/order.ts";
import type { Problem } from "../../engine/refusal.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { announceSubscription } from "./events.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { openOrder } from "../orders/payment.ts";
import { invalidRequest } from "../refusals.ts";
import { initialChargeShape } from "./shape.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { localDate, saoPaulo } from "../../countries/brazil/calendar.ts";
import { merchantOf } from "../pix-merchant.ts";
import { omitNulls } from "../shape.ts";
import { ownAccount, requireActive } from "../accounts/account.ts";
import { parseMoney } from "../../engine/money.ts";
import { chargeLocation, recurrenceLocation } from "../pix-location.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { Problems } from "../problems.ts";
import { qrImage } from "../qr-image.ts";
import { recurrenceBrCode } from "../../countries/brazil/br-code.ts";
import { recurrenceId, transactionId } from "../../countries/brazil/identifiers.ts";
import { subscriptionLifecycle } from "./lifecycle.ts";
import { subscriptions } from "./subscription.ts";
import { take } from "../transition.ts";
import { takeOutcome } from "../plans/plan.ts";
import { validateSubscription } from "./rules.ts";
import { scheduleAuthorization } from "./authorization.ts";

/** Creates a subscription QR code (interface: Endpoints 1). */
export function createSubscription(
  tx: Transaction,
  call: Call<CreateSubscriptionRequest>,
): CreateSubscriptionResponse {
  const problems = new Problems(problemsOfJourney(call));
  validateSubscription(tx, call, problems);
  problems.refuse();
  const account = ownAccount(tx, call.companyId, call.body.accountId);
  requireActive(account, "create a subscription");
  const subscription = register(tx, draft(tx, call, account), account);
  return {
    id: subscription.id,
    status: subscription.status,
    qrcodeImageBase64: qrImage(subscription.qrcodeData),
    qrcodeData: subscription.qrcodeData,
    providerId: subscription.providerId,
    externalId: subscription.externalId,
    ...omitNulls({
      initialCharge: subscription.initialCharge && initialChargeShape(subscription.initialCharge),
    }),
  };
}

/** On journey 2 a payer is ignored, whatever it looks like (assumption: subscription.initial-charge-on-journey-2). */
function problemsOfJourney({ body, problems }: Call<CreateSubscriptionRequest>): readonly Problem[] {
  if (body?.type !== "AUTHORIZATION_QRCODE") return problems;
  return problems.filter(({ field }) => field !== "payer" && !field.startsWith("payer."));
}

/** The subscription before the financial provider knows of it: INITIAL. */
function draft(
  tx: Transaction,
  { body, companyId }: Call<CreateSubscriptionRequest>,
  account: Account,
): Subscription {
  const chance = tx.chance("subscriptions");
  const id = chance.uuid();
  const providerId = recurrenceId({
    retriesAllowed: body.allowChargeAfterDueDate ?? false,
    ispb: platformInstitution.ispb,
    date: localDate(tx.now),
    chance,
  });
  const initialCharge = body.type === "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT" ? draftCharge(tx, body) : null;
  const qrcodeData = recurrenceBrCode({
    recurrenceLocation: recurrenceLocation(transactionId(chance)),
    ...(initialCharge && { chargeLocation: chargeLocation(initialCharge.conciliationId) }),
    ...merchantOf(account),
  });
  return {
    id,
    companyId,
    providerId,
    externalId: body.externalId,
    type: body.type,
    status: "INITIAL",
    statusHistory: [{ status: "INITIAL", createdAt: tx.now }],
    qrcodeData,
    initialCharge,
    allowChargeAfterDueDate: body.allowChargeAfterDueDate ?? null,
    allowAdjustToBusinessDay: body.allowAdjustToBusinessDay ?? null,
    frequencyType: body.frequencyType,
    startDate: body.startDate,
    endDate: body.endDate ?? null,
    fixedAmount: body.fixedAmount ? moneyOf(body.fixedAmount) : null,
    maxAmountFloor: body.maxAmountFloor ? moneyOf(body.maxAmountFloor) : null,
    debtor: personOf(body.debtor),
    receiver: { id: account.id, fullName: account.fullName, document: taxDocumentOf(account) },
    announcedPayer: initialCharge && body.payer ? personOf(body.payer) : null,
    payer: null,
    payerMaximum: null,
    description: body.description ?? null,
    webhookUrl: body.webhookUrl,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
}

function draftCharge(tx: Transaction, body: CreateSubscriptionRequest): InitialCharge {
  return {
    orderId: null,
    expireDateTime: addDuration(tx.now, assumption(tx, "subscription.first-charge-expiry"), saoPaulo),
    conciliationId: transactionId(tx.chance("conciliation-ids")),
    amount: moneyOf(assertDefined(body.initialCharge, "the initial charge of a journey 3 request").amount),
  };
}

/** Registers the draft with the financial provider: PENDING_AUTHORIZATION, or ERROR where a plan says so. */
function register(tx: Transaction, drafted: Subscription, account: Account): Subscription {
  if (takeOutcome(tx, "subscription.registration", drafted.id) === "ERROR") {
    const failed = tx.put(subscriptions, take(tx, subscriptionLifecycle, drafted, "fail"));
    announceSubscription(tx, "SUBSCRIPTION.ERROR", failed);
    return failed;
  }
  const registered = take(tx, subscriptionLifecycle, drafted, "register");
  const charge = registered.initialCharge;
  const initialCharge = charge && { ...charge, orderId: openFirstOrder(tx, registered, charge, account).id };
  const subscription = tx.put(subscriptions, { ...registered, initialCharge });
  scheduleAuthorization(tx, subscription);
  return subscription;
}

/** The order that settles the first charge of journey 3 (assumption: order.born-of-subscription). */
function openFirstOrder(
  tx: Transaction,
  subscription: Subscription,
  charge: InitialCharge,
  account: Account,
): Order {
  return openOrder(tx, {
    companyId: subscription.companyId,
    accountId: account.id,
    externalId: charge.conciliationId,
    paymentMethod: "PIX",
    amount: charge.amount,
    description: subscription.description,
    expiresAt: charge.expireDateTime,
    subscriptionId: subscription.id,
    pixLocation: charge.conciliationId,
  });
}

/** PIX Automático charges are received under a CPF or CNPJ only. */
function taxDocumentOf({ id, document: { type, number } }: Account): TaxDocument {
  if (type === "CPF" || type === "CNPJ") return { type, number };
  const description = `The holder of the account ${id} has a ${type}. Use an account held under a CPF or CNPJ.`;
  throw invalidRequest([{ field: "accountId", issue: "INVALID", description }]);
}

function moneyOf(amount: { currency: string; value: string | number }) {
  return assertDefined(parseMoney(amount.currency, amount.value), "an amount that was checked");
}

function personOf({ name, document }: CreateSubscriptionRequest["debtor"]) {
  return { name, document: { type: document.type, number: document.number.toUpperCase() } };
}
