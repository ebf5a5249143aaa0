import type {
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  Subscription as SubscriptionAnswer,
  SubscriptionAcceptFields,
  SubscriptionRequestCancellationFields,
  TaxDocument,
} from "../../api/generated/shapes.ts";
import type { Order } from "../orders/order.ts";
import type { Problem } from "../../engine/refusal.ts";
import { personOf } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import {
  acceptSubscription,
  decideAuthorization,
  endSubscription,
  registerSubscription,
} from "./commands.ts";
import { scheduleAuthorization } from "./states.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type InitialCharge,
  type Subscription,
  authorization,
  ownSubscription,
  registration,
  subscriptionLifecycle,
  subscriptions,
} from "./subscription.ts";
import { chargeLocation, merchantOf, recurrenceLocation } from "../pix-locations.ts";
import { cancellationsOf } from "../cancellations/cancellation.ts";
import { customerOf, requestCancellation } from "../cancellations/commands.ts";
import { defineResource, handle, timerOf } from "../resource.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { initialChargeView, subscriptionView } from "./view.ts";
import { invalidRequest } from "../refusals.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { omitNulls } from "../shape.ts";
import { openOrder } from "../orders/commands.ts";
import { type Account, ownAccount, requireActive, unusableAccount } from "../accounts/account.ts";
import { type Call, pathParameter } from "../call.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { Problems, validateBrazilianDocument, validateReais } from "../problems.ts";
import { qrImage } from "../undrawn-qr-image.ts";
import { recurrenceBrCode } from "../../countries/brazil/br-code.ts";
import { recurrenceId, transactionId } from "../../countries/brazil/identifiers.ts";
import { requireAction } from "../state-machine.ts";
import { validateSubscription } from "./rules.ts";
import { subscriptionApi } from "./operations.ts";

export const subscriptionResource = defineResource({
  name: "subscriptions",
  api: subscriptionApi,
  origin: {
    says: "Your client creates one, and its payer reads the QR code.",
    operation: "createSubscription",
  },
  scenario: "subscriptions/accepted.yaml",
  collection: subscriptions,
  view: subscriptionView,
  lifecycles: [subscriptionLifecycle],
  operations: { createSubscription, getSubscription },
  acts: {
    accept: {
      summary: "The payer accepts. On journey 3 the payer also pays the first charge.",
      fields: "SubscriptionAcceptFields",
      normalize: ({ maxAmount, ...others }) => ({
        ...others,
        ...(maxAmount !== undefined && { maxAmount: inReais(maxAmount) }),
      }),
      run: (tx, subscription, fields: SubscriptionAcceptFields) => {
        requireAction(subscriptionLifecycle, subscription, "accept");
        validateAcceptance(tx, subscription, fields);
        const maximum = fields.maxAmount ? parseMoney("BRL", fields.maxAmount.value) : undefined;
        acceptSubscription(tx, subscription, {
          payer: fields.payer,
          maximum: maximum ?? null,
          outcome: "ACCEPTED",
        });
      },
    },
    reject: {
      summary:
        "The payer's institution reports the refusal of the payer. A payer who reads the QR code and leaves sends nothing.",
      run: (tx, subscription) => endSubscription(tx, subscription, "reject"),
    },
    fail: {
      summary: "The financial provider fails to continue with the authorization.",
      run: (tx, subscription) => endSubscription(tx, subscription, "fail"),
    },
    "request-cancellation": {
      summary: "The payer, the receiver or an institution requests the end of the subscription.",
      fields: "SubscriptionRequestCancellationFields",
      run: requestEnd,
    },
  },
  steps: [
    handle(registration, { decide: null }),
    handle(authorization, {
      decide: decideAuthorization,
      // A plan replaces an earlier decision.
      wake: (tx, id) => {
        const subscription = tx.get(subscriptions, id);
        if (subscription?.status !== "PENDING_AUTHORIZATION") return;
        tx.disarm(authorization.name, id);
        scheduleAuthorization(tx, subscription);
      },
    }),
  ],
  timers: [timerOf(subscriptions, "subscription.payer-cancellation", cancelAsPayer)],
});

