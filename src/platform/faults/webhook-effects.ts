import { bodySpellings } from "./body-spellings.ts";
import { type Effect, type Effects, choiceField, countField, durationField, flagField } from "./effect.ts";
import { signatureForms } from "./signature-forms.ts";

const COPIES_MAX = 20;
const BODY_BYTES_MAX = 20_000_000;

const event = { on: "webhook", stage: "event", fields: {} } as const satisfies Partial<Effect>;
const attempt = { on: "webhook", stage: "attempt", fields: {} } as const satisfies Partial<Effect>;
const connection = { ...attempt, slot: "connection" } as const satisfies Partial<Effect>;
const neverSent = { arrives: false, unsent: "timeout" } as const satisfies Partial<Effect>;
const secret = { ...attempt, slot: "secret" } as const satisfies Partial<Effect>;
const body = { ...attempt, slot: "body" } as const satisfies Partial<Effect>;

const copies = countField("How many further copies.", { value: 1, max: COPIES_MAX });

/** Effects on the number and the sandbox time of requests. The requests themselves are correct. */
export const scheduleEffects = {
  delay: {
    ...event,
    slot: "start",
    attempts: "first",
    fields: { by: durationField("How long the first attempt waits.") },
    onTheWire: "An ordinary request, late. Later events about the same object overtake it.",
    uncovers: "Code that expects the event to be there as soon as the call is answered.",
  },
  duplicate: {
    ...event,
    slot: "copies",
    deviations: { twice: {} },
    fields: {
      copies,
      gap: durationField("The time between the acknowledgement and a copy, and between two copies.", "PT0S"),
    },
    onTheWire: "The same bytes again after the event was acknowledged, each copy as a separate delivery.",
    uncovers: "Handled events are not remembered: money is credited twice.",
  },
  "duplicate-concurrent": {
    ...event,
    slot: "first-attempts",
    attempts: "first",
    deviations: { "twice-at-once": {} },
    fields: { copies },
    onTheWire:
      "The first attempt and its copies on separate connections; the last byte of each is held back until all are ready, then all are released together.",
    uncovers: "Two copies pass the check for duplicates at the same time: a unique key is missing.",
  },
  "duplicate-late": {
    ...event,
    slot: "late-copies",
    fields: { copies, after: durationField("How long after the acknowledgement.") },
    onTheWire: "The same bytes again, long after the event was acknowledged.",
    uncovers: "Handled events are forgotten too early: they are remembered in a short-lived cache.",
  },
  reorder: {
    ...event,
    slot: "start",
    attempts: "first",
    fields: { window: durationField("The longest time that an event is held back.", "PT1M") },
    onTheWire:
      "The event is held back until the company's next event has been sent; that one is never held back itself.",
    uncovers: "State goes backwards: an older event overwrites newer state.",
  },
  late: {
    ...event,
    slot: "start",
    attempts: "first",
    endsWithFault: true,
    deviations: { late: {} },
    fields: { events: countField("Number of later events that arrive first.", { value: 1, max: 100 }) },
    onTheWire:
      "The event is held back until that many later events of the company have arrived, however long that takes. If they never come, it is held until the fault is removed.",
    uncovers: "The last arrival wins: an older event overwrites newer state.",
  },
  together: {
    ...event,
    slot: "start",
    attempts: "first",
    endsWithFault: true,
    fields: { anyObject: flagField("With `true` it is the next event about any object.") },
    deviations: { together: {} },
    onTheWire:
      "The event is held back until the next event about the same object is due, and both are in flight at the same moment. If no such event comes, it is held until the fault is removed.",
    uncovers:
      "A lost update: two events read the same state, and the later write overwrites the earlier one.",
  },
  early: {
    ...event,
    slot: "start",
    attempts: "first",
    isBeforeAnswer: true,
    deviations: { early: {} },
    fields: {
      within: {
        type: { kind: "duration" },
        description:
          "Also holds back the answer of a call whose next timer announces the event, if the timer is due within this time: the clock moves to it.",
      },
    },
    onTheWire:
      "The event arrives, and is answered, before the API answers the call that announced it. The call announces it by its own command, by a timer that is due at once, or with `within` by its next timer. Other events come as usual.",
    uncovers: "An event about an object that the caller does not know yet is refused or forgotten.",
  },
  "interleave-retry": {
    ...event,
    slot: "first-attempts",
    attempts: "first",
    ...neverSent,
    onTheWire:
      "The first attempt is never sent. Its retry waits, for a day at most, until a newer event about the same object has been acknowledged.",
    uncovers: "A late retry overwrites newer state.",
  },
  "duplicate-at-end": {
    ...event,
    slot: "late-copies",
    endsWithFault: true,
    deviations: { "twice-late": {} },
    fields: { copies },
    onTheWire:
      "The same bytes again when the fault is removed, each copy as a separate delivery: `DELETE /sandbox/faults` as the last step sends them after everything else.",
    uncovers: "An old event overwrites newer state.",
  },
  drop: {
    ...connection,
    ...neverSent,
    onTheWire: "Nothing: the attempt is never sent, and counts as failed with a timeout.",
    uncovers: "Missing events are not noticed.",
  },
  "drop-first": {
    ...event,
    slot: "first-attempts",
    attempts: "counted",
    ...neverSent,
    deviations: { "first-try-lost": { attempts: 1 } },
    fields: { attempts: countField("Number of attempts that are never sent.", { max: 100 }) },
    onTheWire:
      "Nothing for the first attempts; then an ordinary request. With five the event is undelivered.",
    uncovers: "Nothing catches up after an outage; the list of undelivered events is never read.",
  },
  outage: {
    ...connection,
    needsBetween: true,
    arrives: false,
    unsent: "refused",
    onTheWire:
      "Nothing between the two times: each attempt counts as a refused connection. At the end of the outage all failed events are sent at once, with the new events.",
    uncovers: "The receiver fails under a sudden backlog, or relies on the order of events.",
  },
  lose: {
    ...event,
    slot: "start",
    arrives: false,
    onTheWire: "Nothing, ever: no attempt is made, and the event is not listed as undelivered either.",
    uncovers: "Reconciliation is missing: a change without a webhook is never found.",
  },
} as const satisfies Effects;

