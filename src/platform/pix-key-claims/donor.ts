import type { Call } from "../call.ts";
import type { ClaimValidation } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { donorOf } from "./claim.ts";
import { endValidations, openValidation, validationShape } from "./validation.ts";
import { validateAccount, validateClaim, validateDispatch } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { Problems } from "../problems.ts";

/**
 * Sends a code to the holder of a claimed key, with which it has the word about the claim (interface: Endpoints
 * 4; assumption: claim.endpoints). Asked again, it opens another validation and the code before is void.
 */
export function requestDonorConfirmation(tx: Transaction, call: Call): ClaimValidation {
  const problems = new Problems(call.problems);
  const account = validateAccount(tx, call, problems);
  const found =
    account &&
    validateClaim(tx, call, problems, {
      isTheirs: (one) => donorOf(tx, one) === account.id,
      whose: "against a key of this account",
    });
  validateDispatch(tx, account, problems);
  problems.refuse();
  const claim = assertDefined(found, "the claim that was checked");
  const { id: accountId } = assertDefined(account, "the account that was checked");
  endValidations(tx, claim.id, "donor");
  return validationShape(openValidation(tx, claim, { accountId, side: "donor" }));
}
