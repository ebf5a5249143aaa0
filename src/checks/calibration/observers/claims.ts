import {
  type TrafficCall,
  type Traffic,
  detailsOf,
  isDone,
  isRefused,
  isWellFormed,
  momentAt,
} from "./traffic.ts";
import { textAt } from "../../../simulator/engine/json.ts";
import {
  type Found,
  type Observers,
  type Range,
  type Try,
  SHAPE,
  answered,
  delay,
  most,
  observer,
  statusChanges,
} from "./observer.ts";
import { localDate } from "../../../simulator/countries/brazil/calendar.ts";

const SENDS = ["createClaim", "resendClaimCode", "requestDonorConfirmation"] as const;
const CONFIRMS = ["confirmClaim", "confirmDonor"] as const;

/** Of claims of PIX keys. */
export const claimObservers: Observers = {
  "claim.endpoints": SHAPE,
  "claim.email-ownership": observer("The answer to an OWNERSHIP claim of an EMAIL.", (traffic) =>
    traffic
      .of("createClaim")
      .filter(({ body }) => textAt(body, "type") === "OWNERSHIP" && textAt(body, "key.type") === "EMAIL")
      .filter(isWellFormed)
      .flatMap((call) => answered(call, { accepted: "accept", refused: "refuse", field: /^type$/ })),
  ),
  "claim.answer": statusChanges("The status of a claim in successive answers.", "claim"),
  "claim.resolution-period": most(
    "The success of a cancellation of a claim without a code, by the time since its creation.",
    (traffic) => cancellations(traffic, "resolution"),
  ),
  "claim.completion-period": most(
    "The success of a cancellation of a confirmed claim, by the time since its creation.",
    (traffic) => cancellations(traffic, "completion"),
  ),
  "claim.donor-confirmation": observer(
    "The status of a claim after the confirmation of its donor.",
    (traffic) =>
      traffic
        .done("confirmDonor")
        .map((call) => ({ is: textAt(call.answer, "status"), seen: [call] }))
        .filter(({ is }) => is === "DENIED" || is === "COMPLETED"),
  ),
  "claim.unknown-key": observer("Claims that are refused because the key has no owner.", (traffic) =>
    traffic
      .of("createClaim")
      .filter(isRefused)
      .filter((call) =>
        detailsOf(call).some(({ field, issue }) => field === "key.value" && /NOT_FOUND|UNKNOWN/.test(issue)),
      )
      .map((call) => ({ is: "reject", seen: [call] })),
  ),
  "claim.one-per-key": observer("The answer to a second claim for a key while the first is PENDING.", rivals),
  "claim.inbox": "Only the person who gets a code sees its destination.",
  "claim.events": SHAPE,
  "claim.resends": observer(
    "The number of times that the code of one validation was sent again, and the number before a refusal.",
    (traffic) =>
      limitOf(traffic, ["resendClaimCode"], ["validationId", ({ body }) => textAt(body, "validationId")]),
  ),
  // If the beginning of a day is not in the file, there may be more codes of that day.
  "claim.daily-dispatches": observer(
    "The number of codes that an account sent in one day, and the number before a refusal.",
    (traffic) =>
      limitOf(traffic, SENDS, [
        "accountId",
        ({ params, at }) => `${params["accountId"]} ${localDate(at.from)}`,
      ]),
  ),
  "claim.code-ttl": delay("The time from the sending of a code to its expiresAt.", (traffic) =>
    traffic.done(...SENDS).flatMap((call) => {
      const expires = momentAt(call.answer, "expiresAt");
      if (expires === undefined || "idempotency-replayed" in call.answerHeaders) return [];
      return [{ from: call.at, to: expires, seen: [call] }];
    }),
  ),
  "claim.attempts": observer("The number of wrong codes before the code was EXPIRED.", tries),
};

/**
 * Finds the limit of calls about one thing. The accepted calls are counted, and the calls before a refusal for a limit
 * of a field.
 */
function* limitOf(
  traffic: Traffic,
  operations: readonly string[],
  [field, thingOf]: readonly [field: string, thingOf: (call: TrafficCall) => string | undefined],
): Iterable<Range> {
  const counts = new Map<string, number>();
  const known = new Set<string>();
  for (const call of traffic.of(...operations)) {
    const thing = thingOf(call);
    // The key in a header shows a repeated call.
    if (thing === undefined || !call.hasRequestHeaders) continue;
    const count = counts.get(thing) ?? 0;
    const sent = `${textAt(call.answer, "validationId")} ${call.idempotencyKey}`;
    if (!isDone(call)) {
      if (isLimit(call, field) && !traffic.missing.calls) yield { from: -Infinity, to: count, seen: [call] };
    } else if (call.operation !== "resendClaimCode" || !known.has(sent)) {
      counts.set(thing, count + 1);
      known.add(sent);
      yield { from: count + 1, to: Infinity, seen: [call] };
    }
  }
}

