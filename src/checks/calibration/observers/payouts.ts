import {
  type TrafficCall,
  type Traffic,
  type Webhook,
  centsAt,
  detailsOf,
  isDone,
  isRefused,
  isWellFormed,
  lastBy,
} from "./traffic.ts";
import { at, listAt, textAt } from "../../../simulator/engine/json.ts";
import {
  type Check,
  type Found,
  type Observers,
  type Pair,
  type Range,
  AT_ONCE_MS,
  INACTIVE,
  atTimeOfDay,
  delay,
  derived,
  either,
  msOfDay,
  observer,
  until,
} from "./observer.ts";
import { accountOwners } from "./http.ts";
import { isBankBusinessDay } from "../../../simulator/countries/brazil/bank-days.ts";
import { localDate } from "../../../simulator/countries/brazil/calendar.ts";
import { readFields, crc16 } from "../../../simulator/countries/brazil/emv.ts";
import { uniqueIds } from "./requests.ts";

export const payoutObservers: Observers = {
  "payout.pix-delay": delay("The time from the creation of a PIX payout to its event.", pixSettling),
  "payout.returns": observer(
    "ORDER-PAYOUT.CANCELED or ORDER-PAYOUT.ERROR after ORDER-PAYOUT.PAID. A return without an event is not visible.",
    returns,
  ),
  "payout.insufficient-balance": observer("The answer to a payout above the balance.", aboveBalance),
  "payout.inactive-account": INACTIVE,
  "payout.foreign-account": observer(
    "The answer for an account that another company was seen to own.",
    foreignAccounts,
  ),
  "payout.batch-threshold": observer(
    "The amount of the first transaction of a batch, and amounts that were not split.",
    thresholds,
  ),
  "payout.parent-status": "No event shows the outcomes of the transactions of a batch.",
  "payout.receiver-mismatch": observer(
    "The outcome of a payout if its receiver does not own the key.",
    otherReceivers,
  ),
  "payout.unknown-key": observer("The outcome of a payout to a key without an owner.", unknownKeys),
  "payout.external-id-unique": uniqueIds(
    "The answer to a second payout with the same externalId.",
    "externalId",
    "createPayout",
  ),
  "payout.batch-size-max": observer(
    "The number of transactions of batches, and of refused batches.",
    batchSizes,
  ),
  "payout.dynamic-qrcode": "The order behind a code is in the traffic of another company.",
  "payout.receiving-account": "The state of the receiving account is in no answer.",
  "payout.ted-delay": delay(
    "The time from the creation of a TED payout to its event, if that comes within an hour.",
    (traffic) => teds(traffic).seen.filter(({ isPrompt }) => isPrompt),
  ),
  // A delayed TED payout takes as long after its opening as any other TED. If all of them waited, the traffic does not
  // show this duration.
  "payout.ted-opens": observer("The time of the events of TED payouts that had to wait.", (traffic) => {
    const { seen, delayMs } = teds(traffic);
    const withinMs = delayMs === undefined ? USUAL_TED_MS : undefined;
    return seen
      .filter(({ isPrompt }) => !isPrompt)
      .map(({ endedAt, ended }) => atTimeOfDay(endedAt - (delayMs ?? 0), [ended], withinMs));
  }),
  "payout.ted-closes": observer(
    "The last time of a business day at which a TED is settled on that day.",
    tedClosing,
  ),
  "payout.ted-end-to-end-id": observer("The endToEndId in the answers and events of TED payouts.", tedIds),
  "payout.control-number": observer("The form of the controlNumber.", function* controlNumbers(traffic) {
    for (const { method, ended } of payouts(traffic)) {
      const number = textAt(ended?.body, "controlNumber");
      if (method !== "TED" || ended === undefined || number === undefined) continue;
      const isForm = /^STR\d{8}\d{9}$/.test(number);
      yield either(isForm, ["STR, the date and nine digits", `it is ${number}`], [ended]);
    }
  }),
};

