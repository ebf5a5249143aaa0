import type { Records } from "../engine/store.ts";
import { accessTokens } from "../platform/companies/access-token.ts";

/** The expiries are tidied each time that their number is a multiple of this. */
const TIDY_EVERY = 1_000;

/**
 * Keeps the expiry of a token. From time to time it removes the expiries of tokens that the records no longer have. A
 * snapshot may bring such tokens back, so a world with snapshots keeps all expiries.
 */
export function keepExpiry(
  expiries: Map<string, number>,
  { token, expiresAt }: { readonly token: string; readonly expiresAt: number },
  records: Pick<Records, "get">,
  snapshots: ReadonlyMap<string, unknown>,
): void {
  expiries.set(token, expiresAt);
  if (snapshots.size > 0 || expiries.size % TIDY_EVERY !== 0) return;
  for (const known of expiries.keys())
    if (records.get(accessTokens, known) === undefined) expiries.delete(known);
}