function isLimit(call: TrafficCall, field: string): boolean {
  return detailsOf(call).some(
    (detail) => detail.field === field && /LIMIT|TOO_MANY/i.test(`${detail.issue} ${detail.description}`),
  );
}

/** Finds the number of tries for a code. */
function* tries(traffic: Traffic): Iterable<Range> {
  const wrong = new Map<string, TrafficCall[]>();
  for (const call of traffic.of(...CONFIRMS, "resendClaimCode", "requestDonorConfirmation")) {
    const id = textAt(call.body, "validationId") ?? textAt(call.answer, "validationId");
    if (id === undefined) continue;
    if (call.operation === "resendClaimCode" || call.operation === "requestDonorConfirmation") {
      if (isDone(call)) wrong.delete(id);
      continue;
    }
    const before = wrong.get(id) ?? [];
    const about = detailsOf(call).find(({ field }) => field === "code");
    const isWrong = about?.issue === "INVALID" && isWellFormed(call);
    const isOver = before.length > 0 && /EXPIRED|LIMIT|TOO_MANY/.test(about?.issue ?? "");
    if (isDone(call) || isWrong) yield { from: before.length + 1, to: Infinity, seen: [...before, call] };
    else if (isOver && !traffic.missing.calls && !isTooOld(traffic, call, id))
      yield { from: -Infinity, to: before.length, seen: [...before, call] };
    if (!isDone(call) && isWrong) wrong.set(id, [...before, call]);
  }
}

/** Returns true if a code was refused after the end that its answer gave it. */
function isTooOld(traffic: Traffic, call: TrafficCall, id: string): boolean {
  const sent = traffic
    .done(...SENDS)
    .findLast(({ answer, order }) => order < call.order && textAt(answer, "validationId") === id);
  const expires = momentAt(sent?.answer, "expiresAt");
  return expires === undefined || call.at.to >= expires.from;
}

/**
 * Finds cancellations of claims, accepted if the claim was still PENDING. Their time bounds the period that a claim
 * stays open.
 */
function* cancellations(traffic: Traffic, period: "resolution" | "completion"): Iterable<Try> {
  for (const call of traffic.done("createClaim")) {
    const canceled = traffic
      .of("cancelClaim")
      .find(
        ({ params, order }) => params["claimId"] === textAt(call.answer, "claimId") && order > call.order,
      );
    if (canceled === undefined) continue;
    const isConfirmed = traffic
      .done("confirmClaim")
      .some(
        ({ body, order }) =>
          textAt(body, "validationId") === textAt(call.answer, "validationId") && order < canceled.order,
      );
    const isCompletion = textAt(call.body, "type") === "OWNERSHIP" && isConfirmed;
    if (isCompletion !== (period === "completion")) continue;
    const isPending = isDone(canceled);
    const isEnded = isRefused(canceled) && detailsOf(canceled).some(({ issue }) => issue === "NOT_PENDING");
    const elapsed = isPending ? canceled.at.from - call.at.to : canceled.at.to - call.at.from;
    // A claim that ended within seconds was answered by a person.
    if (isPending || (isEnded && elapsed > 60_000))
      yield { value: elapsed, isAccepted: isPending, seen: [call, canceled] };
  }
}

const STILL_OPEN_MS = 600_000;

/** Finds second claims for a key while the first is PENDING. */
function* rivals(traffic: Traffic): Iterable<Found> {
  const open = new Map<string, TrafficCall>();
  for (const call of traffic.of("createClaim", "cancelClaim", ...CONFIRMS)) {
    if (call.operation !== "createClaim") {
      const id = textAt(call.answer, "claimId");
      const isOver = isDone(call) && textAt(call.answer, "status") !== "PENDING";
      for (const [key, first] of open) if (isOver && textAt(first.answer, "claimId") === id) open.delete(key);
      continue;
    }
    const key = textAt(call.body, "key.value")?.toLowerCase();
    if (key === undefined) continue;
    const first = open.get(key);
    if (first === undefined) {
      if (isDone(call)) open.set(key, call);
      continue;
    }
    // No event reports the end of a claim, so only a recent claim is certainly open.
    if (call.at.from - first.at.to > STILL_OPEN_MS) continue;
    const isTaken = detailsOf(call).some(
      ({ field, issue, description }) =>
        field === "key.value" && issue === "ALREADY_EXISTS" && !/belongs/.test(description),
    );
    const isShown = (isDone(call) && !traffic.missing.calls) || (isRefused(call) && isTaken);
    if (isShown) yield { is: !isDone(call), seen: [first, call] };
  }
}
