import { asciiJson, canonicalJson, jsonEscape, spacedJson } from "../engine/json.ts";
import { digestOf, SIGNATURE_HEADER, SIGNATURE_PREFIX, signatureOf } from "../api/signature.ts";

/** The cause of a wrong signature: a stable name, and a sentence with the fix for the partner. */
interface MismatchCause {
  readonly cause: string;
  readonly message: string;
}

export interface MismatchQuestion {
  /** The secret that signed the delivery. */
  readonly secret: string;
  /** Other secrets that the partner may have used, by name. Only the names are shown. */
  readonly otherSecrets: Readonly<Record<string, string>>;
  /** The body as it was sent. */
  readonly body: Uint8Array;
  /** The signature that the partner received or computed. Undefined if the partner has no signature. */
  readonly header: string | undefined;
  /** The body that the partner's verification saw, if it is known. */
  readonly bodySeen?: Uint8Array;
}

const HEX_DIGEST = /^[0-9a-f]{64}$/iu;

/**
 * Explains why a signature that a partner saw does not verify. It checks the header, the secret and the body, in this
 * order, because more than one can be wrong at once. A signature that verifies over the body seen gives the single
 * finding `matches`. No finding shows a secret or a digest.
 */
export function explainMismatch(question: MismatchQuestion): readonly MismatchCause[] {
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

function headerFindings(header = ""): MismatchCause[] {
  if (header.trim() === "")
    return [{ cause: "missing-header", message: `The header ${SIGNATURE_HEADER} is missing or empty.` }];
  if (header.includes(","))
    return [
      { cause: "repeated-header", message: "The header was sent more than once and was joined by commas." },
    ];
  const findings: MismatchCause[] = [];
  const found = (cause: string, message: string): void => void findings.push({ cause, message });
  if (!header.startsWith(SIGNATURE_PREFIX)) {
    if (header.includes("="))
      found("wrong-prefix", `The value starts with another label than "${SIGNATURE_PREFIX}".`);
    else found("missing-prefix", `The value lacks the label "${SIGNATURE_PREFIX}".`);
  }
  const digest = header.slice(header.indexOf("=") + 1);
  if (!HEX_DIGEST.test(digest)) {
    const what = /^[0-9a-f]*$/iu.test(digest)
      ? `${digest.length} hex digits`
      : "characters that are not hex digits";
    found("malformed-digest", `The digest has ${what}; it should be 64 hex digits.`);
  } else if (digest !== digest.toLowerCase())
    found("upper-case", "The digest is in upper case; it is sent in lower case. Compare decoded bytes.");
  return findings;
}

/** Finds the other secret that made the digest, over the body sent or the body seen. */
function secretFindings({
  secret,
  otherSecrets,
  body,
  header,
  bodySeen = body,
}: MismatchQuestion): MismatchCause[] {
  const digest = digestIn(header);
  const madeWith = (candidate: string): boolean =>
    [body, bodySeen].some((bytes) => digestOf(candidate, bytes) === digest);
  if (madeWith("")) {
    const message = "The secret was empty: its variable is probably not set.";
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
 * Finds the change of the body between sending and verifying. If the body that the receiver saw is known and differs,
 * it compares the two bodies. Otherwise it tries each usual change on the body sent until one gives the digest of the
 * header.
 */
function bodyFindings({ secret, body, header, bodySeen }: MismatchQuestion): MismatchCause[] {
  if (bodySeen !== undefined && !sameBytes(body, bodySeen)) return [changeBetween(body, bodySeen)];
  const digest = digestIn(header);
  if (digest === undefined || digest === digestOf(secret, body)) return [];
  return usualChange((changed) => digestOf(secret, changed) === digest, body);
}

/** Returns the 64 hex digits in the header, with any text around them. */
function digestIn(header = ""): string | undefined {
  return /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/iu.exec(header)?.[0].toLowerCase();
}

/** A change that often damages a body between sending and verification. */
interface BodyChange extends MismatchCause {
  /** Returns the bodies that this change can make of the sent body. */
  readonly of: (sent: Uint8Array) => readonly Uint8Array[];
}

const BYTE_ORDER_MARK = "\ufeff";

/** The usual changes, each with its fix, in the order of trying. */
const BODY_CHANGES: readonly BodyChange[] = [
  {
    cause: "empty-body",
    message: "An empty body was verified: it was consumed before, or not yet read. Read the raw body first.",
    of: () => [new Uint8Array()],
  },
  {
    cause: "trailing-newline",
    message:
      "Blanks or a line break at the end were added or removed: verify the bytes as received, untrimmed.",
    of: ofText((text) => [`${text}\n`, `${text}\r\n`, text.trimEnd(), text.trim()]),
  },
  {
    cause: "line-endings",
    message: "The line endings were rewritten: verify the bytes as received.",
    of: ofText((text) => [text.replaceAll(/\r?\n/gu, "\r\n"), text.replaceAll("\r\n", "\n")]),
  },
  {
    cause: "byte-order-mark",
    message: "A byte order mark was added or removed while decoding: verify the bytes, not the decoded text.",
    of: ofText((text) => [text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : BYTE_ORDER_MARK + text]),
  },
  {
    cause: "charset",
    message:
      "The body was decoded and encoded in another charset: verify the bytes as received, which are UTF-8.",
    of: (sent) => [...encodings(sent), Buffer.from(Buffer.from(sent).toString("latin1"))],
  },
  {
    cause: "base64",
    message: "The base64 form that a gateway passes on was verified: decode it first.",
    of: (sent) => [Buffer.from(Buffer.from(sent).toString("base64"))],
  },
  {
    cause: "reserialized-json",
    message: "The JSON was parsed and written again before verifying: verify the bytes as received.",
    of: ofText(rewritings),
  },
  {
    cause: "truncated-body",
    message: "Only the beginning of the body was verified: read it to its end first.",
    of: (sent) => cuts(sent.length).map((length) => sent.subarray(0, length)),
  },
];

/** Finds the first known change of the body that gives this result. Empty if no change does. */
function usualChange(isResult: (changed: Uint8Array) => boolean, sent: Uint8Array): MismatchCause[] {
  const { cause, message } = BODY_CHANGES.find(({ of }) => of(sent).some(isResult)) ?? {};
  return cause === undefined || message === undefined ? [] : [{ cause, message }];
}

/** Finds the change from the body sent to the body seen. The two must differ. */
function changeBetween(sent: Uint8Array, seen: Uint8Array): MismatchCause {
  const [usual] = usualChange((changed) => sameBytes(changed, seen), sent);
  if (usual !== undefined) return usual;
  if (sameBytes(sent.subarray(0, seen.length), seen)) {
    const message = `Only the first ${seen.length} of ${sent.length} bytes were seen: read the body to its end first.`;
    return { cause: "truncated-body", message };
  }
  const [before, after] = [jsonOf(sent), jsonOf(seen)];
  if (before === undefined || after === undefined) {
    const message = `The body seen differs from the one sent from byte ${firstDifference(sent, seen)} on.`;
    return { cause: "other-body", message };
  }
  if (canonicalJson(before) !== canonicalJson(after)) {
    return { cause: "changed-json", message: "The JSON seen differs from the JSON sent." };
  }
  const message =
    "The same JSON was written differently (blanks, escapes, numbers or order): verify the bytes as received.";
  return { cause: "reserialized-json", message };
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

/** Returns the text in other charsets and Unicode forms, as wrong decoding and encoding would leave it. */
function encodings(sent: Uint8Array): Buffer[] {
  const text = textOf(sent);
  const ascii = text.replaceAll(/[\u0080-\u{10ffff}]/gu, "?");
  return [
    Buffer.from(text, "latin1"),
    Buffer.from(text, "utf16le"),
    ...[text, ascii, text.normalize("NFC"), text.normalize("NFD")].map((form) => Buffer.from(form)),
  ].filter((form) => !sameBytes(form, sent));
}

/** Returns the texts that JSON libraries write from a read value: dense, spaced, indented, sorted, escaped. */
function rewritings(text: string): string[] {
  const value = jsonOf(Buffer.from(text));
  if (value === undefined) return [];
  const dense = [JSON.stringify(value), canonicalJson(value)];
  const indented = [2, 4, "\t"].map((indent) => JSON.stringify(value, null, indent));
  const written = [...dense, ...dense.map(spacedJson), ...indented];
  const slashed = (json: string): string => json.replaceAll("/", String.raw`\/`);
  const html = (json: string): string => json.replaceAll(/[<>&]/gu, jsonEscape);
  return [
    ...written,
    ...written.map(asciiJson),
    ...written.map(slashed),
    ...written.map((json) => slashed(asciiJson(json))),
    ...written.map(html),
  ];
}

/**
 * Returns the positions where a reader may have stopped: all in a small body, the usual buffer sizes in a large one.
 */
function cuts(length: number): number[] {
  const anywhere = Array.from({ length: Math.min(length, 4096) }, (_, index) => index);
  const powers = Array.from({ length: 12 }, (_, index) => 2 ** (index + 12));
  const decimal = [10_000, 20_000, 100_000, 1_000_000, 20 * 1024, 100 * 1024, 1000 * 1024];
  return [...anywhere, ...[...powers, ...decimal].filter((cut) => cut < length)];
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body)) as unknown;
  } catch {
    return undefined;
  }
}

function ofText(change: (text: string) => readonly string[]): BodyChange["of"] {
  return (sent) => change(textOf(sent)).map((text) => Buffer.from(text));
}

function textOf(body: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}

function firstDifference(left: Uint8Array, right: Uint8Array): number {
  const index = left.findIndex((byte, position) => byte !== right[position]);
  return index < 0 ? left.length : index;
}
