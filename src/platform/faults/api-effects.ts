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
        description: "How long the request waits before it is processed, in wall time.",
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
          "For how long from its first hit every call that its other selectors name is answered alike; without it only that call.",
      },
    },
    deviations: {
      "call-fails-after": { status: 500, after: true },
      "call-limited": { status: 429, retryAfter: 1, for: "PT1S" },
    },
    onTheWire: "An error with that status in the operation's own error form; nothing else happens.",
    uncovers:
      "The caller takes an error for a success, or for not done, or retries one that a retry cannot fix.",
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
    onTheWire: "The connection is reset instead of an answer, and nothing is carried out.",
    uncovers: "The caller gives up, or takes a connection that ended for done.",
  },
  unavailable: {
    ...call,
    fields: { retryAfter },
    answers: 503,
    deviations: { "call-refused": { retryAfter: 1 } },
    onTheWire: "503 with Retry-After, and nothing is carried out; webhooks are still sent.",
    uncovers:
      "A webhook handler reads the object at once, fails together with the interface, and causes retries.",
  },
  "token-expired": {
    ...call,
    answers: 401,
    deviations: { "token-expired": {} },
    onTheWire:
      "401, and nothing is carried out. The token of the request is dead from then on, and a new one works; a reset revives it. On the token endpoint it is just 401.",
    uncovers: "The caller does not renew its token, or repeats the work when it does.",
  },
  "answer-other-amount": {
    ...call,
    isCarriedOut: true,
    onTheWire:
      "The answer of a call that succeeds, with a minor unit more in every amount: 10.51 in place of 10.50. What was carried out has the right one.",
    uncovers: "The caller does not compare what the platform answers with what it asked for.",
  },
  "event-before-commit": {
    on: "api",
    stage: "event",
    slot: "reads",
    attempts: "first",
    fields: { by: durationField("How long reads lag behind the event.") },
    onTheWire:
      "The webhook is sent at once; until the time is over, a GET of its object answers as before the event: 404 for a new object, the old state for a changed one.",
    uncovers: "A webhook handler reads the object once and treats the result as the current state.",
  },
} as const satisfies Effects;

/** What never becomes due, or never comes. The sandbox's own API and its acts still do what they are asked for. */
export const clockEffects = {
  "never-settles": {
    on: "clock",
    stage: "settlement",
    slot: "settlement",
    fields: {},
    onTheWire:
      "Payouts, charges and refunds stay as they are when they would settle, and an order that is paid stays PENDING: no further event reports it. An act that settles one does so.",
    uncovers: "What is under way without end is not noticed: there is no reconciliation, and no time limit.",
  },
  "last-day": {
    on: "clock",
    stage: "midnight",
    slot: "day",
    fields: {},
    onTheWire:
      "The clock stops at the last millisecond of its day in Brasília, and an advance ends there (stoppedBy: fault).",
    uncovers: "Nothing that is to happen on a later day is tested.",
  },
} as const satisfies Effects;
