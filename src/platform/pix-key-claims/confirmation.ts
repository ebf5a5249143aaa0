import type { Call } from "../call.ts";
import type { Claim as ClaimShape, ConfirmCodeRequest } from "../../api/generated/shapes.ts";
import type { PixKeyClaim } from "./claim.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { Validation } from "./validation.ts";
import { answerAsDonor, scheduleAnswer } from "./answer.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { claimShape, donorOf } from "./claim.ts";
import { confirmValidation, countWrongCode } from "./validation.ts";
import { invalidRequest } from "../refusals.ts";
import { validateAccount, validateClaim, validateValidation } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { Problems } from "../problems.ts";

/** The claimer sends the code back: the claim, still PENDING, goes to whoever holds the key (assumption: claim.endpoints). */
export function confirmClaim(tx: Transaction, call: Call<ConfirmCodeRequest>): ClaimShape | Refusal {
  const problems = new Problems(call.problems);
  const account = validateAccount(tx, call, problems);
  const found =
    account &&
    validateValidation(
      tx,
      call.body?.validationId,
      problems,
      ({ accountId, side }) => accountId === account.id && side === "claimer",
    );
  return withRightCode(tx, call, { found, problems }, scheduleAnswer);
}

/** The holder of a claimed key sends its code back, and so has the word about the claim (assumption: claim.donor-confirmation). */
export function confirmDonor(tx: Transaction, call: Call<ConfirmCodeRequest>): ClaimShape | Refusal {
  const problems = new Problems(call.problems);
  const account = validateAccount(tx, call, problems);
  const claim =
    account &&
    validateClaim(tx, call, problems, {
      isTheirs: (one) => donorOf(tx, one) === account.id,
      whose: "against a key of this account",
    });
  const found =
    claim &&
    problems.isSound("claimId") &&
    validateValidation(
      tx,
      call.body?.validationId,
      problems,
      ({ accountId, claimId, side }) => accountId === account.id && claimId === claim.id && side === "donor",
    );
  return withRightCode(tx, call, { found: found || undefined, problems }, answerAsDonor);
}

interface Checked {
  readonly found: { readonly validation: Validation; readonly claim: PixKeyClaim } | undefined;
  readonly problems: Problems;
}

/**
 * Goes on where the code is right. A wrong one is given as a refusal, not thrown: it is counted, and the count
 * outlives the request.
 */
function withRightCode(
  tx: Transaction,
  { body }: Call<ConfirmCodeRequest>,
  { found, problems }: Checked,
  goOn: (tx: Transaction, claim: PixKeyClaim) => PixKeyClaim,
): ClaimShape | Refusal {
  if (found?.validation.status === "EXPIRED" && problems.isSound("code")) {
    problems.add("code", "EXPIRED", whyExpired(tx, found.validation));
  }
  problems.refuse();
  const { validation, claim } = assertDefined(found, "the validation that was checked");
  if (body.code !== validation.code) return wrongCode(countWrongCode(tx, validation));
  confirmValidation(tx, validation);
  return claimShape(goOn(tx, claim));
}

function whyExpired(tx: Transaction, { attempts }: Validation): string {
  const isWornOut = attempts >= assumption(tx, "claim.attempts");
  const why = isWornOut ? "was tried too often" : "has expired";
  return `The confirmation code ${why}. Ask for a new one.`;
}

function wrongCode(attemptsLeft: number): Refusal {
  const then = attemptsLeft === 0 ? "Ask for a new one." : `Attempts left: ${attemptsLeft}.`;
  const description = `The confirmation code is not the one that was sent last. ${then}`;
  return invalidRequest([{ field: "code", issue: "INVALID", description }]);
}
