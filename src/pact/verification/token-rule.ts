import type { PactFile } from "./pact-file.ts";

/** A request of a pact, as far as its token is concerned. */
interface TokenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** What becomes of the `Authorization` header of a pact's request on its way to the provider. */
export type TokenRule = (request: TokenRequest) => string | undefined;

/** Sends what the pact sends. */
export const asSent: TokenRule = ({ authorization }) => authorization;

/**
 * Puts a good token in place of the bearer tokens of pacts, and where a pact has none. A token that is sent, or
 * left out, only where the consumer expects to be turned away stays as it is.
 */
export function replacingToken(token: string, pacts: readonly PactFile[]): TokenRule {
  const good = `Bearer ${token}`;
  const sent = pacts
    .flatMap(({ interactions }) => interactions)
    .flatMap(({ request, status }) =>
      request === undefined ? [] : { ...request, isTurnedAway: status === 401 || status === 403 },
    );
  return ({ method, path, authorization }) => {
    if (authorization !== undefined && !/^Bearer\b/i.test(authorization)) return authorization;
    const alike = sent.filter((one) => one.authorization === authorization);
    const here = alike.filter((one) => one.method === method && one.path === path);
    // A path that a state fills in is none that the pact knows.
    const known = authorization === undefined && here.length > 0 ? here : alike;
    const isBad = known.some(({ isTurnedAway }) => isTurnedAway);
    const isGood = known.some(({ isTurnedAway }) => !isTurnedAway);
    if (authorization === undefined) return known.length > 0 && !isBad ? good : undefined;
    return isBad && !isGood ? authorization : good;
  };
}
