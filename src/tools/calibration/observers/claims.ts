import {
  type Call,
  type Traffic,
  detailsOf,
  instantAt,
  isDone,
  isRefused,
  isRefusedFor,
  textAt,
} from "./traffic.ts";
import { type Found, type Pair, type Range, type Try, derived, instant } from "./observer.ts";
import { localDate } from "../../../countries/brazil/calendar.ts";

const SENDS = ["createClaim", "resendClaimCode", "requestDonorConfirmation"] as const;
const CONFIRMS = ["confirmClaim", "confirmDonor"] as const;

/** From the sending of a code to its end. */
export function* codeLifetimes(traffic: Traffic): Iterable<Pair> {
  for (const call of traffic.done(...SENDS)) {
    const expires = instantAt(call.answer, "expiresAt");
    if (expires !== undefined && !("idempotency-replayed" in call.answerHeaders))
      yield { from: call.at, to: instant(expires), seen: [call] };
  }
}

function isLimit(call: Call, field: string): boolean {
  return detailsOf(call).some(
    (detail) => detail.field === field && /LIMIT|TOO_MANY/i.test(`${detail.issue} ${detail.description}`),
  );
}

/** How often the code of a validation was sent again. */
export function* resends(traffic: Traffic): Iterable<Range> {
  const counts = new Map<string, Call[]>();
  const seenKeys = new Set<string>();
  for (const call of traffic.of("resendClaimCode")) {
    const id = textAt(call.body, "validationId");
    if (id === undefined) continue;
    const before = counts.get(id) ?? [];
    if (isDone(call)) {
      const key = `${id} ${call.idempotencyKey}`;
      if (seenKeys.has(key)) continue;
      seenKeys.add(key);
      counts.set(id, [...before, call]);
      yield { from: before.length + 1, to: Infinity, seen: [call] };
    } else if (isLimit(call, "validationId"))
      yield { from: -Infinity, to: before.length, seen: [...before, call] };
  }
}

/** How many codes an account sent in one day of Brasília. */
export function* dispatches(traffic: Traffic): Iterable<Range> {
  const counts = new Map<string, number>();
  const seenKeys = new Set<string>();
  // A day whose beginning is not in the file has more than was seen.
  for (const call of traffic.of(...SENDS)) {
    const key = `${call.params["accountId"]} ${localDate(call.at.from)}`;
    const count = counts.get(key) ?? 0;
    if (isDone(call)) {
      const sent = `${textAt(call.answer, "validationId")} ${call.idempotencyKey}`;
      if (call.operation === "resendClaimCode" && seenKeys.has(sent)) continue;
      seenKeys.add(sent);
      counts.set(key, count + 1);
      yield { from: count + 1, to: Infinity, seen: [call] };
    } else if (isLimit(call, "accountId")) yield { from: -Infinity, to: count, seen: [call] };
  }
}

/** How often a code can be tried. */
export function* tries(traffic: Traffic): Iterable<Range> {
  const wrong = new Map<string, Call[]>();
  for (const call of traffic.of(...CONFIRMS, "resendClaimCode", "requestDonorConfirmation")) {
    const id = textAt(call.body, "validationId") ?? textAt(call.answer, "validationId");
    if (id === undefined) continue;
    if (call.operation === "resendClaimCode" || call.operation === "requestDonorConfirmation") {
      if (isDone(call)) wrong.delete(id);
      continue;
    }
    const before = wrong.get(id) ?? [];
    const about = detailsOf(call).find(({ field }) => field === "code");
    if (isDone(call)) yield { from: before.length + 1, to: Infinity, seen: [...before, call] };
    else if (about?.issue === "INVALID" && call.requestProblems.length === 0) {
      wrong.set(id, [...before, call]);
      yield { from: before.length + 1, to: Infinity, seen: [call] };
    } else if (
      about !== undefined &&
      /EXPIRED|LIMIT|TOO_MANY/.test(about.issue) &&
      before.length > 0 &&
      !isTooOld(traffic, call, id)
    )
      yield { from: -Infinity, to: before.length, seen: [...before, call] };
  }
}

