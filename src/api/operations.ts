import type { ErrorCode, ShapeName } from "./generated/shapes.ts";
import type { Schema } from "./schemas.ts";

export type { ShapeName } from "./generated/shapes.ts";

/** A path parameter: a schema with the words that explain it. */
export interface PathParameter extends Schema {
  readonly type: "string";
  readonly description: string;
  readonly examples: readonly [string];
}

/** One endpoint of the interface, as data: what routes, contracts, OpenAPI and scenarios all read. */
export interface Operation {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT";
  /** The path below the base address, its parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Whether a bearer token is needed. */
  readonly authenticated: boolean;
  /** Whether the interface itself asks for the scope (Authentication, rule 1); elsewhere `auth.scope-elsewhere` decides. */
  readonly scoped?: true;
  /** The form of the idempotency key, where one is required: a UUID, or any 1 to 64 characters. */
  readonly idempotencyKey?: "uuid" | "text";
  readonly parameters: { readonly [name: string]: PathParameter };
  readonly query?: ShapeName;
  readonly request?: ShapeName;
  readonly response: ShapeName;
  readonly successStatus: 200 | 201;
  readonly errors: readonly ErrorCode[];
  /** Those of `errors` that the interface does not name for this endpoint. */
  readonly assumedErrors: readonly ErrorCode[];
  /** Common: the ErrorBody. Sentences: an array of strings. OAuth: the OAuthErrorBody. */
  readonly errorForm: "common" | "sentences" | "oauth";
  /** The assumption that the path or its shapes rest on, where the interface shows none. */
  readonly assumption?: string;
}

const accountId = {
  type: "string",
  format: "uuid",
  description: "The account, which belongs to the authenticated company.",
  examples: ["11111111-1111-4111-8111-111111111111"],
} as const satisfies PathParameter;

const claimId = {
  type: "string",
  format: "uuid",
  description: "The claim.",
  examples: ["2b1a0c9d-8e7f-4a6b-9c5d-4e3f2a1b0c9d"],
} as const satisfies PathParameter;

const subscriptionId = {
  type: "string",
  format: "uuid",
  description: "The subscription.",
  examples: ["3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01"],
} as const satisfies PathParameter;

const everyError = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN_ERROR",
  "NOT_FOUND",
  "INTERNAL_ERROR",
] as const;
const withoutNotFound = ["INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"] as const;

