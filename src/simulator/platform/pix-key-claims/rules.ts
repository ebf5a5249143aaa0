import type { CreateClaimRequest } from "../../api/generated/shapes.ts";
import type { Problems } from "../problems.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { type Account, accounts } from "../accounts/account.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type PixKeyClaim, type Validation, claims, donorOf, inbox, validations } from "./claim.ts";
import { compositeKey } from "../../engine/collection.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { meantPixKey, normalizePixKey, pixKeyType } from "../../countries/brazil/pix-keys.ts";
import { type Call, pathParameter } from "../call.ts";
import { refuseForeign } from "../refusals.ts";
import { type PixKey, pixKeyOf } from "../pix-keys/pix-key.ts";

/** The company's account in the path; these endpoints have no 404 (assumption: tenancy.foreign-resource). */
export function namedAccount(
  tx: Transaction,
  call: Pick<Call, "params" | "companyId">,
  problems: Problems,
): Account | undefined {
  if (!problems.isSound("accountId")) return undefined;
  const id = pathParameter(call, "accountId");
  const account = tx.get(accounts, id);
  if (account?.companyId === call.companyId) return account;
  refuseForeign(tx, account, call.companyId);
  problems.add("accountId", "INVALID", `The company has no account ${id}.`);
  return undefined;
}

/** Only an ACTIVE account can open a claim. */
export function validateActive(account: Account | undefined, problems: Problems): void {
  if (account === undefined || account.status === "ACTIVE") return;
  const description = `The account ${account.id} is ${account.status}. Claim for an ACTIVE account.`;
  problems.add("accountId", "INVALID", description);
}

/** The PENDING claim in the path that the account requested, or that is against a key of it. */
export function namedClaim(
  tx: Transaction,
  call: Pick<Call, "params" | "companyId">,
  problems: Problems,
  account: Account | undefined,
  side: Validation["side"],
): PixKeyClaim | undefined {
  if (account === undefined || !problems.isSound("claimId")) return undefined;
  const id = pathParameter(call, "claimId");
  const claim = tx.get(claims, id);
  const party = claim && (side === "claimer" ? claim.accountId : donorOf(tx, claim));
  if (claim === undefined || party !== account.id) {
    refuseForeign(tx, claim, call.companyId);
    const whose = side === "claimer" ? "that this account requested" : "against a key of this account";
    problems.add("claimId", "INVALID", `There is no claim ${id} ${whose}.`);
    return undefined;
  }
  validatePending(problems, "claimId", claim);
  return claim;
}

/** Finds the validation by its id and the other known facts. Its claim must be PENDING and its code unconfirmed. */
export function namedValidation(
  tx: Transaction,
  validationId: string | undefined,
  problems: Problems,
  account: Account | undefined,
  known: Partial<Pick<Validation, "side" | "claimId">> = {},
): { readonly validation: Validation; readonly claim: PixKeyClaim } | undefined {
  if (account === undefined || validationId === undefined || !problems.isSound("validationId"))
    return undefined;
  const validation = tx.get(validations, validationId);
  const { side = validation?.side, claimId = validation?.claimId } = known;
  const isTheirs =
    validation?.accountId === account.id && validation.side === side && validation.claimId === claimId;
  if (validation === undefined || !isTheirs) {
    const description = `There is no validation "${validationId}" that this account has to confirm here.`;
    problems.add("validationId", "INVALID", description);
    return undefined;
  }
  const claim = recordOf(tx, claims, validation.claimId);
  if (validation.status === "CONFIRMED") {
    const description = `The validation ${validation.id} is CONFIRMED already: its code was sent back.`;
    problems.add("validationId", "NOT_PENDING", description);
  } else validatePending(problems, "validationId", claim);
  return { validation, claim };
}

function validatePending(problems: Problems, field: string, { id, status }: PixKeyClaim): void {
  if (status === "PENDING") return;
  const description = `The claim ${id} is ${status}; only a PENDING one can go on or be ended.`;
  problems.add(field, "NOT_PENDING", description);
}

/** Limits the codes that an account has sent in a day (interface: Limits; assumption: claim.daily-dispatches). */
export function validateDispatch(tx: Transaction, account: Account | undefined, problems: Problems): void {
  if (account === undefined) return;
  const sent = tx.find(inbox, "dispatches", compositeKey(account.id, localDate(tx.now)));
  if (sent.length < assumption(tx, "claim.daily-dispatches")) return;
  const description = `The account ${account.id} has had all its confirmation codes of today, by the calendar of Brasília. Try again tomorrow.`;
  problems.add("accountId", "LIMIT_REACHED", description);
}

