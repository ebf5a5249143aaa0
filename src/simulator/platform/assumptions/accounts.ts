import { statement } from "./assumption.ts";

export const accountAssumptions = {
  "account.transitions": statement("states", {
    says: "ACTIVE can become INACTIVE, and INACTIVE can become ACTIVE. Both can become CLOSED, which is final.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. Transitions: not shown.",
    because: "A closed bank account is not opened again; its holder opens another.",
  }),
  "account.acts": statement("states", {
    says: "An ACTIVE or INACTIVE account takes the money of orders, first charges and deposits. For a payout to it, it must be ACTIVE (payout.receiving-account). A CLOSED account takes no money: orders, first charges, deposits and payouts to it fail. When an account is closed, its keys leave the key directory and its open claims are canceled. Its balance stays and can still be read.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. The possible actions of each state are not shown.",
    because:
      "A blocked account still receives money from its payers. A closed account does not exist for the banks.",
  }),
  "account.document-filter": statement("refusal", {
    says: "The filter document of the list takes a document without punctuation. Letters can have either case. Punctuation is INVALID_REQUEST.",
    leavesOpen:
      "document: holder document, exact match, digits only. Several types of document have letters.",
    because:
      "If a filter could never match, the holder would seem to be unknown. Since 2026 a CNPJ can have letters.",
  }),
  "account.events": statement("silence", {
    says: "Changes of accounts send no webhooks.",
    leavesOpen: "Events emitted by account changes: not shown.",
    because: "A receiver cannot be expected to understand an undocumented event.",
  }),
} as const;
