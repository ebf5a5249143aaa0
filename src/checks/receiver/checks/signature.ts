import { asciiJson } from "../../../simulator/engine/json.ts";
import { explainCanaries } from "../spellings.ts";
import { type BodySpelling, bodySpellings } from "../../../simulator/platform/faults/body-spellings.ts";
import {
  type SignatureFormName,
  signatureForms,
} from "../../../simulator/platform/faults/signature-forms.ts";
import { digestOf, signatureOf, SIGNATURE_FIELD } from "../../../simulator/api/signature.ts";
import {
  type CheckLevel,
  type Finding,
  type SentEvidence,
  PASS,
  type Sent,
  evidenceOf,
  failed,
  inconclusive,
  skipped,
} from "../finding.ts";
import { NOTHING_SHOWN, unwantedChange } from "../state-findings.ts";
import { type Bench, type ReceiverCheck, check, type SendOptions, isAccepted } from "../bench.ts";
import { effectsSince, outcomeOf } from "../effects.ts";
import { refusedAlone, rejectionFinding } from "../rejections.ts";
import { type WebhookEvent, jsonOf, withBody } from "../event-source.ts";

const VERIFY =
  "Compute HMAC-SHA256 over the raw body with the secret, compare it with the header in constant time, and answer only then.";
const GUARD =
  "Check that the header is present and consists of sha256= and 64 hex digits before you compare. A comparison of different lengths throws.";

const RAW_BYTES = "Compute the HMAC over the raw bytes as received, before any parser reads them.";

/** The finding on a receiver that a bad signature stopped. */
export const NOT_ALIVE = failed(
  "After bad signatures the receiver no longer accepts a good event. An error ended its process.",
  GUARD,
);

/** A secret that no receiver has. */
const OTHER_SECRET = "not-the-secret-of-this-receiver";

