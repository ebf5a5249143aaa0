import { statement } from "./assumption.ts";

export const accountAssumptions = {
  "account.transitions": statement("states", {
    says: "ACTIVE and INACTIVE become each other, and either becomes CLOSED, which is final.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. Transitions: not shown.",
    because: "A closed bank account is not opened again; its holder opens another.",
  }),
  "account.acts": statement("states", {
    says: "Orders, first charges and deposits are paid into an account that is ACTIVE or INACTIVE; a payout to it needs an ACTIVE one (payout.receiving-account). A CLOSED account takes no money: orders, first charges, deposits and payouts to it fail. Closing one withdraws its keys from the key directory and cancels its open claims; its balance stays and can still be read.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. What an account of each state can do is not shown.",
    because:
      "An account that is blocked for its company still receives what its payers owe; a closed one is gone.",
  }),
  "account.document-filter": statement("refusal", {
    says: "The filter document of the list takes a document without punctuation, its letters in either case; punctuation is INVALID_REQUEST.",
    leavesOpen:
      "document: holder document, exact match, digits only. Several types of document have letters.",
    because:
      "A filter that never matches would look as if the holder were unknown, and since 2026 a CNPJ may have letters.",
  }),
  "account.events": statement("silence", {
    says: "Changes of accounts send no webhooks.",
    leavesOpen: "Events emitted by account changes: not shown.",
    because: "A receiver cannot be expected to understand an undocumented event.",
  }),
} as const;
