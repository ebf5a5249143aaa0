import type { Call } from "../call.ts";
import type {
  Claim as ClaimAnswer,
  ClaimCompleteFields,
  ClaimValidation,
  ConfirmCodeRequest,
  CreateClaimRequest,
  CreateClaimResponse,
  ResendCodeRequest,
} from "../../api/generated/shapes.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { Transaction } from "../../engine/transaction.ts";
import {
  completeClaim,
  concludeClaim,
  countWrongCode,
  endClaim,
  expireValidation,
  expireValidations,
  openClaim,
  openValidation,
  renewValidation,
  resolveClaim,
} from "./commands.ts";
import { validationStates } from "./states.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type PixKeyClaim,
  type Validation,
  claimAnswer,
  claimLifecycle,
  claims,
  isWithHolder,
  validationLifecycle,
  validations,
} from "./claim.ts";
import { defineResource, handle, scheduleWaiting, timerOf } from "../resource.ts";
import { formatInstant } from "../../engine/instant.ts";
import { illegalAct, invalidRequest } from "../refusals.ts";
import { Problems } from "../problems.ts";
import {
  namedAccount,
  validateActive,
  namedClaim,
  validateClaimedKey,
  validateDispatch,
  validateResends,
  namedValidation,
} from "./rules.ts";
import { requireAction } from "../state-machine.ts";
import { claimApi } from "./operations.ts";

export const claimResource = defineResource({
  name: "claims",
  api: claimApi,
  origin: {
    says: "Your client claims a PIX key; its code then arrives in the inbox.",
    operation: "createClaim",
  },
  collection: claims,
  view: claimView,
  lifecycles: [claimLifecycle, validationLifecycle],
  operations: {
    createClaim,
    confirmClaim,
    resendClaimCode,
    cancelClaim,
    requestDonorConfirmation,
    confirmDonor,
  },
  acts: {
    complete: {
      summary:
        "The PIX key moves to the claimer's account. With `force` this also works before the claimer's code is confirmed.",
      fields: "ClaimCompleteFields",
      run: (tx, claim, { force = false }: ClaimCompleteFields) => {
        requireAction(claimLifecycle, claim, "complete");
        if (!force && !isWithHolder(tx, claim)) {
          throw illegalAct(
            `The act claim.complete is not possible: the code of the claim ${claim.id} did not come back, so its holder cannot answer it. Confirm the code first, or send force: true. Possible acts: claim.deny.`,
          );
        }
        completeClaim(tx, claim);
      },
    },
    deny: { summary: "The holder keeps the PIX key.", run: (tx, claim) => endClaim(tx, claim, "deny") },
  },
  steps: [
    handle(claimAnswer, {
      decide: (tx, claim, decided) => void answerClaim(tx, claim, claimAnswer.outcome(tx, claim, decided)),
      wake: (tx, objectId) => {
        const claim = tx.get(claims, objectId);
        if (claim !== undefined && isWithHolder(tx, claim)) scheduleWaiting(tx, claimAnswer, claim);
      },
    }),
  ],
  timers: [
    timerOf(validations, "claim.expire-code", expireValidation),
    timerOf(claims, "claim.resolution", resolveClaim),
    timerOf(claims, "claim.completion", concludeClaim),
  ],
});

/** The claim as answers show it (interface: Claim and validation). */
function claimView({ id, status }: PixKeyClaim): ClaimAnswer {
  return { claimId: id, status };
}

/** The validation as answers show it (interface: Claim and validation). */
function validationView({ id, status, expiresAt }: Validation): ClaimValidation {
  return { validationId: id, status, expiresAt: formatInstant(expiresAt) };
}

/** Opens a claim and sends the code that confirms it (assumption: claim.endpoints). */
function createClaim(tx: Transaction, call: Call<CreateClaimRequest>): CreateClaimResponse {
  const { companyId, body } = call;
  const problems = new Problems(call.problems);
  const account = namedAccount(tx, call, problems);
  validateActive(account, problems);
  validateDispatch(tx, account, problems);
  const key = validateClaimedKey(tx, body, account, problems);
  problems.refuse();
  const { claim, validation } = openClaim(tx, {
    companyId,
    accountId: assertDefined(account, "a validated account").id,
    type: body.type,
    key: assertDefined(key, "a validated key"),
  });
  return {
    claimId: claim.id,
    validationId: validation.id,
    status: claim.status,
    expiresAt: formatInstant(validation.expiresAt),
  };
}