/** A payout that the partner created, with its final event. */
interface SeenPayout {
  readonly call: TrafficCall;
  readonly method: string;
  readonly ended: Webhook | undefined;
}

/** The payouts of a session. */
const payouts = derived((traffic: Traffic): readonly SeenPayout[] => {
  // The first of its events ends a payout. Later events are about money that came back, or that was sent after all.
  const events = lastBy("id", traffic.named("ORDER-PAYOUT.*").toReversed());
  return Array.from(traffic.created("createPayout"), ([id, call]) => {
    return { call, method: textAt(call.body, "paymentMethod") ?? "", ended: events.get(id) };
  });
});

/** Returns the time from the creation of a PIX payout to its end. */
export function pixSettling(traffic: Traffic): Pair[] {
  const pix = payouts(traffic).filter(({ method }) => method === "PIX");
  return pix.flatMap(({ call, ended }) => until(call, ended));
}

/** Payouts that came back after they were paid. */
function* returns(traffic: Traffic): Iterable<Found> {
  for (const { call, ended } of payouts(traffic)) {
    if (ended?.event !== "ORDER-PAYOUT.PAID") continue;
    const back = traffic
      .named("ORDER-PAYOUT.CANCELED", "ORDER-PAYOUT.ERROR")
      .find(({ body, order }) => textAt(body, "id") === textAt(ended.body, "id") && order > ended.order);
    const is = back?.event === "ORDER-PAYOUT.ERROR" ? "error-event" : "canceled-event";
    if (back !== undefined) yield { is, seen: [call, ended, back] };
  }
}

/** A balance that was read longer ago may have changed. */
const READ_MS_MAX = 60_000;

const balanceReads = derived((traffic: Traffic) =>
  Map.groupBy(traffic.done("getAccountBalance"), ({ params }) => params["accountId"]),
);

/** Returns the read balance right before a payout above it. Undefined if the balance may have changed since. */
function lowerBalance(traffic: Traffic, call: TrafficCall): TrafficCall | undefined {
  const reads = balanceReads(traffic).get(textAt(call.body, "accountId"));
  const read = reads?.findLast(({ order }) => order < call.order);
  const cents = centsAt(read?.answer, "balance.value");
  if (read === undefined || cents === undefined || call.at.to - read.at.from > READ_MS_MAX) return undefined;
  if ((centsAt(call.body, "amount.value") ?? 0) <= cents) return undefined;
  const isSince = ({ order }: { readonly order: number }): boolean =>
    order > read.order && order < call.order;
  const isDisturbed =
    traffic.missing.calls ||
    traffic.missing.webhooks ||
    traffic.events.some(isSince) ||
    traffic.calls.some((other) => isSince(other) && other.method !== "GET");
  return isDisturbed ? undefined : read;
}

/** The names of refusals, by status and error. */
const REFUSALS: Readonly<Record<string, string>> = {
  "403 FORBIDDEN_ERROR": "forbidden",
  "400 INVALID_REQUEST": "invalid",
  "403 FORBIDDEN_ERROR no issue": "forbidden",
  "400 INVALID_REQUEST INSUFFICIENT_BALANCE": "invalid",
};

function refusalOf({ status, answer }: TrafficCall): string {
  return `${status} ${textAt(answer, "error") ?? ""}`;
}

/** Payouts above the balance that was read last. */
function* aboveBalance(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout")) {
    const read = isDone(call) ? lowerBalance(traffic, call) : undefined;
    if (read !== undefined) yield { is: "it is accepted", seen: [read, call] };
    const issue = detailsOf(call).find(({ field }) => field === "amount.value")?.issue ?? "no issue";
    const found = `${refusalOf(call)} ${issue}`;
    if (isRefused(call) && /BALANCE/i.test(JSON.stringify(call.answer)))
      yield { is: REFUSALS[found] ?? found, seen: [call] };
  }
}