/** Checks if the receiver rejects requests that the platform did not sign. */
export const signatureChecks: readonly ReceiverCheck[] = [
  rejects(
    "S1",
    "Rejects a wrong signature",
    VERIFY,
    "a signature with one digit flipped",
    (bench, { body }) => ({
      signature: flippedSignature(bench, body),
    }),
  ),
  rejects("S2", "Rejects another secret", VERIFY, "a signature by another secret", () => ({
    secret: OTHER_SECRET,
  })),
  rejects("S3", "Rejects a missing signature", GUARD, "no signature", () => ({ signature: null })),
  check(
    "S4",
    "must",
    "Rejects malformed signatures",
    `${GUARD} In Python, compare bytes: hmac.compare_digest raises a TypeError for a text that is not ASCII.`,
    rejectsForms({
      short: "a signature of three digits",
      empty: "an empty digest",
      long: "a digest too long",
      odd: "a digest of 63 digits",
      "non-hex": "a digest that is not hex",
      multibyte: "a digest with non-ASCII characters",
    }),
  ),
  check("S5", "must", "Is alive afterwards", GUARD, async (bench) =>
    (await bench.isAlive()) ? PASS : NOT_ALIVE,
  ),
  rejects(
    "S6",
    "Rejects a tampered amount",
    VERIFY,
    "a body whose amount was changed after signing",
    (bench, event) => {
      const text = event.body.toString("utf8");
      const body = text.includes('"10.00"')
        ? text.replace('"10.00"', '"90.00"')
        : text.replace(/ACCEPTED/, "REJECTED");
      return { signature: signatureOf(bench.options.secret, event.body), body };
    },
  ),
  check("S7", "must", "Rejects the same content in other bytes", RAW_BYTES, async (bench) => {
    const event = await bench.event();
    const signature = signatureOf(bench.options.secret, event.body);
    const indented = withBody(event, JSON.stringify(jsonOf(event), null, 2));
    const sent = await bench.send(indented, { signature });
    const what = "a body that was indented after signing";
    const finding = await rejectionFinding(bench, [{ what, sent }], VERIFY);
    if (!isAccepted(sent)) return finding;
    // A receiver that accepts every forgery does not necessarily parse the body first.
    const forged = await bench.send(event, { signature: flippedSignature(bench, event.body) });
    if (isAccepted(forged)) return finding;
    return {
      ...finding,
      cause:
        "The body was parsed and serialised again before the signature was checked: other bytes were accepted as the signed ones.",
      fix: RAW_BYTES,
    };
  }),
  check("S8", "must", "Accepts every spelling of a signed body", RAW_BYTES, async (bench) => {
    const failures: BodySpelling[] = [];
    const unclear: string[] = [];
    const evidence: SentEvidence[] = [];
    const spellings = Object.values(bodySpellings);
    const all: { readonly event: WebhookEvent; readonly text: string }[] = [];
    for (const { write } of spellings) {
      const event = await bench.event();
      all.push({ event, text: write(JSON.stringify(jsonOf(event))) });
    }
    const answers = await refusedAlone(
      bench,
      all.map(({ event, text }) => [withBody(event, text)]),
    );
    for (const [index, spelling] of spellings.entries()) {
      const [sent, { event, text }] = [answers[index], all[index]!];
      if (sent === undefined) continue;
      if (await isAcceptedPlain(bench, event, text)) {
        failures.push(spelling);
        evidence.push(evidenceOf(sent, `a correctly signed body with ${spelling.is}`, "2xx"));
      } else unclear.push(spelling.is);
    }
    if (failures.length > 0) return { verdict: "fail", ...explainCanaries(failures), evidence };
    if (unclear.length === 0) return PASS;
    return inconclusive(
      `Bodies with ${unclear.join(", ")} are refused in every spelling. The receiver rejects their content, see B6.`,
    );
  }),
  rejects(
    "S9",
    "Rejects a signature by an empty secret",
    "Refuse to start without a webhook secret. With an empty secret anyone can sign.",
    "a signature by the empty secret",
    () => ({ secret: "" }),
  ),
  check(
    "S10",
    "should",
    "Is strict about label and algorithm",
    "Require exactly the prefix sha256=: the sender does not choose the algorithm.",
    rejectsForms({
      "wrong-prefix": "the label sha1=",
      "other-algorithm": "the label sha512=",
      "no-prefix": "no label before the digest",
    }),
  ),
  check(
    "S11",
    "must",
    "Takes the header in any case",
    "Find headers in upper and lower case, because proxies change the case.",
    async (bench, fix) => {
      for (const signatureHeader of [SIGNATURE_FIELD, SIGNATURE_FIELD.toUpperCase()]) {
        const sent = await bench.send(await bench.event(), { signatureHeader });
        if (isAccepted(sent)) continue;
        return failed(`The signature is not found in a header written ${signatureHeader}.`, fix, [
          evidenceOf(sent, `the header written ${signatureHeader}`, "2xx"),
        ]);
      }
      return PASS;
    },
  ),
  check(
    "S12",
    "must",
    "Does not reveal the right signature",
    "Answer a wrong signature with 401 and no details.",
    async (bench, fix) => {
      const { secret } = bench.options;
      const event = await bench.event();
      const right = digestOf(secret, event.body);
      const sent = await bench.send(event, { signature: flippedSignature(bench, event.body) });
      const answer = JSON.stringify(sent.responseHeaders) + sent.responseBody;
      const base64 = Buffer.from(right, "hex").toString("base64");
      const showsDigest = answer.toLowerCase().includes(right) || answer.includes(base64);
      if (!showsDigest && !answer.includes(secret)) return PASS;
      return failed(
        showsDigest
          ? "The answer to a wrong signature contains the right signature, so anyone can sign this body."
          : "The answer to a wrong signature contains the secret.",
        fix,
        [evidenceOf(sent, "a wrong signature", "4xx without the right signature in it")],
      );
    },
  ),
  check(
    "S13",
    "must",
    "A rejected event has no effect",
    "Verify the signature first. Do the work only after that.",
    async (bench, fix) => {
      const { probe } = bench;
      const good = await bench.event();
      const beforeGood = bench.writes;
      const first = await probe?.before();
      const accepted = await bench.send(good);
      const afterGood = await probe?.afterWork(first);
      const seen = await effectsSince(bench, beforeGood, good, [outcomeOf(accepted)]);
      const isCounted = seen !== undefined && seen.count > 0;
      if (!isCounted && probe === undefined) return EFFECT_UNKNOWN;
      if (!isCounted && probe?.isChanged(first, afterGood) === false) return NOTHING_SHOWN;
      const bad = await bench.event();
      const before = bench.writes;
      const untouched = await probe?.before();
      const sent: Sent[] = [
        await bench.send(bad, { signature: flippedSignature(bench, bad.body) }),
        await bench.send(bad, { secret: OTHER_SECRET }),
        await bench.send(bad, { signature: null }),
      ];
      const effect = await effectsSince(bench, before, bad, sent.map(outcomeOf));
      if ((effect?.count ?? 0) > 0)
        return failed(`A badly signed event took effect ${effect?.count} times, by ${effect?.by}.`, fix);
      const what = "A badly signed event";
      return (await unwantedChange(bench, { event: bad, before: untouched, what, fix })) ?? PASS;
    },
  ),
  check(
    "S14",
    "info",
    "Compares in constant time",
    "Compare digests with crypto.timingSafeEqual, hmac.compare_digest, hash_equals or MessageDigest.isEqual.",
    async (_, fix) => skipped("A measurement over the network is not reliable.", fix),
  ),
];

