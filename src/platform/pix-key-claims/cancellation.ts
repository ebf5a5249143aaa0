import type { Call } from "../call.ts";
import type { Claim as ClaimShape } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { claims, claimShape } from "./claim.ts";
import { validateAccount, validateClaim } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { Problems } from "../problems.ts";
import { keysOfAccount, pixKeys } from "../pix-keys/pix-key.ts";
import { withdrawClaim } from "./answer.ts";

/** The claimer takes a claim back while it is PENDING; no code is needed and no key moves (interface: Endpoints 4). */
export function cancelClaim(tx: Transaction, call: Call): ClaimShape {
  const problems = new Problems(call.problems);
  const account = validateAccount(tx, call, problems);
  const claim =
    account &&
    validateClaim(tx, call, problems, {
      isTheirs: ({ accountId }) => accountId === account.id,
      whose: "that this account requested",
    });
  problems.refuse();
  return claimShape(withdrawClaim(tx, assertDefined(claim, "the claim that was checked")));
}

/** An account that is closed gives up its keys and the claims that it had open (assumption: account.acts). */
export function withdrawFromDirectory(tx: Transaction, accountId: string): void {
  for (const { id } of keysOfAccount(tx, accountId)) tx.delete(pixKeys, id);
  for (const claim of tx.find(claims, "account", accountId)) {
    if (claim.status === "PENDING") withdrawClaim(tx, claim);
  }
}
