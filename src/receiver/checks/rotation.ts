import type { Bench, Sent } from "../bench.ts";
import type { Check, Finding } from "../check.ts";
import { evidenceOf, isAccepted } from "../bench.ts";
import { validateRejections } from "../rejection.ts";
import { PASS, skipped } from "../check.ts";

const NEXT = "It takes a receiver that knows the next secret: name it with --next-secret.";
const BOTH = "Keep the old secret beside the new one for a while, and accept a signature by either.";

/** Whether a secret can be changed without losing events. */
export const rotationChecks: readonly Check[] = [
  { id: "R1", title: "Accepts the new secret after a rotation", level: "must", run: acceptsNewSecret },
  { id: "R2", title: "Accepts old and new secret side by side", level: "should", run: acceptsBoth },
  { id: "R3", title: "Rejects a retired secret", level: "must", run: rejectsRetired },
  { id: "R4", title: "Accepts a retry that is signed anew", level: "should", run: acceptsRetrySignedAnew },
];

async function acceptsNewSecret(bench: Bench): Promise<Finding> {
  const { nextSecret } = bench.options;
  if (nextSecret === undefined) return skipped(NEXT);
  const sent = await bench.send(await bench.event(), { secret: nextSecret });
  return check([[sent, "an event signed with the new secret"]]);
}

async function acceptsBoth(bench: Bench): Promise<Finding> {
  const { nextSecret, secret } = bench.options;
  if (nextSecret === undefined) return skipped(NEXT);
  const results: (readonly [Sent, string])[] = [];
  for (const [one, what] of [
    [secret, "the old secret"],
    [nextSecret, "the new secret"],
    [secret, "the old secret again"],
  ] as const) {
    results.push([await bench.send(await bench.event(), { secret: one }), `an event signed with ${what}`]);
  }
  return check(results);
}

async function rejectsRetired(bench: Bench): Promise<Finding> {
  const { retiredSecret } = bench.options;
  if (retiredSecret === undefined)
    return skipped("It takes a secret that was retired: name it with --retired-secret.");
  const sent = await bench.send(await bench.event(), { secret: retiredSecret });
  return validateRejections(
    bench,
    [{ what: "a signature by the retired secret", sent }],
    "Forget a secret once its time is over; whoever has it can sign.",
  );
}

async function acceptsRetrySignedAnew(bench: Bench): Promise<Finding> {
  const { nextSecret } = bench.options;
  if (nextSecret === undefined) return skipped(NEXT);
  const event = await bench.event();
  await bench.send(event, { manner: { kind: "reset-on-connect" } });
  return check([[await bench.send(event, { secret: nextSecret }), "a retry signed with the new secret"]]);
}

function check(results: readonly (readonly [Sent, string])[]): Finding {
  const refused = results.filter(([sent]) => !isAccepted(sent));
  if (refused.length === 0) return PASS;
  return {
    verdict: "fail",
    cause: `${refused.map(([, what]) => what).join(" and ")} is not accepted.`.replace(/^./, (first) =>
      first.toUpperCase(),
    ),
    mend: BOTH,
    evidence: refused.map(([sent, what]) => evidenceOf(sent, what, "2xx")),
  };
}
