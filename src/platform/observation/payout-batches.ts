import { type Traffic, at, centsAt, detailsOf, isDone, isRefused, listAt, textAt } from "./traffic.ts";
import { codeOf, payouts } from "./payouts.ts";
import { type Check, type Range, either } from "./observer.ts";

/** The amount above which payouts are split: that of the first of a batch, or more than what was paid whole. */
export function* thresholds(traffic: Traffic): Iterable<Range> {
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

/** The number of transactions of batches, and of those that were refused. */
export function* batchSizes(traffic: Traffic): Iterable<Range> {
  const threshold = Array.from(thresholds(traffic)).find(({ from, to }) => from === to);
  for (const call of traffic.of("createPayout")) {
    const amount = centsAt(call.body, "amount.value");
    const count = listAt(call.answer, "batch.transactions").length;
    if (isDone(call) && count > 1) yield { from: count, to: Infinity, seen: [call] };
    const about = detailsOf(call).filter(({ field }) => field === "amount.value");
    const isForSize = about.length > 0 && about.every(({ issue }) => !/BALANCE|MISMATCH/.test(issue));
    if (!isRefused(call) || !isForSize || call.requestProblems.length > 0 || amount === undefined) continue;
    const size = threshold === undefined ? sizeIn(about[0]?.description) : Math.ceil(amount / threshold.from);
    if (size !== undefined && size > 1) yield { from: -Infinity, to: size - 1, seen: [call] };
  }
}

/** `… split into 40 transactions …`. */
function sizeIn(description: string | undefined): number | undefined {
  const [, size] = /\b(\d{1,6}) (?:transactions|parts|payments)/.exec(description ?? "") ?? [];
  return size === undefined ? undefined : Number(size);
}

export function* sequences(traffic: Traffic): Iterable<Check> {
  for (const { call } of payouts(traffic)) {
    const found = listAt(call.answer, "batch.transactions").map((part) => at(part, "sequence"));
    if (found.length > 1)
      yield either(
        found.every((sequence, index) => sequence === index + 1),
        ["the sequence counts from 1", `it is ${found.slice(0, 3).join(", ")}`],
        [call],
      );
  }
}

export function* batchIds(traffic: Traffic): Iterable<Check> {
  for (const { call } of payouts(traffic)) {
    const [first] = listAt(call.answer, "batch.transactions");
    const own = textAt(first, "endToEndId");
    if (own !== undefined)
      yield either(
        own === textAt(call.answer, "endToEndId"),
        ["the endToEndId is that of the first transaction", "it is another one"],
        [call],
      );
  }
}

/** Events about transactions of a batch, and about the batch. */
export function* batchEvents(traffic: Traffic): Iterable<Check> {
  for (const { call } of payouts(traffic)) {
    const ids = listAt(call.answer, "batch.transactions").map((part) => textAt(part, "id"));
    if (ids.length === 0) continue;
    for (const event of traffic.named("ORDER-PAYOUT.*")) {
      const id = textAt(event.body, "id");
      if (id === textAt(call.answer, "id") || ids.includes(id))
        yield either(
          !ids.includes(id),
          ["events are about the payout", "events are about its transactions"],
          [call, event],
        );
    }
  }
}

export function* transactionStatuses(traffic: Traffic): Iterable<Check> {
  for (const { call } of payouts(traffic))
    for (const part of listAt(call.answer, "batch.transactions")) {
      const status = textAt(part, "status") ?? "";
      const isKnown = ["PENDING", "PAID", "CANCELED", "ERROR"].includes(status);
      yield either(
        isKnown,
        ["PENDING, then PAID, CANCELED or ERROR", `${status} occurs`],
        [call],
        isKnown ? "" : status,
      );
    }
}
