import { asciiJson } from "../../../engine/json.ts";
import { explainCanaries } from "../spellings.ts";
import {
  type BodySpelling,
  type SignatureFormName,
  bodySpellings,
  signatureForms,
} from "../../../api/faults.ts";
import { digestOf, signatureOf } from "../../../api/signature.ts";
import {
  type Evidence,
  type Finding,
  PASS,
  type Sent,
  evidenceOf,
  failed,
  inconclusive,
  skipped,
} from "../check.ts";
import { NOTHING_SHOWN, unwantedChange } from "../state-findings.ts";
import {
  type Bench,
  type Check,
  type SendOptions,
  isAccepted,
  outcomeOf,
  rejectionFinding,
} from "../bench.ts";
import { type WebhookEvent, jsonOf, withBody } from "../event-source.ts";

const VERIFY =
  "Compute HMAC-SHA256 over the raw body with the secret, compare it with the header in constant time, and answer only then.";
const GUARD =
  "Check that the header is present and consists of sha256= and 64 hex digits before you compare; a comparison of different lengths throws.";

/** The finding on a receiver that a bad signature stopped. */
export const NOT_ALIVE = failed(
  "After bad signatures the receiver no longer accepts a good event: an error ended its process.",
  GUARD,
);

/** A secret that no receiver has. */
const OTHER_SECRET = "not-the-secret-of-this-receiver";

/** Whether the receiver rejects what the platform did not sign. */
export const signatureChecks: readonly Check[] = [
  {
    id: "S1",
    title: "Rejects a wrong signature",
    level: "must",
    run: rejects("a signature with one digit flipped", VERIFY, (bench, { body }) => ({
      signature: flippedSignature(bench, body),
    })),
  },
  {
    id: "S2",
    title: "Rejects another secret",
    level: "must",
    run: rejects("a signature by another secret", VERIFY, () => ({ secret: OTHER_SECRET })),
  },
  {
    id: "S3",
    title: "Rejects a missing signature",
    level: "must",
    run: rejects("no signature", GUARD, () => ({ signature: null })),
  },
  {
    id: "S4",
    title: "Rejects malformed signatures",
    level: "must",
    run: rejectsForms(
      `${GUARD} In Python, hmac.compare_digest raises a TypeError for a text that is not ASCII: compare bytes.`,
      {
        short: "a signature of three digits",
        empty: "an empty digest",
        long: "a digest too long",
        odd: "a digest of 63 digits",
        "non-hex": "a digest that is not hex",
        multibyte: "a digest with non-ASCII characters",
      },
    ),
  },
  { id: "S5", title: "Is alive afterwards", level: "must", run: isAliveAfterwards },
  { id: "S6", title: "Rejects a tampered amount", level: "must", run: rejectsTampered },
  { id: "S7", title: "Rejects the same content in other bytes", level: "must", run: rejectsReindented },
  { id: "S8", title: "Accepts every spelling of a signed body", level: "must", run: acceptsCanaries },
  {
    id: "S9",
    title: "Rejects a signature by an empty secret",
    level: "must",
    run: rejects(
      "a signature by the empty secret",
      "Refuse to start without a webhook secret: with an empty one anyone can sign.",
      () => ({ secret: "" }),
    ),
  },
  {
    id: "S10",
    title: "Is strict about label and algorithm",
    level: "should",
    run: rejectsForms("Require exactly the prefix sha256=: the sender does not choose the algorithm.", {
      "wrong-prefix": "the label sha1=",
      "other-algorithm": "the label sha512=",
      "no-prefix": "no label before the digest",
    }),
  },
  { id: "S11", title: "Takes the header in any case", level: "must", run: takesHeaderInAnyCase },
  { id: "S12", title: "Does not reveal the right signature", level: "must", run: isNoOracle },
  { id: "S13", title: "A rejected event has no effect", level: "must", run: rejectedHasNoEffect },
  {
    id: "S14",
    title: "Compares in constant time",
    level: "info",
    run: async () =>
      skipped(
        "No network is quiet enough for a reliable measurement.",
        "Compare digests with crypto.timingSafeEqual, hmac.compare_digest, hash_equals or MessageDigest.isEqual.",
      ),
  },
];

/** A check that one kind of bad request is rejected with a 4xx. */
function rejects(
  what: string,
  fix: string,
  bad: (bench: Bench, event: WebhookEvent) => SendOptions,
): Check["run"] {
  return async function rejectsBad(bench) {
    const event = await bench.event();
    const sent = await bench.send(event, bad(bench, event));
    return rejectionFinding(bench, [{ what, sent }], fix);
  };
}

