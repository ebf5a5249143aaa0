import { bodySpellings } from "./body-spellings.ts";
import { type Effect, type Effects, choiceField, countField, durationField, flagField } from "./effect.ts";
import { signatureForms } from "./signature-forms.ts";

const COPIES_MAX = 20;
const BODY_BYTES_MAX = 20_000_000;

const webhook = { on: "webhook", fields: {} } as const satisfies Partial<Effect>;
const connection = { ...webhook, slot: "connection" } as const satisfies Partial<Effect>;
const neverSent = { arrives: false, unsent: "timeout" } as const satisfies Partial<Effect>;
const secret = { ...webhook, slot: "secret" } as const satisfies Partial<Effect>;
const body = { ...webhook, slot: "body" } as const satisfies Partial<Effect>;

const copies = countField("The number of further copies.", { value: 1, max: COPIES_MAX });

/** Effects on the number and the sandbox time of requests. The requests themselves are correct. */
export const scheduleEffects = {
  delay: {
    ...webhook,
    slot: "start",
    attempts: "first",
    fields: { by: durationField("The time that the first attempt waits.") },
    onTheWire: "A late ordinary request. Later events about the same object arrive first.",
    uncovers: "The code expects the event immediately after the answer of the call.",
  },
  duplicate: {
    ...webhook,
    slot: "copies",
    deviations: { twice: {} },
    fields: {
      copies,
      gap: durationField("The time between the acknowledgement and a copy, and between two copies.", "PT0S"),
    },
    onTheWire:
      "The same bytes again after the acknowledgement of the event. Each copy is a separate delivery.",
    uncovers: "The webhook endpoint does not remember handled events, and credits money twice.",
  },
  "duplicate-concurrent": {
    ...webhook,
    slot: "first-attempts",
    attempts: "first",
    deviations: { "twice-at-once": {} },
    fields: { copies },
    onTheWire:
      "The first attempt and its copies use separate connections. The sandbox holds the last byte of each back until all are ready, and then sends these bytes together.",
    uncovers: "Two copies pass the check for duplicates at the same time: a unique key is missing.",
  },
  "duplicate-late": {
    ...webhook,
    slot: "late-copies",
    fields: { copies, after: durationField("The time after the acknowledgement.") },
    onTheWire: "The same bytes again, long after the acknowledgement of the event.",
    uncovers: "The webhook endpoint forgets handled events too early, for example with a short-lived cache.",
  },
  reorder: {
    ...webhook,
    slot: "start",
    attempts: "first",
    fields: { window: durationField("The longest time that the event waits.", "PT1M") },
    onTheWire: "The event waits until the company's next event has been sent. The next event does not wait.",
    uncovers: "State goes backwards: an older event overwrites newer state.",
  },
  late: {
    ...webhook,
    slot: "start",
    attempts: "first",
    endsWithFault: true,
    deviations: { late: {} },
    fields: {
      events: countField("The number of later events that arrive first.", { value: 1, max: 100 }),
      within: {
        type: { kind: "duration" },
        description: "The longest time that the event waits. Default: until the fault is removed.",
      },
    },
    onTheWire:
      "The event waits until this number of later events of the company has arrived. If they never come, it waits for the time `within`, or until the fault is removed.",
    uncovers: "The last arriving event wins: an older event overwrites newer state.",
  },
  together: {
    ...webhook,
    slot: "start",
    attempts: "first",
    endsWithFault: true,
    fields: { anyObject: flagField("With `true` the event waits for the next event about any object.") },
    deviations: { together: {} },
    onTheWire:
      "The event waits until the next event about the same object is due. Then both are in flight at the same moment. If there is no next event, it waits until the fault is removed.",
    uncovers:
      "A lost update: two events read the same state, and the later write overwrites the earlier one.",
  },
  early: {
    ...webhook,
    slot: "start",
    attempts: "first",
    isBeforeAnswer: true,
    deviations: { early: {} },
    fields: {
      within: {
        type: { kind: "duration" },
        description:
          "If the next timer of a call announces the event within this time, the answer of this call waits too. The clock moves to the timer.",
      },
    },
    onTheWire:
      "The event arrives, and is answered, before the API answers the call that caused it. The call causes the event by its own command, by a timer that is due immediately, or with `within` by its next timer. Other events come as usual.",
    uncovers: "The webhook endpoint refuses or forgets an event about an object that it does not know yet.",
  },
  "interleave-retry": {
    ...webhook,
    slot: "first-attempts",
    attempts: "first",
    ...neverSent,
    onTheWire:
      "The first attempt is never sent. Its retry waits, at most a day, for the acknowledgement of a newer event about the same object.",
    uncovers: "A late retry overwrites newer state.",
  },
  "duplicate-at-end": {
    ...webhook,
    slot: "late-copies",
    endsWithFault: true,
    deviations: { "twice-late": {} },
    fields: { copies },
    onTheWire:
      "The same bytes again when the fault is removed. Each copy is a separate delivery. With `DELETE /sandbox/faults` as the last step, the copies come after all other events.",
    uncovers: "An old event overwrites newer state.",
  },
  drop: {
    ...connection,
    ...neverSent,
    onTheWire: "The attempt is never sent, and counts as failed with a timeout.",
    uncovers: "The partner does not notice missing events.",
  },
  "drop-first": {
    ...webhook,
    slot: "first-attempts",
    attempts: "counted",
    ...neverSent,
    deviations: { "first-try-lost": { attempts: 1 } },
    fields: { attempts: countField("The number of attempts that are never sent.", { max: 100 }) },
    onTheWire:
      "The first attempts are never sent. Then comes an ordinary request. With five such attempts the event is undelivered.",
    uncovers: "The partner does not recover after an outage: it never reads the list of undelivered events.",
  },
  outage: {
    ...connection,
    needsBetween: true,
    arrives: false,
    unsent: "refused",
    onTheWire:
      "Between the two times each attempt counts as a refused connection. At the end of the outage all failed events are sent together with the new events.",
    uncovers: "The webhook endpoint fails under many sudden events, or relies on their order.",
  },
  lose: {
    ...webhook,
    slot: "start",
    arrives: false,
    onTheWire: "The event is never sent. The list of undelivered events does not have it.",
    uncovers: "Reconciliation is missing: the partner never finds a change without a webhook.",
  },
} as const satisfies Effects;

