import { choice, count, flag, period, statement } from "./assumption.ts";

export const claimAssumptions = {
  "claim.endpoints": statement("form", {
    says: "POST …/keys/claims takes {type: OWNERSHIP or PORTABILITY, key: {type, value}} and gives {claimId, validationId, status, expiresAt}; POST …/keys/claims/confirm takes {validationId, code}. The donor has POST …/keys/claims/{claimId}/confirm-request and POST …/keys/claims/{claimId}/confirm.",
    leavesOpen:
      "Request and response shapes of claim creation (POST .../keys/claims), confirm-request and confirm endpoints: not shown.",
    because:
      "The shapes use the fields of Claim and Validation, and the two types of claims of the key directory.",
  }),
  "claim.key-types": statement("scheme", {
    says: "OWNERSHIP claims the PHONE of another person, or with claim.email-ownership an EMAIL. PORTABILITY moves an EMAIL, a PHONE, a CPF or a CNPJ of the same holder here from another institution. A RANDOM key, and a key that the account already has, cannot be claimed.",
    leavesOpen:
      "Claim creation (POST .../keys/claims): the claimable keys and the possible claimers are not shown.",
    because:
      "These are the rules of the key directory: a document belongs to its holder, and a random key to its account.",
  }),
  "claim.email-ownership": choice(["refuse", "accept"], {
    says: "An EMAIL cannot be claimed by OWNERSHIP: INVALID_REQUEST, field type, issue NOT_ALLOWED. With accept it can be claimed like a PHONE. PORTABILITY of an EMAIL is always possible.",
    leavesOpen:
      "resends the confirmation code (for example when the e-mail or SMS did not arrive): the claimable keys and their claimers are not shown.",
    because:
      "Since 6 March 2025 an e-mail key can no longer change its owner in PIX. Some platforms may still have the earlier rule.",
  }),
  "claim.canceled-status": statement("form", {
    says: "A cancelled claim is CANCELED. Only a PENDING claim can be cancelled; otherwise the request is INVALID_REQUEST.",
    leavesOpen:
      "The status that a cancelled claim takes: not shown. Behaviour when the claim is not PENDING: not shown.",
    because:
      "Every other resource of the platform API uses this spelling. INVALID_REQUEST is the only fitting error of the endpoint.",
  }),
  "claim.answer": statement("states", {
    says: "A claim is PENDING until it is COMPLETED (the key moves to the claimer's account), DENIED or CANCELED. After its code is confirmed, the holder of the key decides, within claim.resolution-period and claim.completion-period. If the holder has an account in the sandbox, that account has the claim with the same claimId.",
    leavesOpen: "A claim and a validation have status PENDING. The other states are not shown.",
    because: "In the platform API an open claim is PENDING, before and after the confirmation of its code.",
  }),
  "claim.resolution-period": period("P7D", {
    says: "If the donor does not answer a PORTABILITY claim for this time after its creation, the claim is CANCELED. Any claim with an unconfirmed code is also CANCELED at that time.",
    leavesOpen: "A claim and a validation have status PENDING: the end of this status is not shown.",
    because: "It is the resolution period of the key directory. After it a silent donor keeps the key.",
  }),
  "claim.completion-period": period("P14D", {
    says: "A confirmed OWNERSHIP claim is COMPLETED this time after its creation, unless the holder denies it. The act claim.complete is refused before the confirmation, unless it has force: true.",
    leavesOpen: "A claim and a validation have status PENDING: the end of this status is not shown.",
    because: "It is the completion period of the key directory: a silent holder no longer uses the key.",
  }),
  "claim.donor-confirmation": choice(["DENIED", "COMPLETED"], {
    says: "If the holder of a claimed key sends the code of confirm-request, the claim is DENIED and the key stays. With COMPLETED the key moves instead.",
    leavesOpen:
      "To reject a claim that someone else opened against a key owned by this account, the donor confirm-request and confirm endpoints are used instead. The effect of the confirmation on the claim is not shown.",
    because:
      "The sentence names the two endpoints as the way to reject. A holder who proves access to the e-mail or phone keeps the key.",
  }),
  "claim.unknown-key": choice(["accept", "reject"], {
    says: "A key that is missing in the sandbox's directory can be claimed, like the key of another person at another institution. With reject the answer is INVALID_REQUEST, field key.value, issue NOT_FOUND.",
    leavesOpen: "Request and response shapes of claim creation (POST .../keys/claims): not shown.",
    because:
      "The fixtures cannot have the keys of a whole country, and a claim is about the key of another person.",
  }),
  "claim.one-per-key": flag(false, {
    says: "Several claims for one key can be PENDING at the same time. The first completed claim gets the key, and the others are DENIED. With true a second claim is INVALID_REQUEST, field key.value, issue ALREADY_EXISTS.",
    leavesOpen: "Claim creation (POST .../keys/claims): not shown.",
    because:
      "The platform API does not name this limit, but the national directory has it. A test can set it.",
  }),
  "claim.issues": statement("refusal", {
    says: "An unknown claim or validation, or one of another account, is INVALID_REQUEST with the issue INVALID at its field. If it is no longer PENDING, the issue is NOT_PENDING. A wrong code has the field code and the issue INVALID, and is counted. A code that is too old or was tried too often has the issue EXPIRED. A reached limit has the issue LIMIT_REACHED, at validationId for resends and at accountId for the codes of a day.",
    leavesOpen: "Errors: invalid request, unauthorized, internal. Their fields and issues are not shown.",
    because: "The endpoints have no 404 and no 409, so the field and the issue name the case.",
  }),
  "claim.inbox": statement("sandbox", {
    says: "Codes go to the claimed e-mail or phone, and for a CPF or CNPJ to the e-mail of the account's holder. GET /sandbox/inbox shows them.",
    leavesOpen:
      "resends the confirmation code (for example when the e-mail or SMS did not arrive): the target of the code for a document is not shown.",
    because: "A message cannot be sent to a CPF, and a test must be able to read the code.",
  }),
  "claim.events": statement("silence", {
    says: "Claims send no webhooks.",
    leavesOpen: "Events emitted by PIX key claims: not shown.",
    because: "A receiver cannot be expected to understand an undocumented event.",
  }),
  "claim.resends": count(3, [0, 1000], {
    says: "The code of a validation can be sent again this many times.",
    leavesOpen: "Number of resends per validation and the daily dispatch value: not shown.",
    because: "Three is enough for a lost message, and a test reaches it quickly.",
  }),
  "claim.daily-dispatches": count(10, [1, 100_000], {
    says: "An account sends at most this many codes in one day of Brasília. The first code of a claim counts too.",
    leavesOpen: "daily dispatch of confirmation codes: limited per account.",
    because: "It is enough for two claims with all their resends, and a test reaches it quickly.",
  }),
  "claim.code-ttl": period("PT10M", {
    says: "A confirmation code is valid for this time after it was sent (expiresAt).",
    leavesOpen: "expiresAt (string, required; expiry of the confirmation code): how far ahead is not shown.",
    because: "Ten minutes is a usual validity for a code sent by e-mail or SMS.",
  }),
  "claim.attempts": count(3, [1, 1000], {
    says: "A code can be tried this many times. A resend starts the count again.",
    leavesOpen: "confirmation attempts are reset: how many there are is not shown.",
    because: "Three attempts allow for a typing error and stop guessing.",
  }),
} as const;