/** A check that several forms of the header are rejected, each with an event about a separate object. */
function rejectsForms(
  fix: string,
  forms: Readonly<Partial<Record<SignatureFormName, string>>>,
): Check["run"] {
  return async function rejectsEach(bench) {
    const rejections = [];
    for (const [form, what] of Object.entries(forms)) {
      const event = await bench.event();
      const digest = digestOf(bench.options.secret, event.body);
      const signature = signatureForms[form as SignatureFormName].write(digest);
      rejections.push({ what, sent: await bench.send(event, { signature }) });
    }
    return rejectionFinding(bench, rejections, fix);
  };
}

async function isAliveAfterwards(bench: Bench): Promise<Finding> {
  return (await bench.isAlive()) ? PASS : NOT_ALIVE;
}

async function rejectsTampered(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const signature = signatureOf(bench.options.secret, event.body);
  const text = event.body.toString("utf8");
  const changed = text.includes('"10.00"')
    ? text.replace('"10.00"', '"90.00"')
    : text.replace(/ACCEPTED/, "REJECTED");
  const sent = await bench.send(withBody(event, changed), { signature });
  return rejectionFinding(bench, [{ what: "a body whose amount was changed after signing", sent }], VERIFY);
}

async function rejectsReindented(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const signature = signatureOf(bench.options.secret, event.body);
  const indented = withBody(event, JSON.stringify(jsonOf(event), null, 2));
  const sent = await bench.send(indented, { signature });
  const what = "a body that was indented after signing";
  const finding = await rejectionFinding(bench, [{ what, sent }], VERIFY);
  // A receiver that accepts every forgery does not necessarily parse the body first.
  if (
    !isAccepted(sent) ||
    isAccepted(await bench.send(event, { signature: flippedSignature(bench, event.body) }))
  )
    return finding;
  return {
    ...finding,
    cause:
      "The body was parsed and serialised again before the signature was checked: other bytes were accepted as the signed ones.",
    fix: "Compute the HMAC over the raw bytes as received, before any parser reads them.",
  };
}

async function acceptsCanaries(bench: Bench): Promise<Finding> {
  const failures: BodySpelling[] = [];
  const unclear: string[] = [];
  const evidence: Evidence[] = [];
  for (const spelling of Object.values(bodySpellings)) {
    const event = await bench.event();
    const text = spelling.write(JSON.stringify(jsonOf(event)));
    const sent = await bench.send(withBody(event, text));
    if (isAccepted(sent)) continue;
    if (!(await isAcceptedPlain(bench, event, text))) {
      unclear.push(spelling.is);
      continue;
    }
    failures.push(spelling);
    evidence.push(evidenceOf(sent, `a correctly signed body with ${spelling.is}`, "2xx"));
  }
  if (failures.length > 0) return { verdict: "fail", ...explainCanaries(failures), evidence };
  if (unclear.length === 0) return PASS;
  return inconclusive(
    `Bodies with ${unclear.join(", ")} are refused in every spelling: the receiver rejects their content, see B6.`,
  );
}

/** Whether the same content is accepted in a plain spelling: then the receiver refused the bytes. */
async function isAcceptedPlain(bench: Bench, event: WebhookEvent, text: string): Promise<boolean> {
  const dense = JSON.stringify(JSON.parse(text));
  for (const plain of [dense, asciiJson(dense)]) {
    if (isAccepted(await bench.send(withBody(event, plain)))) return true;
  }
  return false;
}

async function takesHeaderInAnyCase(bench: Bench): Promise<Finding> {
  for (const signatureHeader of ["x-signature-sha256", "X-SIGNATURE-SHA256"]) {
    const sent = await bench.send(await bench.event(), { signatureHeader });
    if (isAccepted(sent)) continue;
    return failed(
      `The signature is not found in a header written ${signatureHeader}.`,
      "Look headers up without regard to case; proxies change it.",
      [evidenceOf(sent, `the header written ${signatureHeader}`, "2xx")],
    );
  }
  return PASS;
}

async function isNoOracle(bench: Bench): Promise<Finding> {
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
      ? "The answer to a wrong signature contains the right one, with which anyone can sign this body."
      : "The answer to a wrong signature contains the secret.",
    "Answer a wrong signature with 401 and no details.",
    [evidenceOf(sent, "a wrong signature", "4xx without the right signature in it")],
  );
}