/** Payouts from an account that another company was seen to own. */
function* foreignAccounts(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout").filter(isRefused).filter(isWellFormed)) {
    const owner = accountOwners(traffic).get(textAt(call.body, "accountId") ?? "");
    const found = refusalOf(call);
    const isForeign =
      owner !== undefined && owner.company !== "" && call.company !== "" && owner.company !== call.company;
    if (isForeign) yield { is: REFUSALS[found] ?? found, seen: [owner, call] };
  }
}

/** Reads the QR code of a request into its fields. Undefined if the code is unreadable. */
function codeOf(call: TrafficCall): ReadonlyMap<string, string> | undefined {
  const text = textAt(call.body, "paymentData.qrcodeData") ?? "";
  try {
    const fields = readFields(text, "the code");
    const isWhole = fields.size > 0 && crc16(text.slice(0, -4)) === fields.get("63")?.toUpperCase();
    return isWhole ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the ERROR that ended a payout, if it was not forced. */
function failureOf(traffic: Traffic, call: TrafficCall): Webhook[] {
  const ended = payouts(traffic).find((payout) => payout.call === call)?.ended;
  return ended?.event === "ORDER-PAYOUT.ERROR" && !ended.isByHand ? [ended] : [];
}

const DOCUMENT = /^(\d{11}|[0-9A-Z]{12}\d{2})$/;

/** Finds payouts with the document of a receiver who is not the owner of the key. */
function* otherReceivers(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout")) {
    const key = textAt(call.body, "paymentData.pixKey") ?? "";
    const document = textAt(call.body, "receiver.document.number");
    if (document === undefined || at(call.body, "paymentData.bankAccount") !== undefined) continue;
    if (isRefused(call) && isMismatch(call)) yield { is: "reject", seen: [call] };
    const isOther = DOCUMENT.test(key) && key !== document;
    for (const failure of failureOf(traffic, call))
      if (isOther || /\bBE01\b/.test(textAt(failure.body, "message") ?? ""))
        yield { is: "accept-then-error", seen: [call, failure] };
  }
}

function isMismatch(call: TrafficCall): boolean {
  return (
    isWellFormed(call) &&
    detailsOf(call).some(
      ({ field, issue, description }) =>
        field.startsWith("receiver.document") && (issue === "MISMATCH" || /owner/i.test(description)),
    )
  );
}

/** Finds payouts to unknown keys. */
/** Returns true if a message says that a PIX key is not known. */
export function namesUnknownKey(message: string): boolean {
  const [, ...afterKey] = message.split(/key /i);
  return /no key/i.test(message) || /not registered|not exist|unknown/i.test(afterKey.join(""));
}

function* unknownKeys(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout")) {
    if (textAt(call.body, "paymentData.pixKey") === undefined) continue;
    const isUnknown = detailsOf(call).some(
      ({ field, issue, description }) =>
        field === "paymentData.pixKey" &&
        (/UNKNOWN|NOT_FOUND/.test(issue) || /not registered|not exist/i.test(description)),
    );
    if (isRefused(call) && isUnknown) yield { is: "reject", seen: [call] };
    for (const failure of failureOf(traffic, call))
      if (namesUnknownKey(textAt(failure.body, "message") ?? ""))
        yield { is: "accept-then-error", seen: [call, failure] };
  }
}

/**
 * Finds the amount above which payouts are split: the amount of the first part of a batch, or more than the largest
 * amount that was paid whole.
 */
function* thresholds(traffic: Traffic): Iterable<Range> {
  for (const { call } of payouts(traffic)) {
    const parts = listAt(call.answer, "batch.transactions").map((part) => centsAt(part, "amount"));
    const [first, second] = parts;
    const amount = centsAt(call.body, "amount.value");
    // A dynamic QR code is paid in one piece.
    const isWhole = codeOf(call)?.get("01") === "12";
    if (first !== undefined && second !== undefined) yield { from: first, to: first, seen: [call] };
    else if (amount !== undefined && !isWhole && (first === undefined || parts.length === 1))
      yield { from: amount, to: Infinity, seen: [call] };
  }
}

