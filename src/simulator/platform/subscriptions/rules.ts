import type { Call } from "../call.ts";
import type { CreateSubscriptionRequest } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { subscriptions } from "./subscription.ts";
import { type Problems, validateBrazilianDocument, validateExternalId, validateReais } from "../problems.ts";

/**
 * Checks the rules of a new subscription that the schema cannot state (interface: Create subscription, rules 1 to 3).
 */
export function validateSubscription(
  tx: Transaction,
  { body, companyId }: Call<CreateSubscriptionRequest>,
  problems: Problems,
): void {
  const today = localDate(tx.now);
  problems.check("startDate", body?.startDate, (startDate) =>
    startDate < today
      ? `The start date must not be earlier than today in Brasília, ${today}; found ${startDate}.`
      : undefined,
  );
  problems.check("endDate", body?.endDate, (endDate) =>
    problems.isSound("startDate") && endDate < body.startDate
      ? `The end date must not be earlier than the start date, ${body.startDate}; found ${endDate}.`
      : undefined,
  );
  validateAmounts(tx, body, problems);
  validateBrazilianDocument(tx, problems, "debtor.document", body?.debtor?.document);
  if (isImmediate(body)) validateBrazilianDocument(tx, problems, "payer.document", body?.payer?.document);
  const { externalId } = body ?? {};
  validateExternalId(tx, problems, "subscription", { externalId, companyId, of: subscriptions });
}

function validateAmounts(tx: Transaction, body: CreateSubscriptionRequest, problems: Problems): void {
  validateReais(problems, "fixedAmount", body?.fixedAmount);
  validateReais(problems, "maxAmountFloor", body?.maxAmountFloor);
  if (isPresent(body?.fixedAmount) && isPresent(body.maxAmountFloor)) {
    const exclusive = "fixedAmount and maxAmountFloor exclude each other. Send one of them or neither.";
    for (const field of ["fixedAmount", "maxAmountFloor"])
      problems.add(field, "MUTUALLY_EXCLUSIVE", exclusive);
  }
  if (isImmediate(body)) {
    if (body.initialCharge === undefined && problems.isSound("initialCharge")) {
      problems.add("initialCharge", "REQUIRED", `initialCharge is required when type is ${body.type}.`);
    }
    validateReais(problems, "initialCharge.amount", body.initialCharge?.amount);
  } else if (
    isPresent(body?.initialCharge) &&
    problems.isSound("type") &&
    assumption(tx, "subscription.initial-charge-on-journey-2") === "refuse"
  ) {
    const description =
      "initialCharge belongs to AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT. Leave it out, or change the type.";
    problems.add("initialCharge", "NOT_ALLOWED", description);
  }
}

function isImmediate(body: CreateSubscriptionRequest | undefined): boolean {
  return body?.type === "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT";
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
