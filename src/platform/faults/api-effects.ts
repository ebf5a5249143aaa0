import type { Effect, Effects } from "./effect.ts";
import { durationField } from "./effect.ts";

const call = { on: "api", stage: "call", slot: "answer", fields: {} } as const satisfies Partial<Effect>;

/** What goes wrong with the interface itself; the sandbox's own API is never touched. */
export const apiEffects = {
  latency: {
    ...call,
    slot: "pause",
    fields: {
      by: {
        type: { kind: "duration", wall: true },
        default: null,
        required: true,
        description: "How long the request waits before it is taken up, in wall time.",
      },
    },
    onTheWire: "The answer comes late.",
    uncovers: "A caller without a time limit, or one that tries again while the first request still runs.",
  },
  error: {
    ...call,
    fields: {
      status: {
        type: { kind: "count", min: 400, max: 599 },
        default: null,
        required: true,
        description: "The HTTP status to answer with.",
      },
    },
    onTheWire: "An error of that status in the operation's own error form; nothing else happens.",
    uncovers: "An error is not told from a success, or is retried where that is in vain.",
  },
  reset: {
    ...call,
    onTheWire: "The request is carried out; then the connection is reset instead of an answer.",
    uncovers: "A caller gives up, or tries again without the idempotency key of the first time.",
  },
  unavailable: {
    ...call,
    onTheWire: "503 with Retry-After, and nothing is carried out; webhooks go on flowing.",
    uncovers: "A webhook handler reads back at once, fails with the interface, and causes retries.",
  },
  "event-before-commit": {
    on: "api",
    stage: "event",
    slot: "reads",
    fields: { by: durationField("How long reads lag behind the event.") },
    onTheWire:
      "The webhook goes out at once; until the time is over, a GET of what it tells of answers as before: 404 for what is new, the old state for what changed.",
    uncovers: "A webhook handler reads back once and takes what it finds for the truth.",
  },
} as const satisfies Effects;
