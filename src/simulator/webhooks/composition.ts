import type { AppliedFault, EffectValues } from "../platform/faults/fault.ts";
import type { BodySpellingName } from "../platform/faults/body-spellings.ts";
import type { AttemptOrder, Injection } from "../platform/webhook-events/attempts.ts";
import { type AttemptResult, type WebhookRequest, type WireManner, unanswered } from "./attempt.ts";
import { appliedIn } from "../platform/faults/selection.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import {
  canary,
  filledUp,
  indented,
  tampered,
  withExtraFields,
  withFailure,
  withUnknownEvent,
  withUnknownStatus,
} from "./faulty-body.ts";
import { withOtherAmount } from "../platform/faults/other-amount.ts";
import type { UndrawnJson } from "../platform/undrawn-qr-image.ts";
import { withQrImages } from "../qr-images/qr-images.ts";
import { type EffectIn, type WireEffectName, effectOf } from "../platform/faults/effects.ts";
import { type SignatureFormName, signatureForms } from "../platform/faults/signature-forms.ts";
import { signatureOf, webhookHeaders } from "../api/signature.ts";
import { isJson } from "../engine/json.ts";

/**
 * Returns the headers and the body of an attempt, changed by its faults. A body fault comes before the signature,
 * tampering after it. The request does not show a receiver that a fault was applied.
 */
export function compose(
  body: UndrawnJson,
  { secret, injection: { faults } }: AttemptOrder,
): Pick<WebhookRequest, "headers" | "body"> {
  const signed = Buffer.from(bodyBefore(withQrImages(body), faults));
  const signature = signatureHeader(signatureOf(secret, signed), faults);
  const contentType = appliedIn(faults, "content-type")?.fields["value"] ?? "application/json";
  return {
    headers: webhookHeaders(signature, { contentType: String(contentType) }),
    body: bodyAfter(signed, faults),
  };
}

type Faults = readonly AppliedFault[];

/** The change of the body by each effect, before it is signed. */
const BODIES = {
  "canary-body": (json, { fields, turn }) =>
    canary(json, fields["encoding"] as BodySpellingName | null, turn),
  "extra-fields": withExtraFields,
  "unknown-event": withUnknownEvent,
  "unknown-enum": withUnknownStatus,
  "other-amount": (json) => JSON.stringify(withOtherAmount(JSON.parse(json))),
  failure: withFailure,
  "large-body": (json, { fields }) => filledUp(json, Number(fields["bytes"])),
  "empty-body": () => "",
  "invalid-json": (json) => json.slice(0, -1),
} satisfies Readonly<Record<EffectIn<"body">, (json: string, fault: AppliedFault) => string>>;

function bodyBefore(json: string, faults: Faults): string {
  const fault = appliedIn(faults, "body");
  return fault === undefined ? json : BODIES[fault.effect](json, fault);
}

/** The change of the body by each effect, after it is signed. */
const TAMPERED = {
  "truncated-body": (signed) => signed.subarray(0, Math.floor(signed.length / 2)),
  "tampered-body": (signed) => Buffer.from(tampered(signed.toString("utf8"))),
  "tampered-whitespace": (signed) => {
    const text = signed.toString("utf8");
    // A body that a fault has made unreadable cannot be indented. A blank at its end has the same effect.
    return Buffer.from(isJson(text) ? indented(text) : `${text} `);
  },
} satisfies Readonly<Record<EffectIn<"tampering">, (signed: Buffer) => Buffer>>;

function bodyAfter(signed: Buffer, faults: Faults): Buffer {
  const fault = appliedIn(faults, "tampering");
  return fault === undefined ? signed : TAMPERED[fault.effect](signed);
}

/** The change of the signature header by each effect. Undefined leaves the header out. */
const SIGNATURES = {
  "bad-signature": (signature, { form }) => signatureForms[form as SignatureFormName].write(signature),
  "missing-signature": () => undefined,
} satisfies Readonly<
  Record<EffectIn<"signature">, (signature: string, fields: EffectValues) => string | undefined>
>;

function signatureHeader(signature: string, faults: Faults): string | undefined {
  const fault = appliedIn(faults, "signature");
  return fault === undefined ? signature : SIGNATURES[fault.effect](signature, fault.fields);
}

/** Returns the fault of an attempt on the wire. Undefined if it has none. */
export function mannerOf(faults: Faults): WireManner | undefined {
  for (const { effect } of faults) {
    const { wire } = effectOf(effect);
    if (wire !== undefined) return { kind: (typeof wire === "string" ? wire : effect) as WireEffectName };
  }
  return undefined;
}

/** Returns the result of an attempt that a fault keeps from leaving. Undefined for an attempt that leaves. */
export function unsentResult({ unsent, faults }: Injection): AttemptResult | undefined {
  if (unsent === null) return undefined;
  const effects = faults.map(({ effect }) => effect).join(", ");
  return unanswered(
    new AttemptFailure(
      unsent,
      `the attempt never left, on purpose (fault ${effects})`,
      "Check that the receiver handles what comes next.",
    ),
  );
}