/** Finds the number of transactions of batches, and of refused batches. */
function* batchSizes(traffic: Traffic): Iterable<Range> {
  const threshold = Array.from(thresholds(traffic)).find(({ from, to }) => from === to);
  for (const call of traffic.of("createPayout")) {
    const amount = centsAt(call.body, "amount.value");
    const count = listAt(call.answer, "batch.transactions").length;
    if (isDone(call) && count > 1) yield { from: count, to: Infinity, seen: [call] };
    const about = detailsOf(call).filter(({ field }) => field === "amount.value");
    const isForSize = about.length > 0 && about.every(({ issue }) => !/BALANCE|MISMATCH/.test(issue));
    if (!isRefused(call) || !isForSize || !isWellFormed(call) || amount === undefined) continue;
    const size = threshold === undefined ? sizeIn(about[0]?.description) : Math.ceil(amount / threshold.from);
    if (size !== undefined && size > 1) yield { from: -Infinity, to: size - 1, seen: [call] };
  }
}

/** `… split into 40 transactions …`. */
function sizeIn(description: string | undefined): number | undefined {
  const [, size] = /\b(\d{1,6}) (?:transactions|parts|payments)/.exec(description ?? "") ?? [];
  return size === undefined ? undefined : Number(size);
}

/** A TED that ends this soon was sent in the window. A TED that ends later waited for the next window. */
const PROMPT_MS = 3_600_000;

/** The hours during which a TED is sent on any platform. */
const OFFICE_MS = [9 * 3_600_000, 16 * 3_600_000] as const;

/** If no TED was created in office hours, a TED that takes longer than this has waited. */
const USUAL_TED_MS = 600_000;

/** Returns the TED payouts of a session. The duration of a TED in office hours shows which of the others waited. */
const teds = derived((traffic: Traffic) => {
  const all = payouts(traffic)
    .filter(({ method }) => method === "TED")
    .flatMap(({ call, ended }) =>
      until(call, ended).map((pair) => {
        const { from } = pair.from;
        const isInOffice =
          isBankBusinessDay(localDate(from)) && msOfDay(from) >= OFFICE_MS[0] && msOfDay(from) < OFFICE_MS[1];
        const endedAt = pair.to.from;
        return { ...pair, ended: pair.seen[1], endedAt, takesMs: endedAt - pair.from.to, isInOffice };
      }),
    );
  const usual = all.filter(({ isInOffice, takesMs }) => isInOffice && takesMs < PROMPT_MS);
  const delayMs = usual.length === 0 ? undefined : Math.max(0, ...usual.map(({ takesMs }) => takesMs));
  const otherMs = delayMs === undefined ? USUAL_TED_MS : Math.min(PROMPT_MS, delayMs * 1.5 + 60_000);
  const seen = all.map((ted) => ({ ...ted, isPrompt: ted.takesMs < (ted.isInOffice ? PROMPT_MS : otherMs) }));
  return { seen, delayMs };
});

/** Finds the time until which a TED of a business day is sent on that day. */
function* tedClosing(traffic: Traffic): Iterable<Range> {
  for (const { from: created, endedAt, isPrompt, seen } of teds(traffic).seen) {
    const date = localDate(created.from);
    // If TEDs do not wait, the hours do not matter either.
    if (!isBankBusinessDay(date) || endedAt - created.from <= AT_ONCE_MS) continue;
    if (isPrompt) yield { from: msOfDay(created.from) + 1, to: Infinity, seen };
    else if (localDate(endedAt) !== date) yield { from: -Infinity, to: msOfDay(created.to), seen };
  }
}

function* tedIds(traffic: Traffic): Iterable<Check> {
  for (const { call, method, ended } of payouts(traffic)) {
    if (method !== "TED") continue;
    const isInAnswer = textAt(call.answer, "endToEndId") !== undefined;
    yield either(isInAnswer, ["the answer has an endToEndId", "it has none"], [call], "answer");
    const isNull = (at(ended?.body, "endToEndId") ?? null) === null;
    if (ended !== undefined)
      yield either(isNull, ["its events have null", "its events have one"], [ended], "events");
  }
}
