import { digestOf, SIGNATURE_HEADER, SIGNATURE_PREFIX, signatureOf } from "./signature.ts";
import { BODY_CHANGES, changeBetween, sameBytes } from "./body-change.ts";
import type { BodyChange } from "./body-change.ts";

/** Why a signature does not verify: a stable word, and a sentence for the partner who has to mend it. */
export interface Finding {
  readonly cause:
    | "matches"
    | "missing-header"
    | "repeated-header"
    | "missing-prefix"
    | "wrong-prefix"
    | "malformed-digest"
    | "upper-case"
    | "empty-secret"
    | "padded-secret"
    | "other-secret"
    | BodyChange
    | "unknown";
  readonly message: string;
}

export interface MismatchQuestion {
  /** The secret the delivery was signed with. */
  readonly secret: string;
  /** Secrets that could have been mixed up with it, by names that may be shown; the secrets never are. */
  readonly otherSecrets: Readonly<Record<string, string>>;
  /** The body as it was sent. */
  readonly body: Uint8Array;
  /** The signature that the partner received or computed; undefined where there was none. */
  readonly header: string | undefined;
  /** The body that the partner's verification saw, where it is known. */
  readonly bodySeen?: Uint8Array;
}

const HEX_DIGEST = /^[0-9a-f]{64}$/iu;

/**
 * Says why a signature that a partner saw does not verify: what is wrong with the header, with the secret and
 * with the body, in this order, because more than one can be wrong at once. A signature that verifies over the
 * body seen gives the single finding `matches`. No finding shows a secret or a digest.
 */
export function explainMismatch(question: MismatchQuestion): readonly Finding[] {
  const { secret, body, header, bodySeen = body } = question;
  if (header === signatureOf(secret, bodySeen)) {
    return [{ cause: "matches", message: "The signature verifies over the body seen." }];
  }
  const findings = [...headerFindings(header), ...secretFindings(question), ...bodyFindings(question)];
  if (findings.length > 0) return findings;
  return [
    {
      cause: "unknown",
      message:
        "The digest comes from no known secret and no known change of the body. Compare the body byte for byte " +
        "with the one sent, and the secret with the one that the webhook configuration shows.",
    },
  ];
}

function headerFindings(header = ""): Finding[] {
  if (header.trim() === "") {
    return [{ cause: "missing-header", message: `The header ${SIGNATURE_HEADER} is missing or empty.` }];
  }
  if (header.includes(",")) {
    return [
      { cause: "repeated-header", message: "The header came more than once and was joined by commas." },
    ];
  }
  return [...labelFindings(header), ...digestFindings(header.slice(header.indexOf("=") + 1))];
}

function labelFindings(header: string): Finding[] {
  if (header.startsWith(SIGNATURE_PREFIX)) return [];
  return header.includes("=")
    ? [{ cause: "wrong-prefix", message: `The value starts with another label than "${SIGNATURE_PREFIX}".` }]
    : [{ cause: "missing-prefix", message: `The value lacks the label "${SIGNATURE_PREFIX}".` }];
}

function digestFindings(digest: string): Finding[] {
  if (!HEX_DIGEST.test(digest)) {
    const found = /^[0-9a-f]*$/iu.test(digest)
      ? `${digest.length} hex digits`
      : "characters that are not hex digits";
    return [{ cause: "malformed-digest", message: `The digest has ${found}; it should be 64 hex digits.` }];
  }
  if (digest === digest.toLowerCase()) return [];
  return [
    {
      cause: "upper-case",
      message: "The digest is in upper case; it is sent in lower case. Compare decoded bytes.",
    },
  ];
}

/** Which other secret made the digest, over the body sent or the body seen. */
function secretFindings({
  secret,
  otherSecrets,
  body,
  header,
  bodySeen = body,
}: MismatchQuestion): Finding[] {
  const digest = digestIn(header);
  const madeWith = (candidate: string): boolean =>
    [body, bodySeen].some((bytes) => digestOf(candidate, bytes) === digest);
  if (madeWith("")) {
    const message = "The secret was empty: the variable that should hold it is probably unset.";
    return [{ cause: "empty-secret", message }];
  }
  if (paddings(secret).some(madeWith)) {
    const message =
      "The secret was used with a line break, blanks or quotation marks around it: trim it when reading.";
    return [{ cause: "padded-secret", message }];
  }
  return Object.entries(otherSecrets)
    .filter(([, candidate]) => candidate !== secret && madeWith(candidate))
    .map(([name]) => ({
      cause: "other-secret",
      message: `The digest was made with another secret: ${name}.`,
    }));
}

function paddings(secret: string): string[] {
  return [`${secret}\n`, `${secret}\r\n`, ` ${secret}`, `${secret} `, `"${secret}"`, `'${secret}'`];
}

/**
 * What happened to the body between sending and verifying. Where the body seen is at hand and differs, the two
 * are compared; otherwise each usual change is tried on the body sent until one gives the digest of the header.
 */
function bodyFindings({ secret, body, header, bodySeen }: MismatchQuestion): Finding[] {
  if (bodySeen !== undefined && !sameBytes(body, bodySeen)) return [changeBetween(body, bodySeen)];
  const digest = digestIn(header);
  if (digest === undefined || digest === digestOf(secret, body)) return [];
  const change = BODY_CHANGES.find(({ of }) =>
    of(body).some((changed) => digestOf(secret, changed) === digest),
  );
  return change === undefined ? [] : [{ cause: change.cause, message: change.message }];
}

/** The 64 hex digits in the header, however they are wrapped. */
function digestIn(header = ""): string | undefined {
  return /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/iu.exec(header)?.[0].toLowerCase();
}
