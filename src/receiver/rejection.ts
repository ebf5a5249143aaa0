import type { Bench, SendOptions, Sent } from "./bench.ts";
import type { Finding } from "./check.ts";
import type { WebhookEvent } from "./webhook-event.ts";
import { evidenceOf, isAccepted } from "./bench.ts";
import { inconclusive, PASS } from "./check.ts";

/** A bad request and its answer. */
export interface Rejection {
  readonly what: string;
  readonly sent: Sent;
}

/** Sends one bad request for each form, each about an object of its own. */
export async function rejectionsOf<Form>(
  bench: Bench,
  forms: readonly Form[],
  bad: (form: Form, event: WebhookEvent) => { readonly what: string; readonly options: SendOptions },
): Promise<Rejection[]> {
  const rejections: Rejection[] = [];
  for (const form of forms) {
    const event = await bench.event();
    const { what, options } = bad(form, event);
    rejections.push({ what, sent: await bench.send(event, options) });
  }
  return rejections;
}

/**
 * Validates answers to requests that have to be turned away with a 4xx, and sees that a good event is still accepted
 * afterwards: a receiver that has broken down rejects everything.
 */
export async function validateRejections(
  bench: Bench,
  rejections: readonly Rejection[],
  mend: string,
): Promise<Finding> {
  const wrong = rejections.filter(({ sent }) => !isTurnedAway(sent));
  const evidence = wrong.map(({ what, sent }) => evidenceOf(sent, what, "4xx"));
  const allNamed = wrong.map(({ what }) => what).join(", ");
  const accepted = wrong.filter(({ sent }) => isAccepted(sent));
  if (accepted.length > 0) {
    const what = accepted.map(({ what }) => what).join(", ");
    return { verdict: "fail", cause: `An event with ${what} was accepted.`, mend, evidence };
  }
  const broken = wrong.filter(({ sent }) => sent.status === null || sent.status >= 500);
  if (broken.length > 0) {
    const isSilent = broken.every(({ sent }) => sent.error === "timeout");
    const named = broken.map(({ what }) => what).join(", ");
    const broke = isSilent
      ? `The receiver does not answer an event with ${named}`
      : `The receiver breaks on ${named}`;
    const cause = `${broke}: the platform takes that for a failure and delivers again.`;
    return { verdict: "fail", cause, mend, evidence };
  }
  if (wrong.length > 0) {
    const cause = `An event with ${allNamed} was redirected; a 4xx is wanted.`;
    return { verdict: "fail", cause, mend: "Answer 401.", evidence };
  }
  const limited = rejections.find(({ sent }) => sent.status === 429);
  if (limited !== undefined)
    return inconclusive("The receiver limits the rate of requests.", "Slow the check down with --rate.");
  if (await bench.isAlive()) return PASS;
  const cause = `After an event with ${rejections.map(({ what }) => what).join(", ")} the receiver accepts no good event any more.`;
  return { verdict: "fail", cause, mend };
}

function isTurnedAway({ status }: Sent): boolean {
  return status !== null && status >= 400 && status < 500;
}
