import { statement } from "./assumption.ts";

export const accountAssumptions = {
  "account.transitions": statement({
    says: "ACTIVE and INACTIVE become each other, and either becomes CLOSED, which is final.",
    leavesOpen: "States: ACTIVE, INACTIVE, CLOSED. Transitions: not shown.",
    because: "A closed bank account is not opened again; its holder opens another.",
  }),
  "account.events": statement({
    says: "Changes of accounts send no webhooks.",
    leavesOpen: "Events emitted by account changes: not shown.",
    because: "A receiver cannot be asked to understand an event that nobody has described.",
  }),
} as const;
