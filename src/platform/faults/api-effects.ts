import { type Effect, type Effects, durationField } from "./effect.ts";

const call = { on: "api", stage: "call", slot: "answer", fields: {} } as const satisfies Partial<Effect>;

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
    },
    onTheWire: "The answer comes late.",
    uncovers: "The caller has no time limit, or retries while the first request is still running.",
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
    },
    onTheWire: "An error with that status in the operation's own error form; nothing else happens.",
    uncovers: "The caller takes an error for a success, or retries one that a retry cannot fix.",
  },
  reset: {
    ...call,
    onTheWire: "The request is carried out; then the connection is reset instead of an answer.",
    uncovers: "The caller gives up, or retries with another idempotency key.",
  },
  unavailable: {
    ...call,
    onTheWire: "503 with Retry-After, and nothing is carried out; webhooks are still sent.",
    uncovers:
      "A webhook handler reads the object at once, fails together with the interface, and causes retries.",
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
