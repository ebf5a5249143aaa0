import type { Effect, Effects } from "./effect.ts";
import { choiceField, countField } from "./effect.ts";

const body = { on: "webhook", stage: "attempt", slot: "body", fields: {} } as const satisfies Effect | object;

/** Bodies that mean the same and are written so that no parser writes them back alike. */
export const CANARY_ENCODINGS = [
  "decimal",
  "escape",
  "unicode",
  "spaces",
  "newline",
  "slash",
  "big-integer",
  "key-order",
] as const;

const BODY_BYTES_MAX = 20_000_000;

/** Well-formed HTTP whose body or headers are unusual; the signature is right unless it is said otherwise. */
export const bodyEffects = {
  "canary-body": {
    ...body,
    fields: {
      encoding: choiceField(
        "decimal: a number 10.50; escape: letters written as \\u escapes; unicode: letters and signs beyond ASCII; spaces: blanks and indentation; newline: a line break at the end; slash: \\/ for every slash; big-integer: a number beyond 2^53; key-order: keys 2 before 1. All in turn unless given.",
        { value: null, choices: CANARY_ENCODINGS },
      ),
    },
    onTheWire: "The same event in other bytes, correctly signed; some encodings add a field `canary`.",
    uncovers: "The signature is computed over JSON that was parsed and written again, or decoded wrongly.",
  },
  "extra-fields": {
    ...body,
    onTheWire: "The event with fields nobody announced, one of them null, correctly signed.",
    uncovers: "A strict schema rejects valid events as soon as the platform adds a field.",
  },
  "unknown-event": {
    ...body,
    onTheWire: "An event whose name nobody knows, correctly signed.",
    uncovers: "An unknown event is answered with an error, and so retried for ever.",
  },
  "unknown-enum": {
    ...body,
    onTheWire: "The event with a status nobody knows, correctly signed.",
    uncovers: "A switch over all known statuses throws.",
  },
  "large-body": {
    ...body,
    fields: { bytes: countField("The size of the body.", { max: BODY_BYTES_MAX }) },
    onTheWire: "The event filled up to the size with a field `padding`, correctly signed.",
    uncovers: "A body limit answers 413 for ever; many parsers begin to refuse at 100 kB.",
  },
  "empty-body": {
    ...body,
    onTheWire: "A body of no bytes, correctly signed.",
    uncovers: "Parsing nothing throws, and the answer is 500.",
  },
  "truncated-body": {
    ...body,
    slot: "tampering",
    onTheWire: "The first half of the body with a matching length, and the signature of the whole.",
    uncovers: "The body is parsed before it is verified: this is a wrong signature, not a broken JSON.",
  },
  "invalid-json": {
    ...body,
    onTheWire: "The body without its last brace, correctly signed.",
    uncovers: "What cannot be parsed is answered with 500, and so retried in vain.",
  },
  "content-type": {
    ...body,
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
    uncovers: "The parser does not run, and the handler meets an empty body.",
  },
  chunked: {
    ...body,
    slot: "manner",
    onTheWire: "A valid request in chunks, without a length.",
    uncovers: "A gateway or parser cannot do without a length and sees an empty body.",
  },
} as const satisfies Effects;