/** The claimer sends its code back: the holder of the key can answer (assumption: claim.endpoints). */
function confirmClaim(tx: Transaction, call: Call<ConfirmCodeRequest>): ClaimAnswer | Refusal {
  const problems = new Problems(call.problems);
  const account = namedAccount(tx, call, problems);
  const found = namedValidation(tx, call.body?.validationId, problems, account, { side: "claimer" });
  return confirmCode(tx, call, found, problems, (claim) => {
    claimAnswer.schedule(tx, claim);
    return claim;
  });
}

/** The holder sends its code back, and decides the claim by this (assumption: claim.donor-confirmation). */
function confirmDonor(tx: Transaction, call: Call<ConfirmCodeRequest>): ClaimAnswer | Refusal {
  const problems = new Problems(call.problems);
  const account = namedAccount(tx, call, problems);
  const claim = namedClaim(tx, call, problems, account, "donor");
  const found =
    claim && problems.isSound("claimId")
      ? namedValidation(tx, call.body?.validationId, problems, account, { claimId: claim.id, side: "donor" })
      : undefined;
  return confirmCode(tx, call, found, problems, (pending) =>
    answerClaim(tx, pending, assumption(tx, "claim.donor-confirmation")),
  );
}

/** Sends a new code under the same validation, within the limits (interface: Endpoints 3, Limits). */
function resendClaimCode(tx: Transaction, call: Call<ResendCodeRequest>): ClaimValidation {
  const problems = new Problems(call.problems);
  const account = namedAccount(tx, call, problems);
  const found = namedValidation(tx, call.body?.validationId, problems, account);
  if (found !== undefined && problems.isSound("validationId")) {
    validateResends(tx, found.validation, problems);
    validateDispatch(tx, account, problems);
  }
  problems.refuse();
  const { validation, claim } = assertDefined(found, "a validated validation");
  return validationView(renewValidation(tx, claim, validation));
}

/** The claimer takes back a claim that is PENDING; no code is needed and no key moves (interface: Endpoints 4). */
function cancelClaim(tx: Transaction, call: Call): ClaimAnswer {
  const problems = new Problems(call.problems);
  const account = namedAccount(tx, call, problems);
  const claim = namedClaim(tx, call, problems, account, "claimer");
  problems.refuse();
  return claimView(endClaim(tx, assertDefined(claim, "a validated claim"), "cancel"));
}

/**
 * Sends a code to the holder of a claimed key, who decides the claim by sending it back (interface: Endpoints 4;
 * assumption: claim.endpoints). Another request opens another validation and makes the former code void.
 */
function requestDonorConfirmation(tx: Transaction, call: Call): ClaimValidation {
  const problems = new Problems(call.problems);
  const account = namedAccount(tx, call, problems);
  const found = namedClaim(tx, call, problems, account, "donor");
  validateDispatch(tx, account, problems);
  problems.refuse();
  const claim = assertDefined(found, "a validated claim");
  const { id: accountId } = assertDefined(account, "a validated account");
  expireValidations(tx, claim.id, "donor");
  return validationView(openValidation(tx, claim, { accountId, side: "donor" }));
}

function answerClaim(
  tx: Transaction,
  claim: PixKeyClaim,
  outcome: (typeof claimAnswer)["outcomes"][number],
): PixKeyClaim {
  return outcome === "COMPLETED" ? completeClaim(tx, claim) : endClaim(tx, claim, "deny");
}

/**
 * Confirms the validation if the code is right, and then answers with the claim that `confirmed` returns. The refusal
 * of a wrong code is returned, not thrown, so that the attempt stays counted.
 */
function confirmCode(
  tx: Transaction,
  { body }: Call<ConfirmCodeRequest>,
  found: ReturnType<typeof namedValidation>,
  problems: Problems,
  confirmed: (claim: PixKeyClaim) => PixKeyClaim,
): ClaimAnswer | Refusal {
  if (found?.validation.status === "EXPIRED" && problems.isSound("code")) {
    const isWornOut = found.validation.attempts >= assumption(tx, "claim.attempts");
    const why = isWornOut ? "was tried too often" : "has expired";
    problems.add("code", "EXPIRED", `The confirmation code ${why}. Ask for a new one.`);
  }
  problems.refuse();
  const { validation, claim } = assertDefined(found, "a validated validation");
  if (body.code !== validation.code) return wrongCode(countWrongCode(tx, validation));
  validationStates.take(tx, validation, "confirm");
  return claimView(confirmed(claim));
}

function wrongCode(attemptsLeft: number): Refusal {
  const then = attemptsLeft === 0 ? "Ask for a new one." : `Attempts left: ${attemptsLeft}.`;
  const description = `The confirmation code is not the code that was sent last. ${then}`;
  return invalidRequest([{ field: "code", issue: "INVALID", description }]);
}