/** Makes a check that a kind of bad request is rejected with a 4xx. The bad request may have another body. */
function rejects(
  id: string,
  title: string,
  fix: string,
  what: string,
  bad: (bench: Bench, event: WebhookEvent) => SendOptions & { readonly body?: string },
): ReceiverCheck {
  return check(id, "must", title, fix, async (bench) => {
    const event = await bench.event();
    const { body = event.body, ...options } = bad(bench, event);
    return rejectionFinding(bench, [{ what, sent: await bench.send(withBody(event, body), options) }], fix);
  });
}

/** Makes a check that several forms of the header are rejected, each with an event about a separate object. */
function rejectsForms(forms: Readonly<Partial<Record<SignatureFormName, string>>>) {
  return async function rejectsEach(bench: Bench, fix: string): Promise<Finding> {
    const rejections = [];
    for (const [form, what] of Object.entries(forms)) {
      const event = await bench.event();
      const right = signatureOf(bench.options.secret, event.body);
      const signature = signatureForms[form as SignatureFormName].write(right);
      rejections.push({ what, sent: await bench.send(event, { signature }) });
    }
    return rejectionFinding(bench, rejections, fix);
  };
}

/** Returns true if the same content is accepted in a plain spelling. The receiver then refused the bytes. */
async function isAcceptedPlain(bench: Bench, event: WebhookEvent, text: string): Promise<boolean> {
  const dense = JSON.stringify(JSON.parse(text));
  for (const plain of [dense, asciiJson(dense)])
    if (isAccepted(await bench.send(withBody(event, plain)))) return true;
  return false;
}

export const HOW_TO_OBSERVE =
  "Name a URL with --probe that returns its state as JSON, let it call the sandbox that --sandbox-port opens, or answer with the header X-Sandbox-Outcome.";

/** The finding if effects cannot be observed. */
export const EFFECT_UNKNOWN = inconclusive(
  "The effect of an event is not visible from outside: the status of the answer does not show it.",
  HOW_TO_OBSERVE,
);

function flippedSignature(bench: Bench, body: Buffer): string {
  return signatureForms.flipped.write(signatureOf(bench.options.secret, body));
}

const BOTH_SECRETS =
  "Keep the old secret next to the new secret for some time, and accept signatures by both.";
const NEEDS_NEXT =
  "This check needs a receiver that knows the next secret. Name the secret with --next-secret.";

/** Whether a secret can be changed without losing events. */
export const rotationChecks: readonly ReceiverCheck[] = [
  accepts("R1", "must", "Accepts the new secret after a rotation", [
    ["next", "an event signed with the new secret"],
  ]),
  accepts("R2", "should", "Accepts old and new secret side by side", [
    ["old", "an event signed with the old secret"],
    ["next", "an event signed with the new secret"],
    ["old", "an event signed with the old secret again"],
  ]),
  check(
    "R3",
    "must",
    "Rejects a retired secret",
    "Remove a secret when its time is over. Anyone with the secret can sign.",
    async (bench, fix) => {
      const { retiredSecret } = bench.options;
      if (retiredSecret === undefined)
        return skipped("This check needs a retired secret. Name it with --retired-secret.");
      const sent = await bench.send(await bench.event(), { secret: retiredSecret });
      return rejectionFinding(bench, [{ what: "a signature by the retired secret", sent }], fix);
    },
  ),
  accepts(
    "R4",
    "should",
    "Accepts a retry that is signed with the new secret",
    [["next", "a retry signed with the new secret"]],
    "after a broken attempt",
  ),
];

/** Makes a check that events signed with these secrets are accepted. It is skipped if the next secret is unknown. */
function accepts(
  id: string,
  level: CheckLevel,
  title: string,
  signed: readonly (readonly [by: "old" | "next", what: string])[],
  after?: "after a broken attempt",
): ReceiverCheck {
  return check(id, level, title, BOTH_SECRETS, async (bench, fix) => {
    const { secret: old, nextSecret: next } = bench.options;
    if (next === undefined) return skipped(NEEDS_NEXT);
    const refused: string[] = [];
    const evidence: SentEvidence[] = [];
    for (const [by, what] of signed) {
      const event = await bench.event();
      if (after !== undefined) await bench.send(event, { manner: { kind: "reset-on-connect" } });
      const sent = await bench.send(event, { secret: by === "old" ? old : next });
      if (isAccepted(sent)) continue;
      refused.push(what);
      evidence.push(evidenceOf(sent, what, "2xx"));
    }
    if (refused.length === 0) return PASS;
    return failed(
      `${refused.join(" and ").replace(/^./, (first) => first.toUpperCase())} is not accepted.`,
      fix,
      evidence,
    );
  });
}
