import {
  cardDigits,
  confidentialAs,
  inPlaceOf,
  type Replace,
  withFormValues,
  withValues,
} from "../platform/confidential.ts";
import { isKnownSecret, MASK, secretStandIn } from "../platform/written-copy.ts";
import type { Records } from "../engine/store.ts";
import { accessTokens } from "../platform/companies/access-token.ts";
import { testCards } from "../platform/orders/checkout.ts";

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly origin: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Unknown tokens that are longer may be real ones. */
const UNKNOWN_TOKEN_LENGTH_MAX = 20;

/** Returns the head of a request as the journal keeps it: secrets and cards are replaced as their names say. */
export function journaledHead({ method, path, origin, headers }: RequestHead, known: Records): RequestHead {
  const mask: Replace = (value, as) => {
    if (as === "secret") return secretStandIn(value, known);
    const isTestCard = as === "card" && known.get(testCards, cardDigits(value) ?? "") !== undefined;
    return isTestCard || (as === "card" && cardDigits(value) === undefined)
      ? value
      : value.replaceAll(/\d/g, "0");
  };
  return {
    method,
    path: maskedPath(path, mask),
    origin,
    headers: maskedHeaders(headers, mask, (value) => maskedAuthorization(value, known)),
  };
}

function maskedPath(path: string, mask: Replace): string {
  const at = path.indexOf("?");
  return at < 0 ? path : `${path.slice(0, at)}?${withFormValues(path.slice(at + 1), mask)}`;
}

function maskedHeaders(
  headers: RequestHead["headers"],
  mask: Replace,
  authorization: (value: string) => string,
): RequestHead["headers"] {
  let masked = headers;
  for (const name in headers) {
    const as = confidentialAs(name);
    if (as === undefined) continue;
    const value = headers[name]!;
    const isCredentials = name === "authorization" || name === "proxy-authorization";
    const shown = isCredentials ? authorization(value) : mask(value, as);
    if (shown !== value) masked = { ...masked, [name]: shown };
  }
  return masked;
}

function maskedAuthorization(header: string, known: Records): string {
  const [, scheme = "", blanks = "", value = ""] = /^(\S*)( *)(.*)$/s.exec(header) ?? [];
  if (/^bearer$/i.test(scheme)) {
    const token = value.trim();
    const isShown = token.length <= UNKNOWN_TOKEN_LENGTH_MAX || known.get(accessTokens, token) !== undefined;
    return isShown ? header : `${scheme} ${MASK}`;
  }
  if (!/^basic$/i.test(scheme)) return value === "" ? MASK : `${scheme}${blanks}${MASK}`;
  const [client = "", ...secret] = Buffer.from(value, "base64").toString("utf8").split(":");
  if (isKnownSecret(secret.join(":"), known)) return header;
  return `${scheme} ${Buffer.from(`${client}:${MASK}`).toString("base64")}`;
}

/** Masks values for the request log: all secrets and codes, and the middle of all card numbers. */
const logged: Replace = (value, as) => {
  if (value === "") return value;
  if (as !== "card") return MASK;
  const digits = cardDigits(value);
  if (digits === undefined) return value;
  return inPlaceOf(value, digits.slice(0, 6) + "*".repeat(digits.length - 10) + digits.slice(-4));
};

/** Returns a body, or an answer, of the journal as the request log shows it. It may be cut off. */
export function loggedText(text: string): string {
  return withValues(text, logged);
}

export function loggedPath(path: string): string {
  return maskedPath(path, logged);
}

export function loggedHeaders(headers: RequestHead["headers"]): RequestHead["headers"] {
  return maskedHeaders(headers, logged, (value) => {
    const [scheme = "", credentials] = value.split(/ +/, 2);
    return credentials === undefined ? MASK : `${scheme} ${MASK}`;
  });
}
