import type { Transaction } from "../../engine/transaction.ts";
import { ALPHANUMERIC } from "../../engine/random.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { companies } from "./company.ts";

/** The one scope of the platform API (interface: Authentication rule 1). */
export const ORDER_SCOPE = "api://app-order-prd";

/**
 * A bearer token; the id is the token itself. Its expiry is not stored here: tokens expire in wall time
 * (assumption: auth.token-ttl), and no wall time enters a world's records.
 */
export interface AccessToken extends StoredRecord {
  readonly companyId: string;
  readonly scopes: readonly string[];
  /**
   * True if the platform's API refuses it from now on (fault: token-expired). The sandbox's own API still accepts it.
   */
  readonly isDead?: true;
}

/** The form of an issued token, before the suffix of its world. The tokens of fixtures have other forms. */
const ISSUED = /^sbk_[0-9A-Za-z]{40}/;

/**
 * The maximum number of issued tokens of a company. A server that runs for months would otherwise keep every token. The
 * oldest tokens are removed by their number and not by their expiry, because the journal contains no wall time.
 */
export const ISSUED_TOKENS_MAX = 10_000;

export const accessTokens = collection<AccessToken, "issued">("access-tokens", {
  issued: ({ id, companyId }) => (ISSUED.test(id) ? companyId : undefined),
});

/** The credentials that a client sends to the token endpoint. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Issues a token for a client. Undefined if client or secret are wrong. */
export function issueToken(
  tx: Transaction,
  { clientId, clientSecret }: ClientCredentials,
  tokenSuffix: string,
): AccessToken | undefined {
  const [company] = tx.find(companies, "clientId", clientId);
  if (company === undefined || !isSameSecret(clientSecret, company.clientSecret)) return undefined;
  // Each company has its own stream, so after a reset its tokens and secrets never belong to another company.
  const id = `sbk_${tx.chance(`access-tokens of ${company.id}`).text(ALPHANUMERIC, 40)}${tokenSuffix}`;
  tx.log({ kind: "note", objectId: company.id, what: `token issued to ${company.id}` });
  const issued = tx.find(accessTokens, "issued", company.id);
  for (const oldest of issued.slice(0, Math.max(0, issued.length + 1 - ISSUED_TOKENS_MAX)))
    tx.delete(accessTokens, oldest.id);
  return tx.put(accessTokens, { id, companyId: company.id, scopes: [ORDER_SCOPE] });
}

/** Compares in a time that does not depend on how much of the secret is right. */
function isSameSecret(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let index = 0; index < secret.length; index++)
    difference |= secret.charCodeAt(index) ^ (given.charCodeAt(index) || 0);
  return difference === 0;
}
