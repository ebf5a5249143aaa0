import type { PactFile } from "./pact-file.ts";

/** What becomes of the `Authorization` header of a pact's request on its way to the provider. */
export type TokenRule = (authorization: string | undefined) => string | undefined;

/** Sends what the pact sends. */
export const asSent: TokenRule = (authorization) => authorization;

/**
 * Puts a good token in place of the bearer tokens of pacts. A request without a token stays without one, and a
 * token that is sent only where the consumer expects to be turned away stays bad.
 */
export function replacingToken(token: string, pacts: readonly PactFile[]): TokenRule {
  const interactions = pacts.flatMap((pact) => pact.interactions);
  const sentWhere = (refused: boolean): Set<string | undefined> =>
    new Set(
      interactions
        .filter(({ status }) => (status === 401 || status === 403) === refused)
        .map(({ request }) => request?.authorization),
    );
  const [bad, good] = [sentWhere(true), sentWhere(false)];
  return (authorization) => {
    if (authorization === undefined || !/^Bearer\b/i.test(authorization)) return authorization;
    return bad.has(authorization) && !good.has(authorization) ? authorization : `Bearer ${token}`;
  };
}
