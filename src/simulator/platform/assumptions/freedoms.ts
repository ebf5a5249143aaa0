import { flag } from "./assumption.ts";

/** Freedoms of the platform API that the sandbox does not use by default. A partner has to be able to live with each. */
export const freedomAssumptions = {
  "freedoms.unknown-fields": flag(false, {
    says: "Every object of an answer or a webhook has the further field `extension`, an object. A QR code's image and lists do not have it.",
    leavesOpen: "Fields of answers and webhooks: the platform API does not say that the lists are complete.",
    because: "An API grows by new fields, and the listed fields are enough for every client.",
  }),
  "freedoms.field-order": flag(false, {
    says: "The fields of every object of an answer or a webhook come in the opposite order.",
    leavesOpen: "Request and response bodies are JSON. In JSON the order of fields has no meaning.",
    because: "Readers expect the order of the tables.",
  }),
  "freedoms.absent-optionals": flag(false, {
    says: "Optional fields change their form of a missing value (paidAt, refundedAt, endToEndId and controlNumber of events, holderType of accounts). A field that is null by default is absent, and a field that is absent by default in an event is null.",
    leavesOpen: "string, nullable, not required: the form of a missing value is not shown.",
    because: "If the platform API says nullable, a reader expects null.",
  }),
  "freedoms.unknown-event": flag(false, {
    says: "After about one event in ten comes a further event about the same object. Its name ends in .UNDER_REVIEW. At the latest it comes after the third event of a world.",
    leavesOpen: "Events are named by resource. The platform API does not say that the list is complete.",
    because: "An unknown event would be noise in every test.",
  }),
  "freedoms.unknown-status": flag(false, {
    says: "A statusHistory has an entry UNDER_REVIEW before its last entry, with the same time.",
    leavesOpen:
      "statusHistory: array of {status, createdAt}; the platform API does not say that the history has only listed statuses.",
    because: "Readers expect only the statuses that the platform API lists.",
  }),
  "freedoms.slow-answers": flag(false, {
    says: "Every answer of the platform API comes after two seconds of wall time.",
    leavesOpen: "The time limit of an answer is not shown.",
    because: "A slow sandbox would not be used.",
  }),
  "freedoms.long-texts": flag(false, {
    says: "Texts of the platform have their largest length. A message and an errorMessage have 500 characters. The name of a payer, a receiver, a bank or an account holder has 140.",
    leavesOpen: "string: the length of texts in answers and events is not shown.",
    because: "Short texts are easier to read. The limits are the same as in requests.",
  }),
  "freedoms.instants": flag(false, {
    says: "A time with whole seconds has no fraction (12:00:00Z). Any other time has six digits (12:00:00.250000Z).",
    leavesOpen: "Timestamps are UTC ISO 8601 (RFC 3339) strings: the digits of the second are not shown.",
    because: "Most platforms always write milliseconds.",
  }),
} as const;
