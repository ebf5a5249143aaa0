import type { Account } from "../accounts/account.ts";
import type { CreateClaimRequest } from "../../api/generated/shapes.ts";
import type { PixKey } from "../pix-keys/pix-key.ts";
import type { PixKeyClaim } from "./claim.ts";
import type { Problems } from "../problems.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { claims } from "./claim.ts";
import { normalizePixKey, pixKeyType } from "../../countries/brazil/pix-keys.ts";
import { pixKeyOf } from "../pix-keys/pix-key.ts";

/** Validates what is claimed, and on what ground (assumptions: claim.endpoints, claim.unknown-key). */
export function validateClaimedKey(
  tx: Transaction,
  request: CreateClaimRequest,
  account: Account | undefined,
  problems: Problems,
): PixKeyClaim["key"] | undefined {
  if (!problems.isSound("body")) return undefined;
  validateKind(request, problems);
  const key = readKey(request, problems);
  if (key === undefined || account === undefined) return key;
  const entry = pixKeyOf(tx, key.value);
  if (entry === undefined) validateUnknown(tx, { request, key, account }, problems);
  else if (entry.accountId === account.id) {
    problems.add(
      "key.value",
      "ALREADY_EXISTS",
      `The key ${key.value} belongs to the account ${account.id} already.`,
    );
  } else validateHolder({ request, entry, account }, problems);
  validateRivals(tx, key, problems);
  return key;
}

/** A random key stays where it is; a document is somebody's own, so that it only moves with its holder. */
function validateKind({ type, key }: CreateClaimRequest, problems: Problems): void {
  if (!problems.isSound("key.type") || !problems.isSound("type")) return;
  if (key.type === "RANDOM") {
    problems.add(
      "key.type",
      "NOT_ALLOWED",
      "A RANDOM key cannot be claimed. Claim an e-mail, a phone or a document.",
    );
  } else if (type === "OWNERSHIP" && (key.type === "CPF" || key.type === "CNPJ")) {
    const description = `OWNERSHIP is for an EMAIL or a PHONE; a ${key.type} moves by PORTABILITY, with its holder.`;
    problems.add("type", "NOT_ALLOWED", description);
  }
}

function readKey({ key }: CreateClaimRequest, problems: Problems): PixKeyClaim["key"] | undefined {
  if (!problems.isSound("key")) return undefined;
  const value = normalizePixKey(key.value);
  if (value !== undefined && pixKeyType(value) === key.type) return { type: key.type, value };
  problems.add("key.value", "INVALID", `The value is no key of the type ${key.type}; found "${key.value}".`);
  return undefined;
}

interface Claimed {
  readonly request: CreateClaimRequest;
  readonly account: Account;
}

function validateUnknown(
  tx: Transaction,
  { request, key, account }: Claimed & { readonly key: PixKeyClaim["key"] },
  problems: Problems,
): void {
  const isDocument = key.type === "CPF" || key.type === "CNPJ";
  if (assumption(tx, "claim.unknown-key") === "reject") {
    problems.add(
      "key.value",
      "NOT_FOUND",
      `The key directory has no key ${key.value}. There is nothing to claim.`,
    );
  } else if (request.type === "PORTABILITY" && isDocument && key.value !== account.document.number) {
    problems.add("key.value", "INVALID", `The ${key.type} ${key.value} is not that of the account's holder.`);
  }
}

/** OWNERSHIP takes a key from another person; PORTABILITY brings one's own key from another institution. */
function validateHolder(
  { request: { type }, entry, account }: Claimed & { readonly entry: PixKey },
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

function validateRivals(tx: Transaction, { value }: PixKeyClaim["key"], problems: Problems): void {
  if (!assumption(tx, "claim.one-per-key") || tx.find(claims, "pendingOnKey", value).length === 0) return;
  problems.add("key.value", "ALREADY_EXISTS", `Another claim for the key ${value} is still PENDING.`);
}