async function rejectedHasNoEffect(bench: Bench): Promise<Finding> {
  const { probe } = bench.effects;
  const good = await bench.event();
  const beforeGood = bench.effects.before();
  const first = await probe?.before();
  const accepted = await bench.send(good);
  const afterGood = await probe?.afterWork(first);
  const seen = await bench.effects.since(beforeGood, good, [outcomeOf(accepted)]);
  const isCounted = seen !== undefined && seen.count > 0;
  if (!isCounted && probe === undefined) return EFFECT_UNKNOWN;
  if (!isCounted && probe?.isChanged(first, afterGood) === false) return NOTHING_SHOWN;
  const bad = await bench.event();
  const before = bench.effects.before();
  const untouched = await probe?.before();
  const sent: Sent[] = [
    await bench.send(bad, { signature: flippedSignature(bench, bad.body) }),
    await bench.send(bad, { secret: OTHER_SECRET }),
    await bench.send(bad, { signature: null }),
  ];
  const effect = await bench.effects.since(before, bad, sent.map(outcomeOf));
  const fix = "Verify first, act afterwards: nothing may happen before the signature is verified.";
  if ((effect?.count ?? 0) > 0)
    return failed(`A badly signed event took effect ${effect?.count} times, by ${effect?.by}.`, fix);
  return (await unwantedChange(probe, untouched, { what: "A badly signed event", fix })) ?? PASS;
}

export const HOW_TO_OBSERVE =
  "Name a URL with --probe that returns its state as JSON, let it call the sandbox that --sandbox-port opens, or answer with the header X-Sandbox-Outcome.";

/** The finding where effects cannot be observed. */
export const EFFECT_UNKNOWN = inconclusive(
  "The effect of an event cannot be seen from outside the receiver: its status alone does not show it.",
  HOW_TO_OBSERVE,
);

function flippedSignature(bench: Bench, body: Buffer): string {
  return signatureForms.flipped.write(digestOf(bench.options.secret, body));
}

const NEEDS_NEXT = "It needs a receiver that knows the next secret: name it with --next-secret.";

/** Whether a secret can be changed without losing events. */
export const rotationChecks: readonly Check[] = [
  {
    id: "R1",
    title: "Accepts the new secret after a rotation",
    level: "must",
    run: acceptsNext(({ next }) => [[next, "an event signed with the new secret"]]),
  },
  {
    id: "R2",
    title: "Accepts old and new secret side by side",
    level: "should",
    run: acceptsNext(({ old, next }) => [
      [old, "an event signed with the old secret"],
      [next, "an event signed with the new secret"],
      [old, "an event signed with the old secret again"],
    ]),
  },
  { id: "R3", title: "Rejects a retired secret", level: "must", run: rejectsRetired },
  {
    id: "R4",
    title: "Accepts a retry that is signed with the new secret",
    level: "should",
    run: acceptsNext(({ next }) => [[next, "a retry signed with the new secret"]], "after a broken attempt"),
  },
];

/** A check that events signed with these secrets are accepted; it is skipped where the next secret is not known. */
function acceptsNext(
  signed: (secrets: {
    readonly old: string;
    readonly next: string;
  }) => readonly (readonly [string, string])[],
  after?: "after a broken attempt",
): Check["run"] {
  return async function acceptsSecrets(bench) {
    const { secret: old, nextSecret: next } = bench.options;
    if (next === undefined) return skipped(NEEDS_NEXT);
    const results: (readonly [Sent, string])[] = [];
    for (const [secret, what] of signed({ old, next })) {
      const event = await bench.event();
      if (after !== undefined) await bench.send(event, { manner: { kind: "reset-on-connect" } });
      results.push([await bench.send(event, { secret }), what]);
    }
    const refused = results.filter(([sent]) => !isAccepted(sent));
    if (refused.length === 0) return PASS;
    const names = refused.map(([, what]) => what).join(" and ");
    return failed(
      `${names.replace(/^./, (first) => first.toUpperCase())} is not accepted.`,
      "Keep the old secret next to the new one for some time, and accept a signature by either.",
      refused.map(([sent, what]) => evidenceOf(sent, what, "2xx")),
    );
  };
}

async function rejectsRetired(bench: Bench): Promise<Finding> {
  const { retiredSecret } = bench.options;
  if (retiredSecret === undefined)
    return skipped("It needs a secret that was retired: name it with --retired-secret.");
  const sent = await bench.send(await bench.event(), { secret: retiredSecret });
  return rejectionFinding(
    bench,
    [{ what: "a signature by the retired secret", sent }],
    "Remove a secret when its time is over; anyone who has it can sign.",
  );
}