/** Effects on the secret that signs, and on the content of the signature header. */
export const signatureEffects = {
  "bad-signature": {
    ...webhook,
    slot: "signature",
    fields: {
      form: choiceField(`${listed(signatureForms)}.`, {
        value: "flipped",
        of: signatureForms,
      }),
    },
    onTheWire: "An ordinary request with a wrong or malformed signature header.",
    uncovers:
      "The webhook endpoint does not verify the signature. Or its constant-time comparison throws on a different length, and the process ends or answers 500.",
  },
  "missing-signature": {
    ...webhook,
    slot: "signature",
    onTheWire: "An ordinary request without the signature header.",
    uncovers: "A missing header causes a crash, or skips the verification.",
  },
  "wrong-secret": {
    ...secret,
    onTheWire: "A well-formed signature with a secret that this company never had.",
    uncovers: "The secret is hard-coded, or only the form of the signature is checked.",
  },
  "old-secret": {
    ...secret,
    onTheWire:
      "A signature with the secret from before the last rotation. Before the first rotation the fault does not match.",
    uncovers: "The webhook endpoint never removes an old secret.",
  },
  "empty-secret": {
    ...secret,
    onTheWire: "A signature with an empty key.",
    uncovers: "The variable for the secret is not set, so anyone can sign.",
  },
  "rotate-mid-retry": {
    ...webhook,
    slot: "first-attempts",
    attempts: "first",
    wire: "reset-after-request",
    onTheWire:
      "The first attempt is signed with the current secret. Its connection is reset when the answer begins to arrive. Then the company's secret is rotated, and the retry is signed with the new secret.",
    uncovers:
      "The webhook endpoint reads the secret only at its start, or verifies a retry as a copy of the first attempt.",
  },
  "tampered-body": {
    ...webhook,
    slot: "tampering",
    onTheWire:
      "One digit of the body is changed after signing. If the body has an amount, the digit is in the amount.",
    uncovers: "The verification does not cover the body.",
  },
  "tampered-whitespace": {
    ...webhook,
    slot: "tampering",
    onTheWire:
      "The body is indented after signing. It is the same JSON in other bytes, and the webhook endpoint must refuse it.",
    uncovers: "The webhook endpoint computes the signature over parsed and serialized JSON.",
  },
} as const satisfies Effects;

