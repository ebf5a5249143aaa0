import { choice, duration, flag, statement } from "./assumption.ts";

export const payloadAssumptions = {
  "amounts.input": statement({
    says: 'An amount is a string or a number greater than 0 with at most the decimals of its currency; answers always write all of them ("10.50").',
    leavesOpen:
      "value (string, decimal numeric string; a JSON number is also accepted on input): its range and its precision are not shown.",
    because:
      "No payment is of nothing or of less, and a third decimal could only be rounded away in silence.",
  }),
  "documents.validate": flag(true, {
    says: "The check digits of CPF and CNPJ have to be right, the CNPJ with letters included; CURP and RFC have to be of the right form. When false, the form alone counts for all.",
    leavesOpen: "Document object: type (string), number (string): what a valid number is: not shown.",
    because: "The institutions behind the platform refuse a number whose check digits are wrong.",
  }),
  "payloads.unknown-fields": choice("ignore", {
    choices: ["ignore", "strict"],
    says: "A field the interface does not have is ignored, and the header x-sandbox-warning of the answer names it; strict refuses the request.",
    leavesOpen: "Request bodies: the treatment of fields that are not listed is not shown.",
    because: "Ignoring them is what lets an interface grow; the warning still shows a misspelt name.",
  }),
  "idempotency.format": statement({
    says: "On resend, cancel and refund the key is a UUID; on payouts and orders any 1 to 64 characters. It is required on orders too.",
    leavesOpen:
      "Required on resend confirmation code, cancel claim and refund (string, format uuid, at most 64 characters, a UUID recommended).",
    because:
      "The interface gives the format uuid to the first three only, and the limit of 64 to every operation that has the header.",
  }),
  "idempotency.replay": statement({
    says: "The same key with the same body gives the first answer again, to the letter, with the header `idempotency-replayed: true`. With another body it is INVALID_REQUEST, field idempotency-key, issue REUSED. A key belongs to a company and an operation; bodies are compared as parsed JSON; a refused request leaves its key free.",
    leavesOpen: "unique key for idempotent requests: what a repeated key answers is not shown.",
    because:
      "It is what makes it safe to send a request again whose answer was lost, and the only outcome that hides no mistake of the caller.",
    parts: ["idempotency.retention"],
  }),
  "idempotency.retention": duration("P1D", {
    says: "A key is remembered for this long after its first answer; then it counts as new.",
    leavesOpen: "unique key for idempotent requests: how long it stays so is not shown.",
    because: "A day outlasts every sensible chain of repeated requests.",
  }),
  "payloads.qrcode-images": statement({
    says: "A QR code's image is a PNG in plain base64, without a data: prefix, of error correction level M.",
    leavesOpen: "qrcodeImageBase64 (string, base64 image): its format is shown for orders only.",
    because: "Subscriptions do as orders do; a prefix is easily added and not so easily found out.",
  }),
} as const;
