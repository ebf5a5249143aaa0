import { type Effect, type EffectField, type Effects, durationField, flagField } from "./effect.ts";

const call = { on: "api", stage: "call", slot: "answer", fields: {} } as const satisfies Partial<Effect>;

const retryAfter = {
  type: { kind: "count", min: 1, max: 86_400 },
  description:
    "The seconds of the header Retry-After; without it 503 sends 5, 429 sends 1, and other statuses none.",
} as const satisfies EffectField;

/** Failures of the interface itself. They never affect the sandbox's own API. */
export const apiEffects = {
  latency: {
    ...call,
    slot: "pause",
    fields: {
      by: {
        type: { kind: "duration", wall: true },
        default: null,
        required: true,
        description: "Wall time that the request waits before it is processed.",
      },
      after: flagField("With `true` the request is processed at once, and its answer waits."),
    },
    deviations: { "call-slow": { by: "PT10S", after: true } },
    onTheWire: "The answer comes late.",
    uncovers:
      "The caller has no time limit, retries while the first request is still running, or takes a timeout for not done.",
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
      after: flagField("With `true` the request is carried out, and answered with the error all the same."),
      for: {
        type: { kind: "duration" },
        description:
          "Time from its first hit in which every call that its other selectors name gets the same answer. Without it only that call gets it.",
      },
    },
    deviations: {
      "call-fails-after": { status: 500, after: true },
      "call-limited": { status: 429, retryAfter: 1, for: "PT1S" },
    },
    onTheWire: "An error with that status in the operation's own error form, without other effects.",
    uncovers:
      "The caller takes an error for a success, or for not done, or retries after an error that a retry cannot fix.",
  },
  reset: {
    ...call,
    isCarriedOut: true,
    answers: null,
    deviations: { "call-answer-lost": {} },
    onTheWire: "The request is carried out; then the connection is reset instead of an answer.",
    uncovers: "The caller gives up, or retries with another idempotency key.",
  },
  "reset-before": {
    ...call,
    answers: null,
    deviations: { "call-lost": {} },
    onTheWire: "The connection is reset instead of an answer, and the call is not carried out.",
    uncovers: "The caller gives up, or takes a connection that ended for done.",
  },
  unavailable: {
    ...call,
    fields: { retryAfter },
    answers: 503,
    deviations: { "call-refused": { retryAfter: 1 } },
    onTheWire: "503 with Retry-After, and the call is not carried out; webhooks are still sent.",
    uncovers:
      "A webhook handler reads the object at once, fails together with the interface, and causes retries.",
  },
  "token-expired": {
    ...call,
    answers: 401,
    deviations: { "token-expired": {} },
    onTheWire:
      "401, and the call is not carried out. The token of the request is dead from then on, and a new one works; a reset revives it. On the token endpoint it is just 401.",
    uncovers: "The caller does not renew its token, or repeats the work when it does.",
  },
  "answer-other-amount": {
    ...call,
    isCarriedOut: true,
    onTheWire:
      "The answer of a call that succeeds, with a minor unit more in every amount: 10.51 in place of 10.50. The platform itself has the right amount.",
    uncovers: "The caller does not compare the answer of the platform with its own request.",
  },
  "event-before-commit": {
    on: "api",
    stage: "event",
    slot: "reads",
    attempts: "first",
    fields: { by: durationField("Lag of reads behind the event.") },
    onTheWire:
      "The webhook is sent at once. Until the time is over, a GET of its object answers as before the event: 404 for a new object, the old state for a changed object.",
    uncovers: "A webhook handler reads the object once and treats the result as the current state.",
  },
} as const satisfies Effects;

/** Effects on due times, and on the end of the clock. The sandbox's own API and its acts still work. */
export const clockEffects = {
  "never-settles": {
    on: "clock",
    stage: "settlement",
    slot: "settlement",
    fields: {},
    onTheWire:
      "Payouts, charges and refunds stay as they are when they would settle, and an order that is paid stays PENDING: no further event reports it. An act that settles one does so.",
    uncovers:
      "Objects that stay under way without end are not noticed: reconciliation and a time limit are missing.",
  },
  "last-day": {
    on: "clock",
    stage: "midnight",
    slot: "day",
    fields: {},
    onTheWire:
      "The clock stops at the last millisecond of its day in Brasília, and an advance ends there (stoppedBy: fault).",
    uncovers: "Work of a later day is not tested.",
  },
} as const satisfies Effects;
