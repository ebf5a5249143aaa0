import type { Call } from "../call.ts";
import type { Claim as ClaimShape } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { claims, claimShape } from "./claim.ts";
import { judgeAccount, judgeClaim } from "./rules.ts";
import { known } from "../../engine/assertion.ts";
import { Problems } from "../problems.ts";
import { keysOfAccount, pixKeys } from "../pix-keys/pix-key.ts";
import { withdrawClaim } from "./answer.ts";

/** The claimer takes a claim back while it is PENDING; no code is needed and no key moves (interface: Endpoints 4). */
export function cancelClaim(tx: Transaction, call: Call): ClaimShape {
  const problems = new Problems(call.problems);
  const account = judgeAccount(tx, call, problems);
  const claim =
    account &&
    judgeClaim(tx, call, problems, {
      isTheirs: ({ accountId }) => accountId === account.id,
      whose: "that this account requested",
    });
  problems.refuse();
  return claimShape(withdrawClaim(tx, known(claim, "the claim that was judged")));
}

/** An account that is closed gives up its keys and the claims that it had open (assumption: account.acts). */
export function withdrawFromDirectory(tx: Transaction, accountId: string): void {
  for (const { id } of keysOfAccount(tx, accountId)) tx.delete(pixKeys, id);
  for (const claim of tx.find(claims, "account", accountId)) {
    if (claim.status === "PENDING") withdrawClaim(tx, claim);
  }
}
