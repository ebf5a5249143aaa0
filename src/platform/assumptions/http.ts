import { choice, flag, period, statement, wallDuration } from "./assumption.ts";

export const httpAssumptions = {
  "http.statuses": choice(["created-201", "created-200"], {
    says: "A POST that creates answers 201 and every other success 200; INVALID_REQUEST is 400, UNAUTHORIZED 401, FORBIDDEN_ERROR 403, NOT_FOUND 404 and INTERNAL_ERROR 500. With created-200 a POST that creates answers 200 as well.",
    leavesOpen: "Numeric HTTP status codes for each error: not shown.",
    because: "Each error code names the HTTP status that has the same meaning.",
  }),
  "http.statuses-of-actions": choice(["200", "201"], {
    says: "A POST that creates nothing (resend, cancel, confirm, rotate) answers 200; with 201 it answers like a POST that creates a resource.",
    leavesOpen: "Numeric HTTP status codes: shown for no operation.",
    because: "201 promises a new resource, and these change one that exists.",
  }),
  "http.error-bodies": statement("form", {
    says: "Payouts and transparent orders answer errors with the common body of error, message and details; a transparent order also has NOT_FOUND.",
    leavesOpen: "Error body shapes of payout creation and transparent order creation: not shown.",
    because: "A client that already reads the common body needs no second parser.",
  }),
  "http.rate-limits": statement("byHand", {
    says: "The rate of requests is not limited; a fault on the API can answer 429.",
    leavesOpen: "Rate limits: not shown.",
    because: "An invented limit would fail test suites that pass against the platform.",
  }),
  "http.paths": statement("refusal", {
    says: "A path, or a method on it, that the interface does not have is NOT_FOUND with a message that names it; paths have to match exactly, a slash at the end included. HEAD is answered as GET, without the body.",
    leavesOpen: "The answer to a request that matches none of the endpoints: not shown.",
    because: "NOT_FOUND is the nearest of the five error codes: none means a method that is not allowed.",
  }),
  "http.request-bodies": statement("refusal", {
    says: "A body is read as JSON in UTF-8, with a byte order mark or without, whatever its Content-Type says; of a key that occurs twice the last value counts. More than 1048576 bytes, a Content-Encoding such as gzip, text that is not UTF-8, lists and objects nested more than 100 levels deep and a body that ends early are INVALID_REQUEST at the field body.",
    leavesOpen:
      "Request and response bodies are JSON: the header that says so, the encoding and the largest size are not shown.",
    because:
      "A missing header leaves no doubt about the content, while bytes that can be read in two ways do.",
  }),
  "http.versions": statement("form", {
    says: "The version is the one in the path; no header chooses another.",
    leavesOpen: "Versioning policy, deprecation and any header-based version selection: not shown.",
    because: "The paths are the only sign of a version that the interface shows.",
  }),
} as const;

export const authenticationAssumptions = {
  "auth.token-endpoint": statement("form", {
    says: "POST /oauth2/v2.0/token takes a form with grant_type client_credentials, the client's id and secret in the form or as HTTP Basic, and the scope api://app-order-prd, with or without /.default. It answers token_type, expires_in, ext_expires_in and access_token; its errors are OAuth error bodies.",
    leavesOpen: "How tokens are issued: not shown.",
    because:
      "One well-known identity provider names an application by a scope with api://, and this is its client-credentials request.",
  }),
  "auth.token-ttl": wallDuration("PT3599S", {
    says: "An issued token is valid for this long; the tokens of the fixtures never expire.",
    leavesOpen: "The token lifetime: not shown.",
    because:
      "Such a provider gives an hour minus a second, and a client has to renew its token as in production. It runs in wall time, so that advancing the clock by a month does not log every client out.",
  }),
  "auth.header": statement("form", {
    says: "The token travels as `Authorization: Bearer <token>`; a missing, unknown or expired token gives 401, with the header `www-authenticate: Bearer`.",
    leavesOpen: "The header that carries them: not shown.",
    because: "It is the header that OAuth 2 prescribes for bearer tokens.",
  }),
  "auth.scope-elsewhere": flag(true, {
    says: "Endpoints other than those the interface names need the scope api://app-order-prd too; a valid token without it gives 403. When false, they only need a valid token.",
    leavesOpen: "The scope required by endpoints other than those named in rule 1: not shown.",
    because: "The interface has one scope, and a client that always requests it works in both cases.",
  }),
  "auth.errors-everywhere": statement("form", {
    says: "Every endpoint answers 401 and 403, in its own error form, whether or not its list of errors has them.",
    leavesOpen: "The lists of errors leave 401 out for payouts, and 403 for refunds, orders and claims.",
    because: "Every endpoint checks the token and its scope, so every endpoint can refuse it.",
  }),
  "tenancy.foreign-resource": choice(["not-found", "forbidden"], {
    says: "Another company's resource is NOT_FOUND, or INVALID_REQUEST if the endpoint has no such error. With forbidden it is FORBIDDEN_ERROR, and only an unknown id is not found.",
    leavesOpen:
      "Account listing and similar endpoints act for the authenticated company: the answer to another company's id is not shown.",
    because: "An answer that distinguishes a foreign id from an unknown one would disclose that it exists.",
  }),
} as const;

