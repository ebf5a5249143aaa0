import { type Traffic, centsAt, detailsOf, isDone, isRefused, listAt } from "./traffic.ts";
import { codeOf, payouts } from "./payouts.ts";
import { type Range } from "./observer.ts";

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