/** Limits how often the code of a validation is sent again (interface: Limits; assumption: claim.resends). */
export function validateResends(tx: Transaction, { id, resends }: Validation, problems: Problems): void {
  const resendsMax = assumption(tx, "claim.resends");
  if (resends < resendsMax) return;
  const description = `The code of the validation ${id} was sent again ${resendsMax} times, as often as it may be.`;
  problems.add("validationId", "LIMIT_REACHED", description);
}

/** Validates the claimed key and the type of the claim (assumptions: claim.endpoints, claim.unknown-key). */
export function validateClaimedKey(
  tx: Transaction,
  request: CreateClaimRequest,
  account: Account | undefined,
  problems: Problems,
): PixKeyClaim["key"] | undefined {
  if (!problems.isSound("body")) return undefined;
  validateType(tx, request, problems);
  const key = readKey(request, problems);
  if (key === undefined || account === undefined) return key;
  const entry = pixKeyOf(tx, key.value);
  if (entry === undefined) validateUnknown(tx, request, key, account, problems);
  else if (entry.accountId === account.id) {
    const description = `The key ${key.value} belongs to the account ${account.id} already.`;
    problems.add("key.value", "ALREADY_EXISTS", description);
  } else validateHolder(request, entry, account, problems);
  validateRivals(tx, key, problems);
  return key;
}

/** A random key never moves; a document belongs to its holder and only moves together with them. */
function validateType(tx: Transaction, { type, key }: CreateClaimRequest, problems: Problems): void {
  if (!problems.isSound("key.type") || !problems.isSound("type")) return;
  if (key.type === "RANDOM") {
    const description = "A RANDOM key cannot be claimed. Claim an e-mail, a phone or a document.";
    problems.add("key.type", "NOT_ALLOWED", description);
  } else if (type === "OWNERSHIP" && (key.type === "CPF" || key.type === "CNPJ")) {
    const description = `OWNERSHIP is for a PHONE; a ${key.type} moves by PORTABILITY, with its holder.`;
    problems.add("type", "NOT_ALLOWED", description);
  } else if (type === "OWNERSHIP" && key.type === "EMAIL") {
    if (assumption(tx, "claim.email-ownership") === "accept") return;
    const description =
      "An EMAIL has not changed its owner by a claim since March 2025. Claim a PHONE, or bring the e-mail of the account's own holder by PORTABILITY.";
    problems.add("type", "NOT_ALLOWED", description);
  }
}

function readKey({ key }: CreateClaimRequest, problems: Problems): PixKeyClaim["key"] | undefined {
  if (!problems.isSound("key")) return undefined;
  const value = normalizePixKey(key.value);
  if (value !== undefined && pixKeyType(value) === key.type) return { type: key.type, value };
  const meant = meantPixKey(key.value);
  const hint = meant !== undefined && pixKeyType(meant) === key.type ? ` Did you mean ${meant}?` : "";
  const description = `The value is no key of the type ${key.type}; found "${key.value}".${hint}`;
  problems.add("key.value", "INVALID", description);
  return undefined;
}

function validateUnknown(
  tx: Transaction,
  request: CreateClaimRequest,
  key: PixKeyClaim["key"],
  account: Account,
  problems: Problems,
): void {
  const isDocument = key.type === "CPF" || key.type === "CNPJ";
  if (assumption(tx, "claim.unknown-key") === "reject") {
    const description = `The key directory has no key ${key.value}. There is nothing to claim.`;
    problems.add("key.value", "NOT_FOUND", description);
  } else if (request.type === "PORTABILITY" && isDocument && key.value !== account.document.number) {
    problems.add("key.value", "INVALID", `The ${key.type} ${key.value} is not that of the account's holder.`);
  }
}

/** OWNERSHIP takes a key from another person; PORTABILITY brings the holder's own key from another institution. */
function validateHolder(
  { type }: CreateClaimRequest,
  entry: PixKey,
  account: Account,
  problems: Problems,
): void {
  if (!problems.isSound("type")) return;
  const isOwn = entry.owner.document.number === account.document.number;
  if (isOwn === (type === "PORTABILITY")) return;
  const description = isOwn
    ? `The key ${entry.id} is the account holder's own, at another institution. Claim it by PORTABILITY.`
    : `The key ${entry.id} is another person's. Claim it by OWNERSHIP.`;
  problems.add("type", "INVALID", description);
}

/** Assumption: claim.one-per-key. */
function validateRivals(tx: Transaction, { value }: PixKeyClaim["key"], problems: Problems): void {
  if (!assumption(tx, "claim.one-per-key") || tx.find(claims, "pendingOnKey", value).length === 0) return;
  problems.add("key.value", "ALREADY_EXISTS", `Another claim for the key ${value} is still PENDING.`);
}
