import { type ResourceApi, accountId, pathParameter, withoutNotFound } from "../operations.ts";

const claim = { of: "claim", id: "claimId", status: "status" };

const claimId = pathParameter("The claim.", "2b1a0c9d-8e7f-4a6b-9c5d-4e3f2a1b0c9d", "uuid");

/** The operations and events of PIX key claims, as the platform API describes them. */
export const claimApi = {
  operations: {
    createClaim: {
      method: "POST",
      path: "/order/v1/banking/accounts/{accountId}/keys/claims",
      tag: "PIX key claims",
      summary: "Claim a PIX key",
      description:
        "Opens a claim for the key of another holder or institution. Sends a confirmation code to the claimed e-mail or phone.",
      creates: true,
      parameters: { accountId },
      request: "CreateClaimRequest",
      response: "CreateClaimResponse",
      successStatus: 201,
      errors: withoutNotFound,
      assumption: "claim.endpoints",
    },
    confirmClaim: {
      method: "POST",
      path: "/order/v1/banking/accounts/{accountId}/keys/claims/confirm",
      tag: "PIX key claims",
      summary: "Confirm a claim with its code",
      description:
        "Sends the confirmation code back. The claim then goes to the institution that holds the key.",
      parameters: { accountId },
      request: "ConfirmCodeRequest",
      response: "Claim",
      errors: withoutNotFound,
      assumption: "claim.endpoints",
    },
    resendClaimCode: {
      method: "POST",
      path: "/order/v1/banking/accounts/{accountId}/keys/claims/resend",
      tag: "PIX key claims",
      summary: "Resend the confirmation code of a claim",
      description:
        "Sends a new code by e-mail or SMS for the same validationId. The previous code becomes invalid, and the count of attempts starts from zero. The number of codes per validation, and per account and day, is limited.",
      idempotencyKey: "uuid",
      parameters: { accountId },
      request: "ResendCodeRequest",
      response: "ClaimValidation",
      errors: withoutNotFound,
      assumedErrors: ["FORBIDDEN_ERROR"],
    },
    cancelClaim: {
      method: "POST",
      path: "/order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/cancel",
      tag: "PIX key claims",
      summary: "Cancel a claim requested by this account",
      description: "Withdraws a PENDING claim of this account. It needs no code and changes no key.",
      idempotencyKey: "uuid",
      parameters: { accountId, claimId },
      response: "Claim",
      errors: withoutNotFound,
      assumedErrors: ["FORBIDDEN_ERROR"],
    },
    requestDonorConfirmation: {
      method: "POST",
      path: "/order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm-request",
      tag: "PIX key claims",
      summary: "Request the donor's confirmation code",
      description:
        "Sends the confirmation code to the holder of the key, if someone else has claimed a key of this account.",
      parameters: { accountId, claimId },
      response: "ClaimValidation",
      errors: withoutNotFound,
      assumption: "claim.endpoints",
    },
    confirmDonor: {
      method: "POST",
      path: "/order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm",
      tag: "PIX key claims",
      summary: "Answer a claim as the donor",
      description: "Proves with the confirmation code that the holder of the claimed key answers the claim.",
      parameters: { accountId, claimId },
      request: "ConfirmCodeRequest",
      response: "Claim",
      errors: withoutNotFound,
      assumption: "claim.endpoints",
    },
  },
  statuses: {
    CreateClaimResponse: [claim],
    Claim: [claim],
  },
} as const satisfies ResourceApi;
