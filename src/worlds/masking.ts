import type { Simulation } from "../engine/simulation.ts";
import { accessTokens } from "../platform/companies/access.ts";
import { companies } from "../platform/companies/company.ts";
import {
  confidentialAs,
  maskedCardNumber,
  masking,
  type Replace,
  withCardNumbers,
  withFormValues,
  withValues,
} from "../platform/confidential.ts";
import { testCards } from "../platform/orders/checkout.ts";

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly origin: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

type Records = Simulation["records"];

/** What a masked value becomes: it is refused as the unknown value was, so that a recording can be replayed. */
export const MASK = "masked";

/** Unknown tokens that are longer may be real ones. */
const UNKNOWN_TOKEN_LENGTH_MAX = 20;

/** Whether the number or the token of a card is one of a test card, which decides what happens. */
export type IsTestCard = (numberOrToken: string) => boolean;

/**
 * A body as an operation gets to see it: without secrets, which no operation needs, and without cards other than test
 * cards. So no record, event or answer has any, and the journal keeps the request that was answered.
 */
export function withoutConfidential(text: string, isTestCard: IsTestCard): string {
  return masked(text, { isTestCard, isShown: isTestCard });
}

/** As `withoutConfidential`, with the secrets. */
export function withoutCards(text: string, isTestCard: IsTestCard): string {
  return masked(text, { isTestCard, isShown: () => true });
}

/** A body as the journal keeps it: with the secrets of the world's companies, because a recording needs them. */
export function journaledText(text: string, records: Records): string {
  return masked(text, {
    isTestCard: (number) => records.get(testCards, number) !== undefined,
    isShown: (secret) => isKnownSecret(secret, records),
  });
}

function masked(
  text: string,
  { isTestCard, isShown }: { readonly isTestCard: IsTestCard; readonly isShown: (secret: string) => boolean },
): string {
  let testCards = 0;
  let others = 0;
  const card = (number: string): string => {
    if (isTestCard(number)) testCards++;
    else others++;
    return maskedCardNumber(number, isTestCard);
  };
  let codes = 0;
  const code = (value: string): string => {
    codes++;
    return value;
  };
  const secret = (value: string): string => (isShown(value) ? value : MASK);
  const shown = withValues(text, masking({ secret, card, code }));
  // The security code of a test card is public.
  if (codes === 0 || (testCards > 0 && others === 0)) return shown;
  const same = (value: string): string => value;
  return withValues(shown, masking({ secret: same, card: same, code: withoutDigits }));
}

function withoutDigits(code: string): string {
  return code.replaceAll(/\d/g, "0");
}

/** A text of which nothing else is known, such as a sentence. */
export function withoutCardNumbers(text: string): string {
  return withCardNumbers(text, (number) => maskedCardNumber(number, () => false));
}

/** The path, the query and the headers of a request as the journal keeps them. */
export function journaledHead({ method, path, origin, headers }: RequestHead, records: Records): RequestHead {
  const mask = masking({
    secret: (value) => (isKnownSecret(value, records) ? value : MASK),
    code: withoutDigits,
    card: (number) => maskedCardNumber(number, (one) => records.get(testCards, one) !== undefined),
  });
  const authorization = (value: string): string => maskedAuthorization(value, records);
  return {
    method,
    path: maskedPath(path, mask),
    origin,
    headers: maskedHeaders(headers, mask, authorization),
  };
}

function maskedPath(path: string, mask: Replace): string {
  const [before = "", ...query] = path.split("?");
  const segments = before.includes("%")
    ? before.split("/").map((segment) => withFormValues(segment, mask))
    : [mask(before, undefined, "")];
  return [segments.join("/"), ...query.map((part) => withFormValues(part, mask))].join("?");
}

function maskedHeaders(
  headers: RequestHead["headers"],
  mask: Replace,
  authorization: (value: string) => string,
): RequestHead["headers"] {
  let masked = headers;
  for (const name in headers) {
    const value = headers[name]!;
    const shown =
      name === "authorization" || name === "proxy-authorization"
        ? authorization(value)
        : mask(value, confidentialAs(name), name);
    if (shown !== value) masked = { ...masked, [name]: shown };
  }
  return masked;
}

function maskedAuthorization(header: string, records: Records): string {
  const [, scheme = "", blanks = "", value = ""] = /^(\S*)( *)(.*)$/s.exec(header) ?? [];
  if (/^bearer$/i.test(scheme)) {
    const token = value.trim();
    const isShown =
      token.length <= UNKNOWN_TOKEN_LENGTH_MAX || records.get(accessTokens, token) !== undefined;
    return isShown ? header : `${scheme} ${MASK}`;
  }
  if (!/^basic$/i.test(scheme)) return value === "" ? MASK : `${scheme}${blanks}${MASK}`;
  const [client = "", ...secret] = Buffer.from(value, "base64").toString("utf8").split(":");
  if (isKnownSecret(secret.join(":"), records)) return header;
  return `${scheme} ${Buffer.from(`${client}:${MASK}`).toString("base64")}`;
}

function isKnownSecret(secret: string, records: Records): boolean {
  if (records.get(accessTokens, secret) !== undefined) return true;
  if (records.find(testCards, "token", secret).length > 0) return true;
  for (const { clientSecret, webhook } of records.all(companies))
    if ([clientSecret, webhook.secret, ...webhook.formerSecrets].includes(secret)) return true;
  return false;
}

/** What the request log shows: nothing that is confidential, known or not. */
const logged = masking({
  secret: () => MASK,
  code: () => MASK,
  card: (number) => number.slice(0, 6) + "*".repeat(number.length - 10) + number.slice(-4),
});

/** A body, or an answer, of the journal as the request log shows it, also if it was cut off. */
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
