import type { Effect, Effects } from "./effect.ts";

const wire = {
  on: "webhook",
  stage: "attempt",
  slot: "manner",
  fields: {},
} as const satisfies Partial<Effect>;

/** What happens to the connection; the request itself is the ordinary one. */
export const wireEffects = {
  "refuse-connection": {
    ...wire,
    onTheWire: "Nothing: the receiver is not contacted, and the attempt counts as a refused connection.",
    uncovers: "Nobody notices that events stay away, or nothing fetches them after an outage.",
  },
  "slow-headers": {
    ...wire,
    onTheWire: "The head in small pieces with pauses between them, then the body at once.",
    uncovers: "A server or proxy has no time limit for heads, or one worker per connection.",
  },
  "slow-body": {
    ...wire,
    onTheWire: "The head at once, then the body in small pieces with pauses between them.",
    uncovers: "Work begins before the body is complete, or workers wait for slow senders.",
  },
  "reset-on-connect": {
    ...wire,
    onTheWire: "A connection that is reset before a single byte, before TLS too.",
    uncovers: "The unhandled error of an accept loop or a TLS handshake ends the process.",
  },
  "reset-after-request": {
    ...wire,
    onTheWire:
      "A whole, valid request; as the answer begins to come, the connection is reset (the lost 200).",
    uncovers: "Work is done twice: the receiver did it and said so, the sender never heard and tries again.",
  },
  "ignore-answer": {
    ...wire,
    onTheWire:
      "A whole, valid request whose answer is never read; at the deadline the connection is dropped.",
    uncovers: "A worker hangs while it writes its answer.",
  },
  "truncate-then-close": {
    ...wire,
    onTheWire: "The full length announced, half the body sent, then the sending side closed in good order.",
    uncovers: "Part of a body is processed as if it were the whole.",
  },
  "truncate-then-reset": {
    ...wire,
    onTheWire: "The full length announced, half the body sent, then the connection reset.",
    uncovers: "Part of a body is processed, or the aborted request is an unhandled error.",
  },
} as const satisfies Effects;