/** Whether a code was refused after the end that its answer gave it. */
function isTooOld(traffic: Traffic, call: Call, id: string): boolean {
  const sent = traffic
    .done(...SENDS)
    .findLast(({ answer, order }) => order < call.order && textAt(answer, "validationId") === id);
  const expires = instantAt(sent?.answer, "expiresAt");
  return expires === undefined || call.at.to >= expires;
}

/** A claim with the calls about it. */
interface SeenClaim {
  readonly call: Call;
  readonly type: string;
  readonly confirmed: Call | undefined;
  readonly canceled: Call | undefined;
}

const claims = derived((traffic: Traffic): readonly SeenClaim[] =>
  traffic.done("createClaim").map((call) => {
    const id = textAt(call.answer, "claimId");
    const validation = textAt(call.answer, "validationId");
    const confirmed = traffic
      .done("confirmClaim")
      .find(({ body }) => textAt(body, "validationId") === validation);
    const canceled = traffic
      .of("cancelClaim")
      .find(({ params, order }) => params["claimId"] === id && order > call.order);
    return { call, type: textAt(call.body, "type") ?? "", confirmed, canceled };
  }),
);

/** Whether a claim was still PENDING when it was to be canceled; until when shows the period after which it ends. */
export const claimPeriods = (period: "resolution" | "completion") =>
  function* periodsOf(traffic: Traffic): Iterable<Try> {
    for (const { call, type, confirmed, canceled } of claims(traffic)) {
      if (canceled === undefined) continue;
      const isCompletion =
        type === "OWNERSHIP" && confirmed !== undefined && confirmed.order < canceled.order;
      if (isCompletion !== (period === "completion")) continue;
      const isPending = isDone(canceled);
      const isEnded = isRefused(canceled) && detailsOf(canceled).some(({ issue }) => issue === "NOT_PENDING");
      const elapsed = isPending ? canceled.at.from - call.at.to : canceled.at.to - call.at.from;
      // One that ended within seconds was answered by somebody.
      if (isPending || (isEnded && elapsed > 60_000))
        yield { value: elapsed, isAccepted: isPending, seen: [call, canceled] };
    }
  };

/** What the confirmation of a donor does to a claim. */
export function* donorConfirmations(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.done("confirmDonor")) {
    const status = textAt(call.answer, "status");
    if (status === "DENIED" || status === "COMPLETED") yield { is: status, seen: [call] };
  }
}

/** Claims that are refused because nobody has the key. */
export function* unknownKeys(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createClaim")) {
    const isUnknown = detailsOf(call).some(
      ({ field, issue }) => field === "key.value" && /NOT_FOUND|UNKNOWN/.test(issue),
    );
    if (isRefused(call) && isUnknown) yield { is: "reject", seen: [call] };
  }
}

const STILL_OPEN_MS = 600_000;

/** A second claim for a key while the first is PENDING. */
export function* rivals(traffic: Traffic): Iterable<Found> {
  const open = new Map<string, Call>();
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
    // Nothing reports the end of a claim, so only one of this moment is known to be open.
    if (call.at.from - first.at.to > STILL_OPEN_MS) continue;
    const isTaken = detailsOf(call).some(
      ({ field, issue, description }) =>
        field === "key.value" && issue === "ALREADY_EXISTS" && !/belongs/.test(description),
    );
    if (isDone(call)) yield { is: false, seen: [first, call] };
    else if (isRefused(call) && isTaken) yield { is: true, seen: [first, call] };
  }
}

/** Claims of e-mails of other persons: accepted, or refused for their type. */
export function* emailOwnerships(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createClaim")) {
    const isOwnership = textAt(call.body, "type") === "OWNERSHIP";
    if (!isOwnership || textAt(call.body, "key.type") !== "EMAIL" || call.requestProblems.length > 0)
      continue;
    if (isDone(call)) yield { is: "accept", seen: [call] };
    else if (isRefusedFor(call, /^type$/)) yield { is: "refuse", seen: [call] };
  }
}
