import { type Effect, type Effects, durationField, flagField } from "./effect.ts";

const call = { on: "api", slot: "answer", fields: {} } as const satisfies Partial<Effect>;

const retryAfter = {
  type: { kind: "count", min: 1, max: 86_400 },
  description:
    "The seconds of the header Retry-After. Default: 5 for 503, 1 for 429, and no header for other statuses.",
} as const;

/** Failures of the platform API itself. They never affect the sandbox's own API. */
export const apiEffects = {
  latency: {
    ...call,
    slot: "pause",
    fields: {
      by: {
        type: { kind: "duration", wall: true },
        default: null,
        required: true,
        description: "The wall time that the request waits before it is processed.",
      },
      after: flagField("With `true` the request is processed immediately, and its answer waits."),
    },
    deviations: { "call-slow": { by: "PT10S", after: true } },
    onTheWire: "The answer comes late.",
    uncovers:
      "The caller has no time limit, repeats the call while the first request still runs, or reads a timeout as a call without effect.",
  },
  error: {
    ...call,
    fields: {
      status: {
        type: { kind: "count", min: 400, max: 599 },
        default: null,
        required: true,
        description: "The HTTP status of the answer.",
      },
      retryAfter,
      after: flagField("With `true` the request is carried out, but the answer is still the error."),
      for: {
        type: { kind: "duration" },
        description:
          "The duration of the error. After the first hit every matching call gets the same answer for this time. Default: only one call gets it.",
      },
    },
    deviations: {
      "call-fails-after": { status: 500, after: true },
      "call-limited": { status: 429, retryAfter: 1, for: "PT1S" },
    },
    onTheWire: "An error with this status in the error form of the operation. The call has no other effect.",
    uncovers:
      "The caller reads an error as a success or as a call without effect, or repeats the call after an error that a repeat cannot fix.",
  },
  reset: {
    ...call,
    isCarriedOut: true,
    answers: null,
    deviations: { "call-answer-lost": {} },
    onTheWire: "The request is carried out. Then the connection is reset instead of an answer.",
    uncovers: "The caller gives up, or repeats the call with another idempotency key.",
  },
  "reset-before": {
    ...call,
    answers: null,
    deviations: { "call-lost": {} },
    onTheWire: "The connection is reset instead of an answer, and the call is not carried out.",
    uncovers: "The caller gives up, or reads an ended connection as a success.",
  },
  unavailable: {
    ...call,
    fields: { retryAfter },
    answers: 503,
    deviations: { "call-refused": { retryAfter: 1 } },
    onTheWire: "503 with Retry-After, and the call is not carried out. Webhooks are still sent.",
    uncovers:
      "A webhook handler immediately reads the object, fails together with the platform API, and causes retries.",
  },
  "token-expired": {
    ...call,
    answers: 401,
    deviations: { "token-expired": {} },
    onTheWire:
      "401, and the call is not carried out. The token of the request is then invalid until a reset, and a new token works. On the token endpoint the answer is only 401.",
    uncovers: "The caller does not renew its token, or repeats finished work after the renewal.",
  },
  "answer-other-amount": {
    ...call,
    isCarriedOut: true,
    onTheWire:
      "A successful answer with one minor unit more in every amount: 10.51 instead of 10.50. The platform has the right amount.",
    uncovers: "The caller does not compare the answer of the platform with its own request.",
  },
  "event-before-commit": {
    on: "api",
    slot: "reads",
    attempts: "first",
    fields: { by: durationField("The delay of reads after the event.") },
    onTheWire:
      "The webhook is sent immediately. During the delay, a GET of its object answers as before the event: 404 for a new object, the old state for a changed object.",
    uncovers: "A webhook handler reads the object once and treats the result as the present state.",
  },
} as const satisfies Effects;

/** Effects on due times, and on the end of the clock. The sandbox's own API and its acts still work. */
export const clockEffects = {
  "never-settles": {
    on: "clock",
    slot: "settlement",
    fields: {},
    onTheWire:
      "Payouts, charges and refunds do not settle, and a paid order stays PENDING. Events do not report them. An act can still settle an object.",
    uncovers:
      "The partner does not notice objects that never end: reconciliation and a time limit are missing.",
  },
  "last-day": {
    on: "clock",
    slot: "day",
    fields: {},
    onTheWire:
      "The clock stops at the last millisecond of its day in Brasília, and an advance ends there (stoppedBy: fault).",
    uncovers: "Work of a later day is not tested.",
  },
} as const satisfies Effects;
