import type { Bench, SendOptions, Sent } from "../bench.ts";
import type { Canary } from "../canaries.ts";
import type { Check, Evidence, Finding } from "../check.ts";
import type { WebhookEvent } from "../webhook-event.ts";
import { asciiOnly } from "../body-forms.ts";
import { CANARIES, explainCanaries } from "../canaries.ts";
import { digestOf, signatureOf } from "../../webhooks/signature.ts";
import { evidenceOf, isAccepted, outcomeOf } from "../bench.ts";
import { inconclusive, PASS } from "../check.ts";
import { validateRejections, rejectionsOf } from "../rejection.ts";
import { jsonOf, withBody } from "../webhook-event.ts";

const VERIFY =
  "Compute HMAC-SHA256 over the raw body with the secret, compare it with the header in constant time, and answer only then.";
const GUARD =
  "Check that the header is there and holds sha256= and 64 hex digits before you compare; a comparison of different lengths throws.";

/** What is to be said of a receiver that a bad signature brought down. */
export const NOT_ALIVE: Finding = {
  verdict: "fail",
  cause: "After bad signatures the receiver accepts no good event any more: an error ended its process.",
  mend: GUARD,
};

/** Whether the receiver believes what it should not. */
export const signatureChecks: readonly Check[] = [
  {
    id: "S1",
    title: "Rejects a wrong signature",
    level: "must",
    run: rejects("a signature with one digit flipped", VERIFY, (bench, { body }) => ({
      signature: flipped(signatureOf(bench.options.secret, body)),
    })),
  },
  {
    id: "S2",
    title: "Rejects another secret",
    level: "must",
    run: rejects("a signature by another secret", VERIFY, () => ({
      secret: "not-the-secret-of-this-receiver",
    })),
  },
  {
    id: "S3",
    title: "Rejects a missing signature",
    level: "must",
    run: rejects("no signature at all", GUARD, () => ({ signature: null })),
  },
  { id: "S4", title: "Rejects malformed signatures", level: "must", run: rejectsMalformed },
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
      "Refuse to start without a webhook secret: with an empty one anybody can sign.",
      () => ({ secret: "" }),
    ),
  },
  { id: "S10", title: "Is strict about label and algorithm", level: "should", run: isStrictAboutLabel },
  { id: "S11", title: "Takes the header in any case", level: "must", run: takesHeaderInAnyCase },
  { id: "S12", title: "Does not tell the right signature", level: "must", run: isNoOracle },
  { id: "S13", title: "A rejected event has no effect", level: "must", run: rejectedHasNoEffect },
  {
    id: "S14",
    title: "Compares in constant time",
    level: "info",
    run: async () => ({
      verdict: "skipped",
      cause: "No network is quiet enough to measure this honestly.",
      mend: "Compare digests with crypto.timingSafeEqual, hmac.compare_digest, hash_equals or MessageDigest.isEqual.",
    }),
  },
];

/** A check that one kind of bad request is turned away with a 4xx. */
function rejects(
  what: string,
  mend: string,
  bad: (bench: Bench, event: WebhookEvent) => SendOptions,
): Check["run"] {
  return async function rejectsBad(bench) {
    const event = await bench.event();
    const sent = await bench.send(event, bad(bench, event));
    return validateRejections(bench, [{ what, sent }], mend);
  };
}

async function rejectsMalformed(bench: Bench): Promise<Finding> {
  const forms: readonly (readonly [what: string, form: (digest: string) => string])[] = [
    ["a signature of three digits", () => "sha256=abc"],
    ["an empty digest", () => "sha256="],
    ["a digest too long", (digest) => `sha256=${digest}00`],
    ["a digest of 63 digits", (digest) => `sha256=${digest.slice(1)}`],
    ["a digest that is not hex", () => `sha256=${"zz".repeat(32)}`],
    ["a digest with non-ASCII characters", (digest) => `sha256=${"\u00e9".repeat(digest.length)}`],
  ];
  const rejections = await rejectionsOf(bench, forms, ([what, form], event) => ({
    what,
    options: { signature: form(digestOf(bench.options.secret, event.body)) },
  }));
  return validateRejections(bench, rejections, GUARD);
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
  return validateRejections(bench, [{ what: "a body whose amount was changed after signing", sent }], VERIFY);
}

async function rejectsReindented(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const signature = signatureOf(bench.options.secret, event.body);
  const indented = withBody(event, JSON.stringify(jsonOf(event), null, 2));
  const sent = await bench.send(indented, { signature });
  const finding = await validateRejections(
    bench,
    [{ what: "a body that was indented after signing", sent }],
    VERIFY,
  );
  // Only where forgeries are turned away does it tell something that this one passed.
  if (!isAccepted(sent) || isAccepted(await bench.send(event, { signature: flipped(signature) })))
    return finding;
  return {
    ...finding,
    cause:
      "The body was parsed and serialised again before the signature was checked: other bytes passed as the signed ones.",
    mend: "Compute the HMAC over the raw bytes as they came, before any parser has them.",
  };
}

