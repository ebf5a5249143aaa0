import { choice, flag, period, statement, wallDuration } from "./assumption.ts";

export const httpAssumptions = {
  "http.statuses": choice(["created-201", "created-200"], {
    says: "A POST that creates something answers 201, and every other success is 200. INVALID_REQUEST is 400, UNAUTHORIZED 401, FORBIDDEN_ERROR 403, NOT_FOUND 404 and INTERNAL_ERROR 500. With created-200 a POST that creates something answers 200 as well.",
    leavesOpen: "Numeric HTTP status codes for each error: not shown.",
    because: "Each error code names the HTTP status that has the same meaning.",
  }),
  "http.statuses-of-actions": choice(["200", "201"], {
    says: "A POST that creates no resource (resend, cancel, confirm, rotate) answers 200. With 201 it answers like a POST that creates a resource.",
    leavesOpen: "Numeric HTTP status codes: shown for no operation.",
    because: "201 promises a new resource, and these calls change an existing resource.",
  }),
  "http.error-bodies": statement("form", {
    says: "Errors of payouts and transparent orders have the common body of error, message and details. A transparent order also has NOT_FOUND.",
    leavesOpen: "Error body shapes of payout creation and transparent order creation: not shown.",
    because: "A client that already reads the common body needs no second parser.",
  }),
  "http.rate-limits": statement("byHand", {
    says: "The rate of requests is not limited; a fault on the API can answer 429.",
    leavesOpen: "Rate limits: not shown.",
    because: "An invented limit would fail test suites that pass against the platform.",
  }),
  "http.paths": statement("refusal", {
    says: "An unknown path, or an unknown method of a path, is NOT_FOUND with a message that names it. Paths must match exactly, also a slash at the end. HEAD is answered like GET, without the body.",
    leavesOpen: "The answer to a request for an unknown endpoint: not shown.",
    because:
      "NOT_FOUND is the nearest of the five error codes. The codes do not include one for a wrong method.",
  }),
  "http.request-bodies": statement("refusal", {
    says: "A body is read as JSON in UTF-8, with or without a byte order mark and with any Content-Type. If a key occurs twice, its last value counts. A body is INVALID_REQUEST at the field body if it has more than 1048576 bytes, has a Content-Encoding such as gzip, is not UTF-8, is nested deeper than 100 levels, or ends early.",
    leavesOpen:
      "Request and response bodies are JSON: the header that says so, the encoding and the largest size are not shown.",
    because: "The content is clear without the header. Bytes with two possible readings are not clear.",
  }),
  "http.versions": statement("form", {
    says: "The path selects the version. A header cannot select another version.",
    leavesOpen: "Versioning policy, deprecation and any header-based version selection: not shown.",
    because: "The paths are the only sign of a version that the platform API shows.",
  }),
} as const;

export const authenticationAssumptions = {
  "auth.token-endpoint": statement("form", {
    says: "POST /oauth2/v2.0/token takes a form with grant_type client_credentials, the client's id and secret in the form or as HTTP Basic, and the scope api://app-order-prd, with or without /.default. It answers token_type, expires_in, ext_expires_in and access_token; its errors are OAuth error bodies.",
    leavesOpen: "How tokens are issued: not shown.",
    because:
      "A well-known identity provider names an application by a scope with api://. Its client-credentials request has this form.",
  }),
  "auth.token-ttl": wallDuration("PT3599S", {
    says: "An issued token is valid for this time. The tokens of the fixtures never expire.",
    leavesOpen: "The token lifetime: not shown.",
    because:
      "The same identity provider gives an hour minus a second. So a client must renew its token as in production. The lifetime runs in wall time: an advance of a month does not log out every client.",
  }),
  "auth.header": statement("form", {
    says: "The token is sent as `Authorization: Bearer <token>`. A missing, unknown or expired token gives 401, with the header `www-authenticate: Bearer`.",
    leavesOpen: "The header that carries them: not shown.",
    because: "OAuth 2 prescribes this header for bearer tokens.",
  }),
  "auth.scope-elsewhere": flag(true, {
    says: "All endpoints need the scope api://app-order-prd, also the endpoints that the platform API does not name. A valid token without the scope gives 403. With false, the unnamed endpoints need only a valid token.",
    leavesOpen: "The scope required by endpoints other than those named in rule 1: not shown.",
    because: "The platform API has one scope, and a client that always requests it works in both cases.",
  }),
  "auth.errors-everywhere": statement("form", {
    says: "Every endpoint can answer 401 and 403, in its own error form, even if its list of errors does not have them.",
    leavesOpen: "The lists of errors leave 401 out for payouts, and 403 for refunds, orders and claims.",
    because: "Every endpoint checks the token and its scope, so every endpoint can refuse it.",
  }),
  "tenancy.foreign-resource": choice(["not-found", "forbidden"], {
    says: "Another company's resource is NOT_FOUND, or INVALID_REQUEST if the endpoint has no such error. With forbidden it is FORBIDDEN_ERROR, and only an unknown id is not found.",
    leavesOpen:
      "Account listing and similar endpoints act for the authenticated company: the answer to another company's id is not shown.",
    because:
      "Different answers for a foreign id and an unknown id would disclose that the foreign id exists.",
  }),
} as const;