/** Well-formed HTTP with an unusual body or header. The signature is right unless the description says otherwise. */
export const bodyEffects = {
  "canary-body": {
    ...body,
    fields: {
      encoding: choiceField(`${listed(bodySpellings)}. Default: each encoding in turn.`, {
        value: null,
        of: bodySpellings,
      }),
    },
    onTheWire: "The same event in other bytes, correctly signed. Some encodings add a field `canary`.",
    uncovers:
      "The webhook endpoint computes the signature over parsed and serialized JSON, or decodes the body wrongly.",
  },
  "extra-fields": {
    ...body,
    onTheWire: "The event with undocumented fields, correctly signed. One of the fields is null.",
    uncovers: "A strict schema refuses valid events when the platform adds a field.",
  },
  "unknown-event": {
    ...body,
    onTheWire: "An event with an unknown name, correctly signed.",
    uncovers:
      "The webhook endpoint answers an unknown event with an error, so the platform retries it until the attempts are used up.",
  },
  "unknown-enum": {
    ...body,
    onTheWire: "The event with an unknown status, correctly signed.",
    uncovers: "A switch over all known statuses throws.",
  },
  "other-amount": {
    ...body,
    onTheWire:
      "The event with one minor unit more in every amount, correctly signed: 10.51 instead of 10.50. An event without an amount is sent unchanged.",
    uncovers: "The webhook endpoint does not compare the paid amount with the due amount.",
  },
  failure: {
    ...body,
    onTheWire:
      "An event of success becomes an event of failure, correctly signed: ORDER-PAYOUT.ERROR instead of ORDER-PAYOUT.PAID, with its status. Any other event is sent unchanged.",
    uncovers:
      "The webhook endpoint does not read the status of an event, and treats every event as a success.",
  },
  "large-body": {
    ...body,
    fields: { bytes: countField("The size of the body.", { max: BODY_BYTES_MAX }) },
    onTheWire: "The event padded to the size with a field `padding`, correctly signed.",
    uncovers: "A body limit answers 413 to every attempt. The limit of many parsers is 100 kB.",
  },
  "empty-body": {
    ...body,
    onTheWire: "A body of zero bytes, correctly signed.",
    uncovers: "Parsing an empty body throws, and the answer is 500.",
  },
  "truncated-body": {
    ...webhook,
    slot: "tampering",
    onTheWire: "The first half of the body with a matching length, and the signature of the whole body.",
    uncovers:
      "The webhook endpoint parses the body before it verifies the signature. This is a wrong signature, not broken JSON.",
  },
  "invalid-json": {
    ...body,
    onTheWire: "The body without its last brace, correctly signed.",
    uncovers:
      "The webhook endpoint answers a broken body with 500, so the platform retries it without success.",
  },
  "content-type": {
    ...webhook,
    slot: "content-type",
    fields: {
      value: {
        type: { kind: "text", pattern: "^[\\x20-\\x7e]{0,200}$", example: "text/plain" },
        default: null,
        required: true,
        description: "The content type. An empty text leaves the header out.",
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
    onTheWire: "The webhook endpoint is not contacted, and the attempt counts as a refused connection.",
    uncovers: "The partner does not notice missing events, or does not read them after an outage.",
  },
  "slow-headers": {
    ...connection,
    wire: {},
    onTheWire: "The head in small pieces with pauses, then the whole body.",
    uncovers: "A server or proxy has no time limit for heads, or one worker per connection.",
  },
  "slow-body": {
    ...connection,
    wire: {},
    onTheWire: "The whole head, then the body in small pieces with pauses.",
    uncovers: "Processing starts before the body is complete, or workers wait for slow senders.",
  },
  "reset-on-connect": {
    ...connection,
    arrives: false,
    wire: { ends: ["reset", "the connection was reset as soon as it was open"] },
    onTheWire: "The connection is reset before the first byte, and before TLS.",
    uncovers: "An unhandled error of the accept loop or the TLS handshake ends the process.",
  },
  "reset-after-request": {
    ...connection,
    wire: { ends: ["reset", "the connection was reset at the start of the answer"] },
    deviations: { "answer-lost": { attempt: 1 } },
    onTheWire:
      "A whole, valid request. When the answer begins to arrive, the connection is reset (the lost 200).",
    uncovers:
      "The webhook endpoint handles an event twice. It acknowledged the event, but the platform did not get the answer and retries.",
  },
  "ignore-answer": {
    ...connection,
    wire: { ends: ["timeout", "the answer was not read"] },
    onTheWire:
      "A whole, valid request. The answer is never read, and at the time limit the connection is dropped.",
    uncovers: "A worker hangs while it writes its answer.",
  },
  "truncate-then-close": {
    ...connection,
    wire: {},
    onTheWire:
      "The header has the full length, but only half of the body is sent. Then the sending side closes normally.",
    uncovers: "The webhook endpoint processes a part of a body as the whole body.",
  },
  "truncate-then-reset": {
    ...connection,
    arrives: false,
    wire: { ends: ["reset", "the connection was reset in the middle of the body"] },
    onTheWire:
      "The header has the full length, but only half of the body is sent. Then the connection is reset.",
    uncovers:
      "The webhook endpoint processes a part of a body, or the aborted request is an unhandled error.",
  },
} as const satisfies Effects;

/** Lists the names of a table with their meanings. */
function listed(table: Readonly<Record<string, { readonly is: string }>>): string {
  return Object.entries(table)
    .map(([name, { is }]) => `\`${name}\`: ${is}`)
    .join(". ");
}