/** Effects on the secret that signs, and on the content of the signature header. */
export const signatureEffects = {
  "bad-signature": {
    ...attempt,
    slot: "signature",
    fields: {
      form: choiceField(`${listed(signatureForms)}.`, {
        value: "flipped",
        of: signatureForms,
      }),
    },
    onTheWire: "An ordinary request whose signature header is wrong or malformed.",
    uncovers:
      "The signature is not verified; or a constant-time comparison throws on a different length, and the process ends or answers 500.",
  },
  "missing-signature": {
    ...attempt,
    slot: "signature",
    onTheWire: "An ordinary request without the signature header.",
    uncovers: "A missing header causes a crash, or skips the verification.",
  },
  "wrong-secret": {
    ...secret,
    onTheWire: "A well-formed signature made with a secret that this company never had.",
    uncovers: "The secret is hard-coded, or only the form of the signature is checked.",
  },
  "old-secret": {
    ...secret,
    onTheWire:
      "A signature made with the secret before the last rotation. Before the first rotation the fault does not match.",
    uncovers: "An old secret is never retired.",
  },
  "empty-secret": {
    ...secret,
    onTheWire: "A signature made with an empty key.",
    uncovers: "The variable for the secret is not set, so that anyone can sign.",
  },
  "rotate-mid-retry": {
    ...event,
    slot: "first-attempts",
    attempts: "first",
    wire: "reset-after-request",
    onTheWire:
      "The first attempt is signed with the current secret, and reset when the answer begins to arrive. Then the company's secret is rotated, and the retry is signed with the new one.",
    uncovers: "The secret is read only at start-up, or a retry is verified as a copy of the first attempt.",
  },
  "tampered-body": {
    ...attempt,
    slot: "tampering",
    onTheWire: "One digit of the body is changed after signing, in an amount if the body has one.",
    uncovers: "The verification does not cover the body.",
  },
  "tampered-whitespace": {
    ...attempt,
    slot: "tampering",
    onTheWire: "The body is indented after signing: the same JSON in other bytes, which must be rejected.",
    uncovers: "The signature is computed over JSON that was parsed and serialized again.",
  },
} as const satisfies Effects;