export const payloadAssumptions = {
  "amounts.input": statement("refusal", {
    says: 'An amount is a string or a number greater than 0 with at most the decimals of its currency. Answers always have all decimals ("10.50").',
    leavesOpen:
      "value (string, decimal numeric string; a JSON number is also accepted on input): its range and its precision are not shown.",
    because: "A payment is always above zero, and a third decimal would have to be rounded silently.",
  }),
  "payloads.lengths": statement("refusal", {
    says: "Texts and numbers of requests have limits. Characters: names 140, external ids 128, descriptions and reasons 500, URLs 2048, PIX keys 77, ids in text 64. Numbers: amounts ten digits before the point, installments 1 to 99, expiresIn up to 31536000 seconds. A required text must not be blank.",
    leavesOpen: "Request fields: string, number; of most of them neither a length nor a range is shown.",
    because:
      "The limits are those of the PIX scheme. If the scheme has no limit, the limit is far above usual values. Without limits one request could fill a sandbox.",
  }),
  "payloads.null-fields": choice(["refuse", "absent"], {
    says: "null in a request field is INVALID_REQUEST. Only a payer of journey 2 can contain null, because it is ignored. With absent, a null field counts as absent.",
    leavesOpen:
      "Request fields that are not required: whether null is the same as leaving them out is not shown.",
    because: "A null in place of a value is usually a mistake of the caller, and a refusal shows it.",
  }),
  "documents.validate": flag(true, {
    says: "The check digits of CPF and CNPJ must be right, also of a CNPJ with letters. CURP and RFC must have the right form. With false, only the form of each document is checked.",
    leavesOpen: "Document object: type (string), number (string): the rules of a valid number are not shown.",
    because: "The institutions behind the platform refuse a number with wrong check digits.",
  }),
  "payloads.unknown-fields": choice(["ignore", "strict"], {
    says: "A field or query parameter that the platform API does not have is ignored. If a query parameter is repeated, the first value counts. The header x-sandbox-warning of the answer names them. With strict, the request is refused.",
    leavesOpen:
      "Request bodies and query parameters: the treatment of names that are not listed is not shown.",
    because: "An API can grow if servers ignore unknown fields. The warning still shows a misspelt name.",
  }),
  "idempotency.format": statement("refusal", {
    says: "On resend, cancel and refund the key is a UUID. On payouts and orders it has any 1 to 64 characters. It is required on orders too.",
    leavesOpen:
      "Required on resend confirmation code, cancel claim and refund (string, format uuid, at most 64 characters, a UUID recommended).",
    because:
      "The platform API gives the format uuid to the first three only, and the limit of 64 to every operation that has the header.",
  }),
  "idempotency.replay": statement(["idempotency.retention"], {
    says: "The same key with the same body gives the first answer again, byte for byte, with the header `idempotency-replayed: true`. The same key with another body is INVALID_REQUEST, field idempotency-key, issue REUSED. A key belongs to a company and an operation. Bodies are compared as parsed JSON. A refused request leaves its key free.",
    leavesOpen: "unique key for idempotent requests: the answer to a repeated key is not shown.",
    because:
      "A client can safely repeat a request with a lost answer, and mistakes of the caller still show.",
  }),
  "idempotency.retention": period("P1D", {
    says: "A key is remembered for this time after its first answer. Then it counts as new.",
    leavesOpen: "unique key for idempotent requests: how long it stays so is not shown.",
    because: "A day outlasts every sensible chain of repeated requests.",
  }),
  "payloads.qrcode-images": statement("form", {
    says: "The image of a QR code is a PNG in plain base64, without a data: prefix. Its error correction level is M.",
    leavesOpen: "qrcodeImageBase64 (string, base64 image): its format is shown for orders only.",
    because: "Subscriptions do the same as orders. A client can easily add a prefix.",
  }),
} as const;
