import { statement } from "./assumption.ts";

export const accountAssumptions = {
  "account.transitions": statement({
    says: "ACTIVE and INACTIVE become each other, and either becomes CLOSED, which is final.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. Transitions: not shown.",
    because: "A closed bank account is not opened again; its holder opens another.",
  }),
  "account.acts": statement({
    says: "Money can be paid into an account that is ACTIVE or INACTIVE. Closing one withdraws its keys from the key directory and cancels the claims that it had open; what stands on it stays there, to be read.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. What an account of each state can do is not shown.",
    because: "A blocked account still receives, and nobody can pay to one that is gone.",
  }),
  "account.document-filter": statement({
    says: "The filter document of the list takes a document without punctuation, letters included in any case where the document has some; punctuation is INVALID_REQUEST.",
    leavesOpen:
      "document: holder document, exact match, digits only. Several types of document have letters.",
    because:
      "A filter that never matches would pass for a holder who is not there, and since 2026 a CNPJ may have letters.",
  }),
  "account.events": statement({
    says: "Changes of accounts send no webhooks.",
    leavesOpen: "Events emitted by account changes: not shown.",
    because: "A receiver cannot be asked to understand an event that nobody has described.",
  }),
} as const;