/** Well-formed HTTP with an unusual body or header. The signature is right unless the description says otherwise. */
export const bodyEffects = {
  "canary-body": {
    ...body,
    fields: {
      encoding: choiceField(`${listed(bodySpellings)}. By default each in turn.`, {
        value: null,
        of: bodySpellings,
      }),
    },
    onTheWire: "The same event in other bytes, correctly signed; some encodings add a field `canary`.",
    uncovers: "The signature is computed over JSON that was parsed and serialized again, or decoded wrongly.",
  },
  "extra-fields": {
    ...body,
    onTheWire: "The event with fields that no document announces, one of them null, correctly signed.",
    uncovers: "A strict schema rejects valid events as soon as the platform adds a field.",
  },
  "unknown-event": {
    ...body,
    onTheWire: "An event with an unknown name, correctly signed.",
    uncovers: "An unknown event is answered with an error, and so retried until the attempts are used up.",
  },
  "unknown-enum": {
    ...body,
    onTheWire: "The event with an unknown status, correctly signed.",
    uncovers: "A switch over all known statuses throws.",
  },
  "other-amount": {
    ...body,
    onTheWire:
      "The event with a minor unit more in every amount, correctly signed: 10.51 in place of 10.50. An event without an amount is sent as it is.",
    uncovers: "The paid amount is not compared with the due amount.",
  },
  failure: {
    ...body,
    onTheWire:
      "An event that says success says failure, correctly signed: ORDER-PAYOUT.ERROR in place of ORDER-PAYOUT.PAID, with its status. Any other event is sent as it is.",
    uncovers: "The status of an event is not looked at, and an event is taken for a success.",
  },
  "large-body": {
    ...body,
    fields: { bytes: countField("The size of the body.", { max: BODY_BYTES_MAX }) },
    onTheWire: "The event padded to the size with a field `padding`, correctly signed.",
    uncovers: "A body limit answers 413 to every attempt; many parsers refuse from 100 kB on.",
  },
  "empty-body": {
    ...body,
    onTheWire: "A body of zero bytes, correctly signed.",
    uncovers: "Parsing an empty body throws, and the answer is 500.",
  },
  "truncated-body": {
    ...attempt,
    slot: "tampering",
    onTheWire: "The first half of the body with a matching length, and the signature of the whole body.",
    uncovers: "The body is parsed before it is verified: this is a wrong signature, not a broken JSON.",
  },
  "invalid-json": {
    ...body,
    onTheWire: "The body without its last brace, correctly signed.",
    uncovers: "A body that cannot be parsed is answered with 500, and so retried without success.",
  },
  "content-type": {
    ...attempt,
    slot: "content-type",
    fields: {
      value: {
        type: { kind: "text", pattern: "^[\\x20-\\x7e]{0,200}$", example: "text/plain" },
        default: null,
        required: true,
        description: "The content type; an empty text leaves the header out.",
      },
    },
    onTheWire: "An ordinary request with another content type.",
    uncovers: "The parser does not run, and the handler gets an empty body.",
  },
  chunked: {
    ...connection,
    wire: {},
    onTheWire: "A valid request in chunks, without a length.",
    uncovers: "A gateway or parser requires a length and sees an empty body.",
  },
} as const satisfies Effects;

/** Effects on the connection. The request itself is ordinary. */
export const wireEffects = {
  "refuse-connection": {
    ...connection,
    arrives: false,
    wire: { ends: ["refused", "the connection was refused"] },
    onTheWire: "Nothing: the receiver is not contacted, and the attempt counts as a refused connection.",
    uncovers: "Missing events are not noticed, or are not fetched after an outage.",
  },
  "slow-headers": {
    ...connection,
    wire: {},
    onTheWire: "The head in small pieces with pauses between them, then the body at once.",
    uncovers: "A server or proxy has no time limit for heads, or one worker per connection.",
  },
  "slow-body": {
    ...connection,
    wire: {},
    onTheWire: "The head at once, then the body in small pieces with pauses between them.",
    uncovers: "Processing starts before the body is complete, or workers wait for slow senders.",
  },
  "reset-on-connect": {
    ...connection,
    arrives: false,
    wire: { ends: ["reset", "the connection was reset as soon as it was open"] },
    onTheWire: "A connection that is reset before the first byte, and before TLS.",
    uncovers: "The unhandled error of an accept loop or a TLS handshake ends the process.",
  },
  "reset-after-request": {
    ...connection,
    wire: { ends: ["reset", "the connection was reset at the start of the answer"] },
    deviations: { "answer-lost": { attempt: 1 } },
    onTheWire:
      "A whole, valid request; when the answer begins to arrive, the connection is reset (the lost 200).",
    uncovers:
      "An event is handled twice: the receiver handled and acknowledged it, the sender did not get the answer and retries.",
  },
  "ignore-answer": {
    ...connection,
    wire: { ends: ["timeout", "the answer was not read"] },
    onTheWire:
      "A whole, valid request whose answer is never read; at the deadline the connection is dropped.",
    uncovers: "A worker hangs while it writes its answer.",
  },
  "truncate-then-close": {
    ...connection,
    wire: {},
    onTheWire: "The full length announced, half the body sent, then the sending side closed normally.",
    uncovers: "Part of a body is processed as if it were the whole.",
  },
  "truncate-then-reset": {
    ...connection,
    arrives: false,
    wire: { ends: ["reset", "the connection was reset in the middle of the body"] },
    onTheWire: "The full length announced, half the body sent, then the connection reset.",
    uncovers: "Part of a body is processed, or the aborted request is an unhandled error.",
  },
} as const satisfies Effects;

/** Lists the names of a table with their meanings. */
function listed(table: Readonly<Record<string, { readonly is: string }>>): string {
  return Object.entries(table)
    .map(([name, { is }]) => `${name}: ${is}`)
    .join("; ");
}