async function acceptsCanaries(bench: Bench): Promise<Finding> {
  const failed: Canary[] = [];
  const unclear: string[] = [];
  const evidence: Evidence[] = [];
  for (const canary of CANARIES) {
    const event = await bench.event();
    const text = canary.write(jsonOf(event));
    const sent = await bench.send(withBody(event, text));
    if (isAccepted(sent)) continue;
    if (!(await isAcceptedPlain(bench, event, text))) {
      unclear.push(canary.name);
      continue;
    }
    failed.push(canary);
    evidence.push(evidenceOf(sent, `a correctly signed body with ${canary.name}`, "2xx"));
  }
  if (failed.length > 0) return { verdict: "fail", ...explainCanaries(failed), evidence };
  if (unclear.length === 0) return PASS;
  return inconclusive(
    `Bodies with ${unclear.join(", ")} are refused in every spelling: it is their content that is not liked, see B6.`,
  );
}

/** Whether the same content is accepted in a plain spelling: then it was the bytes that were refused. */
async function isAcceptedPlain(bench: Bench, event: WebhookEvent, text: string): Promise<boolean> {
  const dense = JSON.stringify(JSON.parse(text));
  for (const plain of [dense, asciiOnly(dense)]) {
    if (isAccepted(await bench.send(withBody(event, plain)))) return true;
  }
  return false;
}

async function isStrictAboutLabel(bench: Bench): Promise<Finding> {
  const forms: readonly (readonly [what: string, form: (digest: string) => string])[] = [
    ["the label sha1=", (digest) => `sha1=${digest}`],
    ["the label sha512=", (digest) => `sha512=${digest}`],
    ["no label before the digest", (digest) => digest],
  ];
  const rejections = await rejectionsOf(bench, forms, ([what, form], event) => ({
    what,
    options: { signature: form(digestOf(bench.options.secret, event.body)) },
  }));
  return validateRejections(
    bench,
    rejections,
    "Require the prefix sha256= and nothing else: the sender does not choose the algorithm.",
  );
}

async function takesHeaderInAnyCase(bench: Bench): Promise<Finding> {
  for (const signatureHeader of ["x-signature-sha256", "X-SIGNATURE-SHA256"]) {
    const sent = await bench.send(await bench.event(), { signatureHeader });
    if (isAccepted(sent)) continue;
    return {
      verdict: "fail",
      cause: `The signature is not found in a header written ${signatureHeader}.`,
      mend: "Look headers up without regard to case; proxies rewrite it.",
      evidence: [evidenceOf(sent, `the header written ${signatureHeader}`, "2xx")],
    };
  }
  return PASS;
}

async function isNoOracle(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const right = digestOf(bench.options.secret, event.body);
  const sent = await bench.send(event, { signature: flipped(signatureOf(bench.options.secret, event.body)) });
  const said = JSON.stringify(sent.responseHeaders) + sent.responseBody;
  const base64 = Buffer.from(right, "hex").toString("base64");
  const told = said.toLowerCase().includes(right) || said.includes(base64);
  if (!told && !said.includes(bench.options.secret)) return PASS;
  return {
    verdict: "fail",
    cause: told
      ? "The answer to a wrong signature tells the right one, with which anybody can sign this body."
      : "The answer to a wrong signature tells the secret.",
    mend: "Answer a wrong signature with 401 and no more than a word.",
    evidence: [evidenceOf(sent, "a wrong signature", "4xx without the right signature in it")],
  };
}

async function rejectedHasNoEffect(bench: Bench): Promise<Finding> {
  const good = await bench.event();
  const beforeGood = bench.effects.before();
  const accepted = await bench.send(good);
  const seen = await bench.effects.since(beforeGood, good, [outcomeOf(accepted)]);
  if (seen === undefined || seen.count === 0) return inconclusive(NOTHING_TELLS, HOW_TO_TELL);
  const bad = await bench.event();
  const before = bench.effects.before();
  const sent: Sent[] = [
    await bench.send(bad, { signature: flipped(signatureOf(bench.options.secret, bad.body)) }),
    await bench.send(bad, { secret: "not-the-secret-of-this-receiver" }),
    await bench.send(bad, { signature: null }),
  ];
  const effect = await bench.effects.since(before, bad, sent.map(outcomeOf));
  if ((effect?.count ?? 0) === 0) return PASS;
  return {
    verdict: "fail",
    cause: `A badly signed event was acted upon ${effect?.count} times, by ${effect?.by}.`,
    mend: "Verify first, act afterwards: nothing may happen before the signature is known to be right.",
  };
}

/** Why checks of effects cannot tell, and what helps. */
export const NOTHING_TELLS =
  "Nothing outside the receiver tells what it did with an event: by its status alone this cannot be checked.";
export const HOW_TO_TELL =
  "Let it call the sandbox that --sandbox-port opens, name its state with --probe, or answer with the header X-Sandbox-Outcome.";

function flipped(signature: string): string {
  const last = signature.at(-1) === "0" ? "1" : "0";
  return signature.slice(0, -1) + last;
}
