import { type Call, type Span, type Traffic, type Webhook, at, createdAt, textAt } from "./traffic.ts";
import {
  AT_ONCE_MS,
  type Check,
  type Moment,
  type Pair,
  type Range,
  derived,
  either,
  instant,
  msOfDay,
} from "./observer.ts";
import { isBankBusinessDay } from "../../../countries/brazil/bank-days.ts";
import { localDate } from "../../../countries/brazil/calendar.ts";
import { payouts, settled } from "./payouts.ts";

/** A TED that ends this soon was sent in the window; one that ends later waited for the next. */
const PROMPT_MS = 3_600_000;

/** Hours in which a TED is sent on any platform. */
const OFFICE_MS = [9 * 3_600_000, 16 * 3_600_000] as const;

/** A TED with the time until its end, and whether it had to wait for the window. */
interface SeenTed {
  readonly call: Call;
  readonly ended: Webhook;
  readonly created: Span;
  readonly endedAt: number;
  readonly isPrompt: boolean;
}

/** The TED payouts of a session. How long one takes in office hours shows which of the others waited. */
const teds = derived((traffic: Traffic) => {
  const all = Array.from(settled(traffic, "TED"), (payout) => ({
    ...payout,
    created: createdAt(payout.call),
  }));
  const takes = ({ created, endedAt }: (typeof all)[number]): number => endedAt - created.to;
  const isInOffice = ({ created: { from } }: (typeof all)[number]): boolean =>
    isBankBusinessDay(localDate(from)) && msOfDay(from) >= OFFICE_MS[0] && msOfDay(from) < OFFICE_MS[1];
  const usual = all.filter((ted) => isInOffice(ted) && takes(ted) < PROMPT_MS).map(takes);
  const delayMs = usual.length === 0 ? undefined : Math.max(0, ...usual);
  const seen = all.map((ted): SeenTed => {
    const promptMs = delayMs === undefined ? USUAL_TED_MS : delayMs * 1.5 + 60_000;
    return { ...ted, isPrompt: takes(ted) < (isInOffice(ted) ? PROMPT_MS : Math.min(PROMPT_MS, promptMs)) };
  });
  return { seen, delayMs };
});

/** One that was created outside office hours, where none was created in them, waited if it took longer than this. */
const USUAL_TED_MS = 600_000;

/** From the creation of a TED payout in the window to its end. */
export function* tedSettling(traffic: Traffic): Iterable<Pair> {
  for (const { call, ended, created, endedAt, isPrompt } of teds(traffic).seen)
    if (isPrompt) yield { from: created, to: instant(endedAt), seen: [call, ended] };
}

/**
 * When the TED that waited are sent: they end as long after it as any other. Where all of them waited, nothing shows
 * how long that is.
 */
export function* tedOpening(traffic: Traffic): Iterable<Moment> {
  const { seen, delayMs } = teds(traffic);
  const unknown = delayMs === undefined ? { withinMs: USUAL_TED_MS } : {};
  for (const { ended, endedAt, isPrompt } of seen)
    if (!isPrompt) yield { at: endedAt - (delayMs ?? 0), ...unknown, seen: [ended] };
}

/** Until when a TED of a business day is sent on that day. */
export function* tedClosing(traffic: Traffic): Iterable<Range> {
  for (const { call, ended, created, endedAt, isPrompt } of teds(traffic).seen) {
    const date = localDate(created.from);
    if (!isBankBusinessDay(date)) continue;
    const seen = [call, ended];
    // Where nothing is waited for, the hours do not matter either.
    if (endedAt - created.from <= AT_ONCE_MS) continue;
    if (isPrompt) yield { from: msOfDay(created.from) + 1, to: Infinity, seen };
    else if (localDate(endedAt) !== date) yield { from: -Infinity, to: msOfDay(created.to), seen };
  }
}

export function* tedIds(traffic: Traffic): Iterable<Check> {
  for (const { call, method, ended } of payouts(traffic)) {
    if (method !== "TED") continue;
    yield either(
      textAt(call.answer, "endToEndId") !== undefined,
      ["the answer has an endToEndId", "it has none"],
      [call],
      "answer",
    );
    if (ended === undefined) continue;
    const id = at(ended.body, "endToEndId") ?? null;
    yield either(id === null, ["its events have null", "its events have one"], [ended], "events");
  }
}

export function* controlNumbers(traffic: Traffic): Iterable<Check> {
  for (const { method, ended } of payouts(traffic)) {
    const number = textAt(ended?.body, "controlNumber");
    if (method !== "TED" || ended === undefined || number === undefined) continue;
    yield either(
      /^STR\d{8}\d{9}$/.test(number),
      ["STR, the date and nine digits", `it is ${number}`],
      [ended],
    );
  }
}
