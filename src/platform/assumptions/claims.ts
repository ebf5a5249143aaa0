import { count, duration, statement } from "./assumption.ts";

export const claimAssumptions = {
  "claim.endpoints": statement({
    says: "POST …/keys/claims takes {type: OWNERSHIP or PORTABILITY, key: {type, value}} and gives {claimId, validationId, status, expiresAt}; POST …/keys/claims/confirm takes {validationId, code}. The donor has POST …/keys/claims/{claimId}/confirm-request and POST …/keys/claims/{claimId}/confirm.",
    leavesOpen:
      "Request and response shapes of claim creation (POST .../keys/claims), confirm-request and confirm endpoints: not shown.",
    because:
      "They are built from the fields of Claim and Validation and from the two types of claim that the key directory knows.",
  }),
  "claim.canceled-status": statement({
    says: "A cancelled claim is CANCELED; cancelling one that is not PENDING is INVALID_REQUEST.",
    leavesOpen:
      "The status that a cancelled claim takes: not shown. Behaviour when the claim is not PENDING: not shown.",
    because:
      "Every other resource of the interface spells it so, and INVALID_REQUEST is the only fitting error that the endpoint lists.",
  }),
  "claim.events": statement({
    says: "Claims send no webhooks.",
    leavesOpen: "Events emitted by PIX key claims: not shown.",
    because: "A receiver cannot be asked to understand an event that nobody has described.",
  }),
  "claim.resends": count(3, {
    min: 0,
    max: 1000,
    says: "A validation's code can be sent again this many times.",
    leavesOpen: "Number of resends per validation and the daily dispatch value: not shown.",
    because: "Three is enough for a lost message and soon reached by a test.",
  }),
  "claim.daily-dispatches": count(10, {
    min: 1,
    max: 100_000,
    says: "An account sends this many codes in one day of Brasília; the code of a creation counts.",
    leavesOpen: "daily dispatch of confirmation codes: limited per account.",
    because: "It leaves room for two claims with all their resends and is soon reached by a test.",
  }),
  "claim.code-ttl": duration("PT10M", {
    says: "A confirmation code is good for this long after it was sent (expiresAt).",
    leavesOpen: "expiresAt (string, required; expiry of the confirmation code): how far ahead is not shown.",
    because: "Ten minutes is a usual life for a code that comes by e-mail or SMS.",
  }),
  "claim.attempts": count(3, {
    min: 1,
    max: 1000,
    says: "A code can be tried this many times; a resend gives as many again.",
    leavesOpen: "confirmation attempts are reset: how many there are is not shown.",
    because: "Three tries forgive a slip of the finger and stop a guess.",
  }),
} as const;
