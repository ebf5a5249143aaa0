import { flag } from "./assumption.ts";

/** Freedoms of the interface that the sandbox does not use by default. A partner has to be able to live with each. */
export const freedomAssumptions = {
  "freedoms.unknown-fields": flag(false, {
    says: "Every object of an answer or a webhook has the further field `extension`, an object. A QR code's image and lists do not have it.",
    leavesOpen: "Fields of answers and webhooks: that no others are ever sent is not said.",
    because: "An interface grows by fields, and the fields that are listed are enough for every client.",
  }),
  "freedoms.field-order": flag(false, {
    says: "The fields of every object of an answer or a webhook come in the opposite order.",
    leavesOpen: "Request and response bodies are JSON, in which the order of fields means nothing.",
    because: "Readers expect the order of the tables.",
  }),
  "freedoms.absent-optionals": flag(false, {
    says: "An optional field that may be null is left out if it is null (paidAt, refundedAt, endToEndId and controlNumber of events, holderType of accounts), and is null in an event that leaves it out by default.",
    leavesOpen: "string, nullable, not required: which of the two a missing value is, is not shown.",
    because: "If the interface says nullable, a reader expects null.",
  }),
  "freedoms.unknown-event": flag(false, {
    says: "About one event in ten, the third of a world at the latest, is followed by another one about the same object whose name ends in .UNDER_REVIEW.",
    leavesOpen: "Events are named by resource; that there are no others is not said.",
    because: "An event that nobody handles would be noise in every test.",
  }),
  "freedoms.unknown-status": flag(false, {
    says: "A statusHistory has an entry UNDER_REVIEW before its last one, of the same time.",
    leavesOpen:
      "statusHistory: array of {status, createdAt}; that a history has every status once is not said.",
    because: "A history is expected to have only the statuses that the interface lists.",
  }),
  "freedoms.slow-answers": flag(false, {
    says: "Every answer of the interface comes after two seconds of wall time.",
    leavesOpen: "How long an answer may take is not shown.",
    because: "A sandbox that is slow without need is not used.",
  }),
  "freedoms.long-texts": flag(false, {
    says: "Texts that the platform writes are at their longest: a message and an errorMessage have 500 characters, a name of a payer, a receiver, a bank or an account holder 140.",
    leavesOpen: "string: of texts in answers and events no length is shown.",
    because: "Short texts are easier to read; the limits are those of the same texts in requests.",
  }),
  "freedoms.instants": flag(false, {
    says: "A time without fraction is written without it (12:00:00Z), any other with six digits (12:00:00.250000Z).",
    leavesOpen: "Timestamps are UTC ISO 8601 (RFC 3339) strings: the digits of the second are not shown.",
    because: "Milliseconds everywhere are what most platforms write.",
  }),
} as const;
