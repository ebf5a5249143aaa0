import type { Call } from "../call.ts";
import type { ClaimValidation, ResendCodeRequest } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { validateAccount, validateDispatch, validateValidation } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { Problems } from "../problems.ts";
import { renewValidation, validationShape } from "./validation.ts";

/** Sends a new code under the same validation, so often and no oftener (interface: Endpoints 3, Limits). */
export function resendClaimCode(tx: Transaction, call: Call<ResendCodeRequest>): ClaimValidation {
  const problems = new Problems(call.problems);
  const account = validateAccount(tx, call, problems);
  const found =
    account &&
    validateValidation(tx, call.body?.validationId, problems, ({ accountId }) => accountId === account.id);
  if (found !== undefined && problems.isSound("validationId")) {
    const resendsMax = assumption(tx, "claim.resends");
    if (found.validation.resends >= resendsMax) {
      const description = `The code of the validation ${found.validation.id} was sent again ${resendsMax} times, as often as it may be.`;
      problems.add("validationId", "LIMIT_REACHED", description);
    }
    validateDispatch(tx, account, problems);
  }
  problems.refuse();
  const { validation, claim } = assertDefined(found, "the validation that was checked");
  return validationShape(renewValidation(tx, claim, validation));
}