export const payloadAssumptions = {
  "amounts.input": statement("refusal", {
    says: 'An amount is a string or a number greater than 0 with at most the decimals of its currency; answers always write all of them ("10.50").',
    leavesOpen:
      "value (string, decimal numeric string; a JSON number is also accepted on input): its range and its precision are not shown.",
    because: "No payment is of zero or less, and a third decimal could only be rounded silently.",
  }),
  "payloads.lengths": statement("refusal", {
    says: "Texts and numbers of requests have limits that docs and OpenAPI show: names 140 characters, external ids 128, descriptions and reasons 500, URLs 2048, PIX keys 77, ids in text 64, amounts ten digits before the point, installments 1 to 99, expiresIn up to 31536000 seconds. Text that must not be empty must not be blank either.",
    leavesOpen: "Request fields: string, number; of most of them neither a length nor a range is shown.",
    because:
      "They are the limits of the PIX scheme if it has one, and otherwise far above usual values; without them one request could fill a sandbox.",
  }),
  "payloads.null-fields": choice(["refuse", "absent"], {
    says: "null in a request field is INVALID_REQUEST, except in a payer of journey 2, which is always ignored. With absent, a null field counts as left out.",
    leavesOpen:
      "Request fields that are not required: whether null is the same as leaving them out is not shown.",
    because: "A null in place of a value is usually a mistake of the caller, and a refusal shows it.",
  }),
  "documents.validate": flag(true, {
    says: "The check digits of CPF and CNPJ have to be right, the CNPJ with letters included; CURP and RFC have to be of the right form. When false, only the form of each is checked.",
    leavesOpen: "Document object: type (string), number (string): what a valid number is: not shown.",
    because: "The institutions behind the platform refuse a number whose check digits are wrong.",
  }),
  "payloads.unknown-fields": choice(["ignore", "strict"], {
    says: "A field or query parameter that the interface does not have is ignored. If a query parameter is repeated, the first value counts. The header x-sandbox-warning of the answer names them. With strict, the request is refused.",
    leavesOpen:
      "Request bodies and query parameters: the treatment of names that are not listed is not shown.",
    because: "Ignoring them is what lets an interface grow; the warning still shows a misspelt name.",
  }),
  "idempotency.format": statement("refusal", {
    says: "On resend, cancel and refund the key is a UUID; on payouts and orders any 1 to 64 characters. It is required on orders too.",
    leavesOpen:
      "Required on resend confirmation code, cancel claim and refund (string, format uuid, at most 64 characters, a UUID recommended).",
    because:
      "The interface gives the format uuid to the first three only, and the limit of 64 to every operation that has the header.",
  }),
  "idempotency.replay": statement(["idempotency.retention"], {
    says: "The same key with the same body gives the first answer again, byte for byte, with the header `idempotency-replayed: true`. With another body it is INVALID_REQUEST, field idempotency-key, issue REUSED. A key belongs to a company and an operation; bodies are compared as parsed JSON; a refused request leaves its key free.",
    leavesOpen: "unique key for idempotent requests: what a repeated key answers is not shown.",
    because:
      "It makes it safe to repeat a request whose answer was lost, and it is the only outcome that hides no mistake of the caller.",
  }),
  "idempotency.retention": period("P1D", {
    says: "A key is remembered for this long after its first answer; then it counts as new.",
    leavesOpen: "unique key for idempotent requests: how long it stays so is not shown.",
    because: "A day outlasts every sensible chain of repeated requests.",
  }),
  "payloads.qrcode-images": statement("form", {
    says: "A QR code's image is a PNG in plain base64, without a data: prefix, of error correction level M.",
    leavesOpen: "qrcodeImageBase64 (string, base64 image): its format is shown for orders only.",
    because: "Subscriptions do the same as orders; a client can easily add a prefix.",
  }),
} as const;
