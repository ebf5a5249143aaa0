import type { Call } from "../call.ts";
import type { CreateClaimRequest, CreateClaimResponse } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { claimLifecycle } from "./lifecycle.ts";
import { claims } from "./claim.ts";
import { formatInstant } from "../../engine/instant.ts";
import { validateAccount, validateDispatch } from "./rules.ts";
import { validateClaimedKey } from "./claimed-key.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { openValidation } from "./validation.ts";
import { Problems } from "../problems.ts";

/** Opens a claim and sends the code that confirms it (assumption: claim.endpoints). */
export function createClaim(tx: Transaction, call: Call<CreateClaimRequest>): CreateClaimResponse {
  const { companyId, body } = call;
  const problems = new Problems(call.problems);
  const account = validateAccount(tx, call, problems);
  if (account !== undefined) validateActive(account, problems);
  validateDispatch(tx, account, problems);
  const key = validateClaimedKey(tx, body, account, problems);
  problems.refuse();
  const { id: accountId } = assertDefined(account, "the account that was checked");
  const claim = tx.put(claims, {
    id: tx.chance("claims").uuid(),
    companyId,
    accountId,
    type: body.type,
    key: assertDefined(key, "the key that was checked"),
    status: claimLifecycle.initial,
    createdAt: tx.now,
    updatedAt: tx.now,
    answerTimer: null,
  });
  tx.log({ kind: "note", objectId: claim.id, what: `claim of ${claim.key.value} opened` });
  const { id: validationId, expiresAt } = openValidation(tx, claim, { accountId, side: "claimer" });
  return { claimId: claim.id, validationId, status: claim.status, expiresAt: formatInstant(expiresAt) };
}

function validateActive(account: { readonly id: string; readonly status: string }, problems: Problems): void {
  if (account.status === "ACTIVE") return;
  const description = `The account ${account.id} is ${account.status}. Claim for an ACTIVE account.`;
  problems.add("accountId", "INVALID", description);
}
