import { flag, statement, wallDuration } from "./assumption.ts";

export const authenticationAssumptions = {
  "auth.token-endpoint": statement({
    says: "POST /oauth2/v2.0/token takes a form with grant_type client_credentials, the client's id and secret in the form or as HTTP Basic, and the scope api://app-order-prd, with or without /.default. It answers token_type, expires_in, ext_expires_in and access_token; its errors are OAuth error bodies.",
    leavesOpen: "How tokens are issued: not shown.",
    because:
      "A scope written as api:// is how one well-known identity provider names an application, and this is the client-credentials request that it takes.",
  }),
  "auth.token-ttl": wallDuration("PT3599S", {
    says: "A token that was issued is good for this long; the tokens of the fixtures never expire.",
    leavesOpen: "The token lifetime: not shown.",
    because:
      "An hour less a second is what such a provider gives, and a client has to renew as it will in earnest. It runs in wall time, so that advancing a month does not log everyone out.",
  }),
  "auth.header": statement({
    says: "The token travels as `Authorization: Bearer <token>`; one that is missing, unknown or expired gives 401, with the header `www-authenticate: Bearer`.",
    leavesOpen: "The header that carries them: not shown.",
    because: "It is the header that OAuth 2 prescribes for bearer tokens.",
  }),
  "auth.scope-elsewhere": flag(true, {
    says: "Endpoints other than those the interface names need the scope api://app-order-prd too; a good token without it gives 403. When false, they need a good token only.",
    leavesOpen: "The scope required by endpoints other than those named in rule 1: not shown.",
    because: "The interface knows one scope, and a client that asks for it everywhere is right either way.",
  }),
  "auth.errors-everywhere": statement({
    says: "Every endpoint answers 401 and 403, in its own error form, whether or not its list of errors has them.",
    leavesOpen: "The lists of errors leave 401 out for payouts, and 403 for refunds, orders and claims.",
    because: "Every endpoint checks the token and its scope, so every endpoint can refuse it.",
  }),
  "tenancy.foreign-resource": statement({
    says: "Another company's resource is NOT_FOUND; where an endpoint has no such error, INVALID_REQUEST.",
    leavesOpen:
      "Account listing and similar endpoints act for the authenticated company: the answer to another company's id is not shown.",
    because: "An answer that tells a foreign id from an unknown one gives away that it exists.",
  }),
} as const;