/** Every operation of the interface by its id (interface: Endpoints). */
export const operations = {
  issueToken: {
    operationId: "issueToken",
    method: "POST",
    path: "/oauth2/v2.0/token",
    tag: "Authentication",
    summary: "Issue an access token",
    description:
      "OAuth 2.0 client credentials: the form-encoded client id and secret, in the body or as HTTP Basic, give a bearer token for the scope api://app-order-prd.",
    authenticated: false,
    parameters: {},
    request: "TokenRequest",
    response: "TokenResponse",
    successStatus: 200,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", "INTERNAL_ERROR"],
    assumedErrors: ["INVALID_REQUEST", "UNAUTHORIZED", "INTERNAL_ERROR"],
    errorForm: "oauth",
    assumption: "auth.token-endpoint",
  },
  createSubscription: {
    operationId: "createSubscription",
    method: "POST",
    path: "/order/v1/banking/subscriptions",
    tag: "Subscriptions",
    summary: "Create a subscription QR code",
    description:
      "Creates a recurring-payment subscription and the QR code that its payer reads. Journey 2 authorizes only; journey 3 settles a first charge in the same reading.",
    authenticated: true,
    scoped: true,
    parameters: {},
    request: "CreateSubscriptionRequest",
    response: "CreateSubscriptionResponse",
    successStatus: 201,
    errors: everyError,
    assumedErrors: [],
    errorForm: "common",
  },
  getSubscription: {
    operationId: "getSubscription",
    method: "GET",
    path: "/order/v1/banking/subscriptions/{id}",
    tag: "Subscriptions",
    summary: "Get a subscription",
    description: "Reads a subscription with its history and the requests to cancel it.",
    authenticated: true,
    scoped: true,
    parameters: { id: subscriptionId },
    response: "Subscription",
    successStatus: 200,
    errors: everyError,
    assumedErrors: [],
    errorForm: "common",
  },
  createScheduledPayment: {
    operationId: "createScheduledPayment",
    method: "PUT",
    path: "/public/v1/banking/subscriptions/{id}/payments",
    tag: "Subscriptions",
    summary: "Create a charge of a subscription",
    description:
      "Schedules a charge of an accepted subscription. Sending the same externalId and body again gives the same answer.",
    authenticated: true,
    parameters: { id: subscriptionId },
    request: "CreateScheduledPaymentRequest",
    response: "CreateScheduledPaymentResponse",
    successStatus: 200,
    errors: everyError,
    assumedErrors: everyError,
    errorForm: "common",
    assumption: "charge.endpoint",
  },
  createClaim: {
    operationId: "createClaim",
    method: "POST",
    path: "/order/v1/banking/accounts/{accountId}/keys/claims",
    tag: "PIX key claims",
    summary: "Claim a PIX key",
    description:
      "Opens a claim for a key that someone else registered and sends a confirmation code to the claimed e-mail or phone.",
    authenticated: true,
    parameters: { accountId },
    request: "CreateClaimRequest",
    response: "CreateClaimResponse",
    successStatus: 201,
    errors: withoutNotFound,
    assumedErrors: withoutNotFound,
    errorForm: "common",
    assumption: "claim.endpoints",
  },
  confirmClaim: {
    operationId: "confirmClaim",
    method: "POST",
    path: "/order/v1/banking/accounts/{accountId}/keys/claims/confirm",
    tag: "PIX key claims",
    summary: "Confirm a claim with its code",
    description:
      "Sends back the confirmation code, so that the claim goes to the institution that holds the key.",
    authenticated: true,
    parameters: { accountId },
    request: "ConfirmCodeRequest",
    response: "Claim",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: withoutNotFound,
    errorForm: "common",
    assumption: "claim.endpoints",
  },
  resendClaimCode: {
    operationId: "resendClaimCode",
    method: "POST",
    path: "/order/v1/banking/accounts/{accountId}/keys/claims/resend",
    tag: "PIX key claims",
    summary: "Resend the confirmation code of a claim",
    description:
      "Sends a new code by e-mail or SMS under the same validationId. The previous code is invalidated and the confirmation attempts are reset. Resends per validation and dispatches per account and day are limited.",
    authenticated: true,
    idempotencyKey: "uuid",
    parameters: { accountId },
    request: "ResendCodeRequest",
    response: "ClaimValidation",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: ["FORBIDDEN_ERROR"],
    errorForm: "common",
  },
  cancelClaim: {
    operationId: "cancelClaim",
    method: "POST",
    path: "/order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/cancel",
    tag: "PIX key claims",
    summary: "Cancel a claim requested by this account",
    description:
      "Withdraws a claim that this account requested, while it is PENDING. No code is needed, and no key is released or moved.",
    authenticated: true,
    idempotencyKey: "uuid",
    parameters: { accountId, claimId },
    response: "Claim",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: ["FORBIDDEN_ERROR"],
    errorForm: "common",
  },
  requestDonorConfirmation: {
    operationId: "requestDonorConfirmation",
    method: "POST",
    path: "/order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm-request",
    tag: "PIX key claims",
    summary: "Ask for the donor's confirmation code",
    description:
      "For a claim that someone else opened against a key of this account: sends the confirmation code to the holder of the key.",
    authenticated: true,
    parameters: { accountId, claimId },
    response: "ClaimValidation",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: withoutNotFound,
    errorForm: "common",
    assumption: "claim.endpoints",
  },
  confirmDonor: {
    operationId: "confirmDonor",
    method: "POST",
    path: "/order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm",
    tag: "PIX key claims",
    summary: "Answer a claim as the donor",
    description: "Proves with the confirmation code that the holder of the claimed key answers the claim.",
    authenticated: true,
    parameters: { accountId, claimId },
    request: "ConfirmCodeRequest",
    response: "Claim",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: withoutNotFound,
    errorForm: "common",
    assumption: "claim.endpoints",
  },
  refundOrder: {
    operationId: "refundOrder",
    method: "PUT",
    path: "/order/v2/refund",
    tag: "Refunds",
    summary: "Refund an order",
    description:
      "Gives back the money of a paid order, whole or in part. The outcome comes by the pay-in refund webhook. Error bodies are arrays of sentences.",
    authenticated: true,
    scoped: true,
    idempotencyKey: "uuid",
    parameters: {},
    request: "RefundRequest",
    response: "Refund",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: ["FORBIDDEN_ERROR"],
    errorForm: "sentences",
  },
  createPayout: {
    operationId: "createPayout",
    method: "POST",
    path: "/order/v1/banking/order-payouts",
    tag: "Payouts",
    summary: "Create a banking payout",
    description:
      "Pays by PIX or TED from a company account, to a key, a QR code or an account written out by hand. The outcome comes by the payout webhook.",
    authenticated: true,
    idempotencyKey: "text",
    parameters: {},
    request: "CreatePayoutRequest",
    response: "Payout",
    successStatus: 201,
    errors: withoutNotFound,
    assumedErrors: ["UNAUTHORIZED"],
    errorForm: "common",
  },
  createTransparentOrder: {
    operationId: "createTransparentOrder",
    method: "PUT",
    path: "/order/v2/transparent",
    tag: "Orders",
    summary: "Create a transparent order",
    description:
      "Creates an order that has no screen for the customer: the answer carries whatever the payment method gives to pay with.",
    authenticated: true,
    scoped: true,
    idempotencyKey: "text",
    parameters: {},
    request: "CreateTransparentOrderRequest",
    response: "TransparentOrder",
    successStatus: 200,
    errors: everyError,
    assumedErrors: ["FORBIDDEN_ERROR"],
    errorForm: "common",
  },
  createTransparentOrderV3: {
    operationId: "createTransparentOrderV3",
    method: "PUT",
    path: "/order/v3/transparent",
    tag: "Orders",
    summary: "Create a transparent order whose PIX amount may be open",
    description: "As on v2, except that a PIX order may leave its amount to the payer.",
    authenticated: true,
    scoped: true,
    idempotencyKey: "text",
    parameters: {},
    request: "CreateTransparentOrderV3Request",
    response: "TransparentOrder",
    successStatus: 200,
    errors: everyError,
    assumedErrors: everyError,
    errorForm: "common",
    assumption: "order.v3",
  },
  listAccounts: {
    operationId: "listAccounts",
    method: "GET",
    path: "/order/v1/banking/accounts",
    tag: "Accounts",
    summary: "List accounts",
    description: "Lists the company's banking accounts page by page. Balances are not included.",
    authenticated: true,
    parameters: {},
    query: "ListAccountsQuery",
    response: "AccountList",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: [],
    errorForm: "common",
  },
  getAccountBalance: {
    operationId: "getAccountBalance",
    method: "GET",
    path: "/order/v1/banking/accounts/{accountId}/balance",
    tag: "Accounts",
    summary: "Get the balance of an account",
    description: "Reads what the account can spend now, in BRL.",
    authenticated: true,
    parameters: { accountId },
    response: "AccountBalance",
    successStatus: 200,
    errors: everyError,
    assumedErrors: [],
    errorForm: "common",
  },
  listUndeliveredEvents: {
    operationId: "listUndeliveredEvents",
    method: "GET",
    path: "/order/v1/webhook/events",
    tag: "Webhooks",
    summary: "List webhook events that were not delivered",
    description: "Lists the company's events whose every delivery attempt failed, page by page.",
    authenticated: true,
    parameters: {},
    query: "ListUndeliveredEventsQuery",
    response: "UndeliveredEventList",
    successStatus: 200,
    errors: withoutNotFound,
    assumedErrors: [],
    errorForm: "common",
  },
  getWebhook: {
    operationId: "getWebhook",
    method: "GET",
    path: "/order/v1/webhook",
    tag: "Webhooks",
    summary: "Read the webhook configuration",
    description: "Reads where the company's webhooks go and the secret that signs them.",
    authenticated: true,
    parameters: {},
    response: "WebhookConfiguration",
    successStatus: 200,
    errors: ["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
    assumedErrors: ["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
    errorForm: "common",
    assumption: "webhook.config",
  },
  rotateWebhookSecret: {
    operationId: "rotateWebhookSecret",
    method: "POST",
    path: "/order/v1/webhook/rotate-secret",
    tag: "Webhooks",
    summary: "Rotate the webhook secret",
    description: "Makes a new secret. The old one stops signing at once, retries included.",
    authenticated: true,
    parameters: {},
    response: "WebhookConfiguration",
    successStatus: 200,
    errors: ["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
    assumedErrors: ["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
    errorForm: "common",
    assumption: "webhook.config",
  },
  listDepositBanks: {
    operationId: "listDepositBanks",
    method: "GET",
    path: "/v1/orders/deposit/banks",
    tag: "Orders",
    summary: "List the banks that take deposits",
    description: "Lists the banks that a DEPOSIT order may name by bankSlug.",
    authenticated: true,
    parameters: {},
    response: "DepositBankList",
    successStatus: 200,
    errors: ["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
    assumedErrors: ["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
    errorForm: "common",
    assumption: "order.deposit-banks",
  },
} as const satisfies Record<string, Operation>;

/** The name by which contracts, scenarios and clients call an endpoint. */
export type OperationId = keyof typeof operations;

/** The operation of that id, in the general form that code for all operations reads. */
export function operationOf(operationId: OperationId): Operation {
  return operations[operationId];
}

/** The status of every error (assumption: http.statuses). */
export const errorStatuses = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN_ERROR: 403,
  NOT_FOUND: 404,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>;
