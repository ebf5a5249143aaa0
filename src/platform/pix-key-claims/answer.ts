import type { PixKeyClaim } from "./claim.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { canTake, take } from "../transition.ts";
import { claimLifecycle } from "./lifecycle.ts";
import { claims } from "./claim.ts";
import { endValidations } from "./validation.ts";
import { giveKey } from "../pix-keys/pix-key.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { outcomeOf, scheduleStep } from "../autopilot.ts";
import { timerKind } from "../../engine/timers.ts";

/** The key changes hands: it moves to the claimer's account, and other claims for it come to nothing. */
export function completeClaim(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  const completed = end(tx, take(tx, claimLifecycle, claim, "complete"));
  const account = assertDefined(tx.get(accounts, claim.accountId), `the account ${claim.accountId}`);
  giveKey(tx, account, { key: claim.key.value, type: claim.key.type });
  tx.log({
    kind: "note",
    objectId: claim.id,
    what: `PIX key ${claim.key.value} moved to the account ${account.id}`,
  });
  for (const rival of tx.find(claims, "pendingOnKey", claim.key.value)) denyClaim(tx, rival);
  return completed;
}

/** The holder keeps the key. */
export function denyClaim(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  return end(tx, take(tx, claimLifecycle, claim, "deny"));
}

/** The claimer gives up; no key moves. */
export function withdrawClaim(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  return end(tx, take(tx, claimLifecycle, claim, "cancel"));
}

/** What the holder of the key says by sending the code back (assumption: claim.donor-confirmation). */
export function answerAsDonor(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  const outcome = assumption(tx, "claim.donor-confirmation");
  return outcome === "COMPLETED" ? completeClaim(tx, claim) : denyClaim(tx, claim);
}

/** Hands the claim to whoever holds the key, to be answered by a plan, the autopilot or an act. */
export function scheduleAnswer(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  const answerTimer = scheduleStep(tx, {
    step: "claim.answer",
    objectId: claim.id,
    timer: answerClaim,
    input: { claimId: claim.id },
  });
  return tx.put(claims, { ...claim, answerTimer });
}

/** The answer is due. A claim that came to another end meanwhile keeps it. */
export const answerClaim = timerKind<{ claimId: string } & StepOutcome<"claim.answer">>(
  "claim.answer",
  (tx, { claimId, outcome: decided }) => {
    const claim = assertDefined(tx.get(claims, claimId), `the claim ${claimId}`);
    if (!canTake(claimLifecycle, claim, "complete")) return;
    const outcome = outcomeOf(tx, "claim.answer", { objectId: claimId, decided });
    if (outcome === "COMPLETED") completeClaim(tx, claim);
    else denyClaim(tx, claim);
  },
);

function end(tx: Transaction, claim: PixKeyClaim): PixKeyClaim {
  tx.disarm(claim.answerTimer);
  endValidations(tx, claim.id);
  return tx.put(claims, { ...claim, answerTimer: null });
}
