import { COMMON_EVENTS, withBody } from "../event-source.ts";
import { BODY_FORMS } from "../spellings.ts";
import { createHash, createHmac } from "node:crypto";
import { digestOf, SIGNATURE_PREFIX, signatureOf } from "../../../simulator/api/signature.ts";
import { type Finding, type Sent, evidenceOf, failed } from "../finding.ts";
import { type Bench, isAccepted } from "../bench.ts";

/** Returns the reason why a receiver refused a good event, as far as its answers to other events show. */
export async function refusalFinding(bench: Bench, sent: Sent): Promise<Finding> {
  const evidence = [evidenceOf(sent, "a good event, correctly signed", "2xx")];
  const fail = (cause: string, fix: string): Finding => failed(cause, fix, evidence);
  if (sent.error === "redirect") {
    const location = sent.responseHeaders["location"] ?? "elsewhere";
    return fail(
      `The receiver redirects to ${location}, and a redirect counts as a failed delivery.`,
      `Use ${location} as the webhook URL.`,
    );
  }
  if (sent.error === "timeout")
    return { ...slow(`No answer came within ${bench.options.timeoutMs} ms.`), evidence, isLate: true };
  if (sent.status === null)
    return fail(sent.message, "Make sure that the receiver runs and answers in time.");
  if (sent.status >= 500) {
    return fail(
      "The receiver failed while it handled a good event.",
      "Look for the error in its log; every 5xx is delivered again.",
    );
  }
  if (sent.status === 404 || sent.status === 405) {
    return fail("No receiver answers POST at this path.", "Check the path and method of the route.");
  }
  const form = await acceptedForm(bench);
  if (form !== undefined) {
    return fail(
      `The body was parsed and serialised again before the signature was checked: it is accepted only if it is written ${form}.`,
      "Compute the HMAC over the raw bytes as received, before any parser reads them.",
    );
  }
  if (isAccepted(await bench.send(await bench.event(), { secret: "" }))) {
    return fail(
      "The receiver verifies with an empty secret, so anyone can sign. It was started without a secret.",
      "Give the receiver its secret, and let it refuse to start without a secret.",
    );
  }
  const slip = await acceptedSlip(bench);
  if (slip !== undefined) return fail(slip.cause, slip.fix);
  return fail(
    "A correctly signed event was rejected: the receiver has another secret, or it does not verify the bytes of the body.",
    "Compare the receiver's secret with --secret, and compute the HMAC-SHA256 over the raw body.",
  );
}

export const ANSWER_FIRST = "Store the event, answer 200, and do the work afterwards.";

/** Returns the finding about a receiver that does its work before it answers. */
export function slow(cause: string): Finding {
  return failed(`${cause} The work is done before the answer.`, ANSWER_FIRST);
}

/** Finds the spelling of the event that a receiver accepts, which its own serialiser writes. */
async function acceptedForm(bench: Bench): Promise<string | undefined> {
  for (const { name, write } of BODY_FORMS) {
    const event = await bench.event();
    const body = write(event.body.toString("utf8"));
    if (isAccepted(await bench.send(withBody(event, body)))) return name;
  }
  return undefined;
}

/** Finds the wrong signature that the receiver accepts. It shows how the receiver computes signatures. */
async function acceptedSlip(bench: Bench): Promise<SignatureSlip | undefined> {
  for (const slip of SIGNATURE_SLIPS) {
    const event = await bench.event(COMMON_EVENTS[0]);
    const signature = slip.write(bench.options.secret, event.body);
    if (isAccepted(await bench.send(event, { signature }))) return slip;
  }
  return undefined;
}

/** A wrong way to compute the signature. */
interface SignatureSlip {
  readonly cause: string;
  readonly fix: string;
  /** The value of the header that such a receiver expects. */
  readonly write: (secret: string, body: Buffer) => string;
}

const RAW = "Compute the HMAC-SHA256 over the unchanged raw bytes of the body.";
const HMAC =
  'Use the HMAC of your library with the secret as its key, as in createHmac("sha256", secret).update(rawBody).digest("hex").';

/** The most frequent mistakes of partners. A correct receiver rejects all these signatures. */
const SIGNATURE_SLIPS: readonly SignatureSlip[] = [
  {
    cause: "The digest is compared in Base64, but the header has it in lower-case hex.",
    fix: 'Write the digest in hex, as in digest("hex").',
    write: (secret, body) => SIGNATURE_PREFIX + createHmac("sha256", secret).update(body).digest("base64"),
  },
  {
    cause: "The digest is compared in upper-case hex, but the header has it in lower case.",
    fix: "Compare the bytes of the digests, or compare both texts in lower case.",
    write: (secret, body) => SIGNATURE_PREFIX + digestOf(secret, body).toUpperCase(),
  },
  {
    cause: "The header is compared without its prefix. The header is sha256= followed by the digest.",
    fix: "Require the prefix sha256=, and compare the digest after it.",
    write: (secret, body) => digestOf(secret, body),
  },
  {
    cause: "A newline is added to the body before the signature is checked.",
    fix: RAW,
    write: (secret, body) => signatureOf(secret, Buffer.concat([body, Buffer.from("\n")])),
  },
  {
    cause: "The body is converted to lower case before the signature is checked.",
    fix: RAW,
    write: (secret, body) => signatureOf(secret, Buffer.from(body.toString("utf8").toLowerCase())),
  },
  {
    cause: "An empty body is verified, because the body was read before the signature was checked.",
    fix: "Keep the raw body when the parser reads it, and verify those bytes.",
    write: (secret) => signatureOf(secret, Buffer.alloc(0)),
  },
  {
    cause: "A plain SHA-256 of secret and body is verified, which is not an HMAC.",
    fix: HMAC,
    write: (secret, body) =>
      SIGNATURE_PREFIX + createHash("sha256").update(secret).update(body).digest("hex"),
  },
  {
    cause: "A plain SHA-256 of body and secret is verified, which is not an HMAC.",
    fix: HMAC,
    write: (secret, body) =>
      SIGNATURE_PREFIX + createHash("sha256").update(body).update(secret).digest("hex"),
  },
  {
    cause: "A plain SHA-256 of the body is verified, without any secret: anyone can sign.",
    fix: HMAC,
    write: (_, body) => SIGNATURE_PREFIX + createHash("sha256").update(body).digest("hex"),
  },
  {
    cause: "The HMAC is computed with SHA-1, but the header has a SHA-256.",
    fix: HMAC,
    write: (secret, body) => `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
  },
];
