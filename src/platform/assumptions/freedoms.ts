import { flag } from "./assumption.ts";

/** What the interface allows and the sandbox does not do by default: a partner has to be able to live with each. */
export const freedomAssumptions = {
  "freedoms.unknown-fields": flag(false, {
    says: "Every object of an answer or a webhook has the further field `extension`, an object. A QR code's image and lists have none.",
    leavesOpen: "Fields of answers and webhooks: that no others are ever sent is not said.",
    because: "An interface grows by fields, and the fields that are listed are enough for every client.",
  }),
  "freedoms.field-order": flag(false, {
    says: "The fields of every object of an answer or a webhook come in the opposite order.",
    leavesOpen: "Request and response bodies are JSON, in which the order of fields means nothing.",
    because: "The order of the tables is the one that readers expect.",
  }),
  "freedoms.absent-optionals": flag(false, {
    says: "An optional field that may be null is left out where it is null (paidAt, refundedAt, endToEndId and controlNumber of events, holderType of accounts), and is null in an event where it was left out.",
    leavesOpen: "string, nullable, not required: which of the two a missing value is, is not shown.",
    because: "Where the interface says nullable, null is the value that a reader expects.",
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
    because: "The statuses that the interface lists are those that a history is expected to have.",
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