function requestEnd(
  tx: Transaction,
  subscription: Subscription,
  fields: SubscriptionRequestCancellationFields,
): void {
  requireAction(subscriptionLifecycle, subscription, "cancel");
  requestCancellation(tx, {
    companyId: subscription.companyId,
    subject: "subscription",
    subjectId: subscription.id,
    reason: fields.reason,
    ...customerOf(fields, {
      payer: (subscription.payer ?? subscription.debtor).document,
      receiver: subscription.receiver.document,
    }),
  });
}

/** Cancels an accepted subscription for a known payer, unless a request to cancel it is PENDING. */
function cancelAsPayer(tx: Transaction, subscription: Subscription): void {
  if (cancellationsOf(tx, subscription.id).some(({ status }) => status === "PENDING")) return;
  requestEnd(tx, subscription, { reason: "REQUESTED_BY_PAYER" });
}

/** Creates a subscription QR code (interface: Endpoints 1). */
function createSubscription(
  tx: Transaction,
  call: Call<CreateSubscriptionRequest>,
): CreateSubscriptionResponse {
  const problems = new Problems(problemsOfJourney(call));
  validateSubscription(tx, call, problems);
  problems.refuse();
  const account = ownAccount(tx, call.companyId, call.body.accountId);
  const refused = unusableAccount(tx, "subscription.inactive-account", "accountId");
  requireActive(account, "create a subscription", refused);
  const subscription = register(tx, draft(tx, call, account), account);
  return {
    id: subscription.id,
    status: subscription.status,
    qrcodeImageBase64: qrImage(subscription.qrcodeData),
    qrcodeData: subscription.qrcodeData,
    providerId: subscription.providerId,
    externalId: subscription.externalId,
    ...omitNulls({
      initialCharge: subscription.initialCharge && initialChargeView(subscription.initialCharge),
    }),
  };
}

/**
 * Returns the problems that count on this journey. On journey 2 the field payer is ignored with any content
 * (assumption: subscription.initial-charge-on-journey-2).
 */
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
  const initialCharge =
    body.type === "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT" ? draftInitialCharge(tx, body) : null;
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

function draftInitialCharge(tx: Transaction, body: CreateSubscriptionRequest): InitialCharge {
  return {
    orderId: null,
    expireDateTime: later(tx.now, assumption(tx, "subscription.first-charge-expiry")),
    conciliationId: transactionId(tx.chance("conciliation-ids")),
    amount: moneyOf(assertDefined(body.initialCharge, "the initial charge of a journey 3 request").amount),
  };
}

/** Registers the draft with the financial provider: PENDING_AUTHORIZATION, or ERROR if a plan says so. */
function register(tx: Transaction, drafted: Subscription, account: Account): Subscription {
  if (registration.planned(tx, drafted) === "ERROR") return endSubscription(tx, drafted, "fail");
  const charge = drafted.initialCharge;
  const initialCharge = charge && { ...charge, orderId: openFirstOrder(tx, drafted, charge, account).id };
  return registerSubscription(tx, { ...drafted, initialCharge });
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

/** Reads a subscription (interface: Endpoints 2). */
function getSubscription(tx: Transaction, call: Call): SubscriptionAnswer {
  new Problems(call.problems).refuse();
  return subscriptionView(ownSubscription(tx, call.companyId, pathParameter(call, "id")), tx);
}

/** A value alone is an amount in BRL, the only currency of a subscription. */
function inReais(amount: unknown): unknown {
  const isValue = typeof amount === "string" || typeof amount === "number";
  return isValue ? { currency: "BRL", value: amount } : amount;
}

function validateAcceptance(
  tx: Transaction,
  subscription: Subscription,
  { payer, maxAmount }: SubscriptionAcceptFields,
): void {
  const problems = new Problems();
  validateBrazilianDocument(tx, problems, "payer.document", payer?.document);
  validateReais(problems, "maxAmount", maxAmount);
  const floor = subscription.maxAmountFloor;
  problems.check("maxAmount.value", maxAmount?.value, (value) => {
    const maximum = parseMoney("BRL", value);
    if (floor === null || maximum === undefined || maximum.minor >= floor.minor) return undefined;
    return `The payer's maximum must not be below maxAmountFloor, ${formatMoney(floor)}; found ${value}.`;
  });
  problems.refuse();
}
