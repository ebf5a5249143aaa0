import { choice, count, flag, period, statement } from "./assumption.ts";

export const claimAssumptions = {
  "claim.endpoints": statement("form", {
    says: "POST …/keys/claims takes {type: OWNERSHIP or PORTABILITY, key: {type, value}} and gives {claimId, validationId, status, expiresAt}; POST …/keys/claims/confirm takes {validationId, code}. The donor has POST …/keys/claims/{claimId}/confirm-request and POST …/keys/claims/{claimId}/confirm.",
    leavesOpen:
      "Request and response shapes of claim creation (POST .../keys/claims), confirm-request and confirm endpoints: not shown.",
    because:
      "They are built from the fields of Claim and Validation and from the two types of claim that the key directory knows.",
  }),
  "claim.key-types": statement("scheme", {
    says: "OWNERSHIP takes a PHONE of another person, and an EMAIL only under claim.email-ownership; PORTABILITY brings an EMAIL, a PHONE, a CPF or a CNPJ of the account's own holder from another institution. A RANDOM key cannot be claimed, nor a key that the account has already.",
    leavesOpen:
      "Claim creation (POST .../keys/claims): which keys can be claimed, and by whom, is not shown.",
    because:
      "They are the rules of the key directory: a document belongs to its holder, and a random key to its account.",
  }),
  "claim.email-ownership": choice(["refuse", "accept"], {
    says: "An EMAIL cannot be claimed by OWNERSHIP: INVALID_REQUEST, field type, issue NOT_ALLOWED. With accept it can, as a PHONE can. PORTABILITY of an EMAIL is possible in either case.",
    leavesOpen:
      "resends the confirmation code (for example when the e-mail or SMS did not arrive): which keys can be claimed by whom is not shown.",
    because:
      "Since 6 March 2025 the rules of PIX no longer let an e-mail key change its owner; before that they did, and a platform may not have followed yet.",
  }),
  "claim.canceled-status": statement("form", {
    says: "A cancelled claim is CANCELED; cancelling a claim in another status than PENDING is INVALID_REQUEST.",
    leavesOpen:
      "The status that a cancelled claim takes: not shown. Behaviour when the claim is not PENDING: not shown.",
    because:
      "Every other resource of the interface spells it so, and INVALID_REQUEST is the only fitting error that the endpoint lists.",
  }),
  "claim.answer": statement("states", {
    says: "A claim is PENDING until it is COMPLETED (the key moves to the claimer's account), DENIED or CANCELED. Once its code is confirmed, the holder of the key decides, within the periods of claim.resolution-period and claim.completion-period. If the holder has an account of the sandbox, that account has the claim under the same claimId.",
    leavesOpen: "A claim and a validation have status PENDING. The other states are not shown.",
    because: "For the interface an open claim is PENDING, before and after its code is confirmed.",
  }),
  "claim.resolution-period": period("P7D", {
    says: "A PORTABILITY claim that its donor leaves unanswered for this long after its creation is CANCELED, and so is any claim whose code did not come back by then.",
    leavesOpen: "A claim and a validation have status PENDING: until when is not shown.",
    because:
      "It is the resolution period of the key directory; after it a donor that is silent keeps the key.",
  }),
  "claim.completion-period": period("P14D", {
    says: "An OWNERSHIP claim whose code came back is COMPLETED, if its holder has not denied it, this long after its creation. The act claim.complete before the code came back is refused, unless it has force: true.",
    leavesOpen: "A claim and a validation have status PENDING: until when is not shown.",
    because:
      "It is the completion period of the key directory: a holder who is silent no longer uses the key.",
  }),
  "claim.donor-confirmation": choice(["DENIED", "COMPLETED"], {
    says: "When the holder of a claimed key sends the code of confirm-request, the claim is DENIED and the key stays; with COMPLETED the key moves instead.",
    leavesOpen:
      "To reject a claim that someone else opened against a key owned by this account, the donor confirm-request and confirm endpoints are used instead. What the confirmation does to the claim is not shown.",
    because:
      "The sentence names the two endpoints as the way to reject: a holder who proves access to the e-mail or phone keeps the key.",
  }),
  "claim.unknown-key": choice(["accept", "reject"], {
    says: "A key that the sandbox's directory does not have can be claimed, like a key that another person registered elsewhere; reject answers INVALID_REQUEST, field key.value, issue NOT_FOUND.",
    leavesOpen: "Request and response shapes of claim creation (POST .../keys/claims): not shown.",
    because:
      "The keys of a whole country do not fit into fixtures, and a claim is about a key of another person.",
  }),
  "claim.one-per-key": flag(false, {
    says: "Several claims for one key may be PENDING at once; the first to be completed gets it, and the others are DENIED. When true, a second one is INVALID_REQUEST, field key.value, issue ALREADY_EXISTS.",
    leavesOpen: "Claim creation (POST .../keys/claims): not shown.",
    because:
      "The interface names no such limit; the national directory has it, and a test that needs it can set it.",
  }),
  "claim.issues": statement("refusal", {
    says: "A claim or validation that is unknown or belongs to another account is INVALID_REQUEST at the field that names it, issue INVALID. If it is no longer PENDING, the issue is NOT_PENDING. A wrong code is field code, issue INVALID, and is counted; a code that is too old or was tried too often has the issue EXPIRED. A limit that is reached has the issue LIMIT_REACHED, at validationId for resends and at accountId for a day's codes.",
    leavesOpen:
      "Errors: invalid request, unauthorized, internal. Which fields and issues they name is not shown.",
    because: "The endpoints have no 404 and no 409, so the field and the issue have to say which case it is.",
  }),
  "claim.inbox": statement("sandbox", {
    says: "Codes go to the claimed e-mail or phone, and for a CPF or CNPJ to the e-mail of the account's holder. GET /sandbox/inbox shows them.",
    leavesOpen:
      "resends the confirmation code (for example when the e-mail or SMS did not arrive): where it goes for a document is not shown.",
    because: "No message can be sent to a CPF, and a test has to read the code somewhere.",
  }),
  "claim.events": statement("silence", {
    says: "Claims send no webhooks.",
    leavesOpen: "Events emitted by PIX key claims: not shown.",
    because: "A receiver cannot be expected to understand an undocumented event.",
  }),
  "claim.resends": count(3, [0, 1000], {
    says: "A validation's code can be sent again this many times.",
    leavesOpen: "Number of resends per validation and the daily dispatch value: not shown.",
    because: "Three is enough for a lost message, and a test reaches it quickly.",
  }),
  "claim.daily-dispatches": count(10, [1, 100_000], {
    says: "An account sends this many codes in one day of Brasília; the code of a creation counts.",
    leavesOpen: "daily dispatch of confirmation codes: limited per account.",
    because: "It is enough for two claims with all their resends, and a test reaches it quickly.",
  }),
  "claim.code-ttl": period("PT10M", {
    says: "A confirmation code is valid for this long after it was sent (expiresAt).",
    leavesOpen: "expiresAt (string, required; expiry of the confirmation code): how far ahead is not shown.",
    because: "Ten minutes is a usual validity for a code sent by e-mail or SMS.",
  }),
  "claim.attempts": count(3, [1, 1000], {
    says: "A code can be tried this many times; a resend gives as many again.",
    leavesOpen: "confirmation attempts are reset: how many there are is not shown.",
    because: "Three attempts allow for a typing error and stop guessing.",
  }),
} as const;
