import type { Account } from "../accounts/account.ts";
import type { Call } from "../call.ts";
import type { PixKeyClaim } from "./claim.ts";
import type { Problems } from "../problems.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { Validation } from "./validation.ts";
import { accounts } from "../accounts/account.ts";
import { claims } from "./claim.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { mayDispatch } from "./inbox.ts";
import { pathParameter } from "../call.ts";
import { validations } from "./validation.ts";

/** The company's account in the path; these endpoints know no 404 (assumption: tenancy.foreign-resource). */
export function validateAccount(
  tx: Transaction,
  call: Pick<Call, "params" | "companyId">,
  problems: Problems,
): Account | undefined {
  if (!problems.isSound("accountId")) return undefined;
  const id = pathParameter(call, "accountId");
  const account = tx.get(accounts, id);
  if (account?.companyId === call.companyId) return account;
  problems.add("accountId", "INVALID", `The company has no account ${id}.`);
  return undefined;
}

/** The claim in the path, where it is of the kind that is looked for; what `whose` says is told if it is not. */
export function validateClaim(
  tx: Transaction,
  call: Pick<Call, "params">,
  problems: Problems,
  { isTheirs, whose }: { readonly isTheirs: (claim: PixKeyClaim) => boolean; readonly whose: string },
): PixKeyClaim | undefined {
  if (!problems.isSound("claimId")) return undefined;
  const id = pathParameter(call, "claimId");
  const claim = tx.get(claims, id);
  if (claim === undefined || !isTheirs(claim)) {
    problems.add("claimId", "INVALID", `There is no claim ${id} ${whose}.`);
    return undefined;
  }
  validatePending(problems, "claimId", claim);
  return claim;
}

/** The account's validation of that id, whose claim is still PENDING and whose code is still wanted. */
export function validateValidation(
  tx: Transaction,
  validationId: string | undefined,
  problems: Problems,
  isTheirs: (validation: Validation) => boolean,
): { readonly validation: Validation; readonly claim: PixKeyClaim } | undefined {
  if (validationId === undefined || !problems.isSound("validationId")) return undefined;
  const validation = tx.get(validations, validationId);
  if (validation === undefined || !isTheirs(validation)) {
    const description = `There is no validation "${validationId}" that this account has to confirm here.`;
    problems.add("validationId", "INVALID", description);
    return undefined;
  }
  const claim = assertDefined(tx.get(claims, validation.claimId), `the claim ${validation.claimId}`);
  if (validation.status === "CONFIRMED") {
    const description = `The validation ${validation.id} is CONFIRMED already: its code was sent back.`;
    problems.add("validationId", "NOT_PENDING", description);
  } else validatePending(problems, "validationId", claim);
  return { validation, claim };
}

/** Refuses a code more than the account may have sent in a day (interface: Limits). */
export function validateDispatch(tx: Transaction, account: Account | undefined, problems: Problems): void {
  if (account === undefined || mayDispatch(tx, account.id)) return;
  problems.add(
    "accountId",
    "LIMIT_REACHED",
    `The account ${account.id} has had all its confirmation codes of today, by the calendar of Brasília. Try again tomorrow.`,
  );
}

function validatePending(problems: Problems, field: string, { id, status }: PixKeyClaim): void {
  if (status === "PENDING") return;
  problems.add(
    field,
    "NOT_PENDING",
    `The claim ${id} is ${status}; only a PENDING one can go on or be ended.`,
  );
}
