import type { EffectName } from "../platform/faults/effects.ts";
import type { AppliedFault } from "../platform/faults/fault.ts";
import type { SIGNATURE_FORMS } from "../platform/faults/webhook-effects.ts";
import type { AttemptOrder } from "../platform/webhook-events/attempts.ts";
import type { Injection } from "../platform/webhook-events/attempts.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { WireManner } from "./wire-manners.ts";
import { appliedOf } from "../platform/faults/selection.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import {
  canary,
  filledUp,
  indented,
  tampered,
  withExtraFields,
  withUnknownEvent,
  withUnknownStatus,
} from "./faulty-body.ts";
import { withQrImages } from "./qr-images.ts";
import { SIGNATURE_PREFIX, signatureOf } from "./signature.ts";

type Composed = Pick<WebhookRequest, "headers" | "body">;

/**
 * The headers and the body of an attempt, with what its faults make of it. A body fault comes before the signature, tampering
 * after it; nothing in the request shows a receiver that a fault was applied.
 */
export function compose({ body, secret, injection: { faults } }: AttemptOrder): Composed {
  const signed = Buffer.from(bodyBefore(withQrImages(body), faults));
  const signature = signatureHeader(signatureOf(secret, signed), faults);
  const contentType = appliedOf(faults, "content-type")?.fields["value"] ?? "application/json";
  return {
    headers: {
      ...(contentType !== "" && { "content-type": String(contentType) }),
      "user-agent": "sandbank-webhooks",
      ...(signature !== undefined && { "x-signature-sha256": signature }),
    },
    body: bodyAfter(signed, faults),
  };
}

/** What each effect makes of the body before it is signed. */
const BODIES: Partial<Record<EffectName, (json: string, fault: AppliedFault) => string>> = {
  "canary-body": (json, { fields, turn }) => canary(json, fields["encoding"] as string | null, turn),
  "extra-fields": withExtraFields,
  "unknown-event": withUnknownEvent,
  "unknown-enum": withUnknownStatus,
  "large-body": (json, { fields }) => filledUp(json, Number(fields["bytes"])),
  "empty-body": () => "",
  "invalid-json": (json) => json.slice(0, -1),
};

function bodyBefore(json: string, faults: readonly AppliedFault[]): string {
  return faults.reduce((text, fault) => BODIES[fault.effect]?.(text, fault) ?? text, json);
}

function bodyAfter(signed: Buffer, faults: readonly AppliedFault[]): Buffer {
  const fault = appliedOf(faults, "tampered-body", "tampered-whitespace", "truncated-body");
  if (fault === undefined) return signed;
  if (fault.effect === "truncated-body") return signed.subarray(0, Math.floor(signed.length / 2));
  const text = signed.toString("utf8");
  if (fault.effect === "tampered-body") return Buffer.from(tampered(text));
  // What a body fault has made unreadable cannot be indented; a blank is as good.
  return Buffer.from(isJson(text) ? indented(text) : `${text} `);
}

function signatureHeader(signature: string, faults: readonly AppliedFault[]): string | undefined {
  const fault = appliedOf(faults, "bad-signature", "missing-signature");
  if (fault === undefined) return signature;
  return fault.effect === "bad-signature" ? malformed(signature, String(fault.fields["form"])) : undefined;
}

const MANNERS: Partial<Record<EffectName, WireManner>> = {
  chunked: { kind: "chunked" },
  "refuse-connection": { kind: "refuse-connection" },
  "slow-headers": { kind: "slow-headers" },
  "slow-body": { kind: "slow-body" },
  "reset-on-connect": { kind: "reset-on-connect" },
  "reset-after-request": { kind: "reset-after-request" },
  "ignore-answer": { kind: "ignore-answer" },
  "truncate-then-close": { kind: "truncate-then-close" },
  "truncate-then-reset": { kind: "truncate-then-reset" },
  "rotate-mid-retry": { kind: "reset-after-request" },
};

/** How an attempt misbehaves on the wire; undefined where it does not. */
export function mannerOf(faults: readonly AppliedFault[]): WireManner | undefined {
  return faults.map(({ effect }) => MANNERS[effect]).find((manner) => manner !== undefined);
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

type SignatureForm = (typeof SIGNATURE_FORMS)[number];

/** What each form makes of the hex digest of a good signature. A letter é is one byte on the wire. */
const FORMS: Readonly<Record<SignatureForm, (digest: string) => string>> = {
  flipped: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, -1)}${digest.endsWith("0") ? "1" : "0"}`,
  short: () => `${SIGNATURE_PREFIX}abc`,
  empty: () => SIGNATURE_PREFIX,
  long: (digest) => `${SIGNATURE_PREFIX}${digest}00`,
  odd: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, -1)}`,
  "non-hex": (digest) => `${SIGNATURE_PREFIX}${"z".repeat(digest.length)}`,
  multibyte: (digest) => `${SIGNATURE_PREFIX}${"é".repeat(digest.length)}`,
  "no-prefix": (digest) => digest,
  "wrong-prefix": (digest) => `sha1=${digest}`,
  uppercase: (digest) => `${SIGNATURE_PREFIX}${digest.toUpperCase()}`,
};

/** A good signature made bad, or only unusual, in the requested form. */
export function malformed(signature: string, form: string): string {
  const shape = FORMS[form as SignatureForm];
  return shape(signature.slice(SIGNATURE_PREFIX.length));
}

/** How an attempt ends that a fault keeps from ever leaving; undefined for one that leaves. */
export function unsentResult({ unsent, faults }: Injection): AttemptResult | undefined {
  if (unsent === null) return undefined;
  const effects = faults.map(({ effect }) => effect).join(", ");
  const { error, message } = new AttemptFailure(
    unsent,
    `the attempt never left, on purpose (fault ${effects})`,
    "Check that the receiver handles what comes next.",
  );
  const nothing = { responseHeaders: {}, responseBody: "", responseTruncated: false, durationMs: 0 };
  return { status: null, error, message, ...nothing };
}
