import { flag, statement } from "./assumption.ts";

export const subscriptionAssumptions = {
  "subscription.required-fields": statement({
    says: "accountId, type, frequencyType, startDate, debtor, webhookUrl and externalId are required, and initialCharge for journey 3.",
    leavesOpen: "Which fields other than initialCharge are required: not shown.",
    because: "They are what the Subscription resource marks as required and only the caller can know.",
  }),
  "subscription.external-id-unique": flag(true, {
    says: "A company uses an externalId for one subscription only.",
    leavesOpen: "externalId: unique code of the subscription QR code on the caller's system.",
    because: "A code that is unique on the caller's side and repeated here is a double submission.",
  }),
} as const;
