import { type Traffic, at, textAt } from "./traffic.ts";
import {
  AT_ONCE_MS,
  type Check,
  type Observers,
  type Range,
  atTimeOfDay,
  delay,
  derived,
  either,
  msOfDay,
  observer,
  until,
} from "./observer.ts";
import { isBankBusinessDay } from "../../../countries/brazil/bank-days.ts";
import { localDate } from "../../../countries/brazil/calendar.ts";
import { payouts } from "./payouts.ts";

/** Of TED payouts. */
export const tedObservers: Observers = {
  "payout.ted-delay": delay(
    "From the creation of a TED payout to its event, where that comes within the hour.",
    (traffic) => teds(traffic).seen.filter(({ isPrompt }) => isPrompt),
  ),
  // They end as long after it as any other. Where all of them waited, nothing shows how long that is.
  "payout.ted-opens": observer("The time of the events of TED payouts that had to wait.", (traffic) => {
    const { seen, delayMs } = teds(traffic);
    const withinMs = delayMs === undefined ? USUAL_TED_MS : undefined;
    return seen
      .filter(({ isPrompt }) => !isPrompt)
      .map(({ endedAt, ended }) => atTimeOfDay(endedAt - (delayMs ?? 0), [ended], withinMs));
  }),
  "payout.ted-closes": observer("Until when a TED of a business day is settled on that day.", tedClosing),
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

/** A TED that ends this soon was sent in the window; one that ends later waited for the next. */
const PROMPT_MS = 3_600_000;

/** Hours in which a TED is sent on any platform. */
const OFFICE_MS = [9 * 3_600_000, 16 * 3_600_000] as const;

/** One that was created outside office hours, where none was created in them, waited if it took longer than this. */
const USUAL_TED_MS = 600_000;

/** The TED payouts of a session. How long one takes in office hours shows which of the others waited. */
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

/** Until when a TED of a business day is sent on that day. */
function* tedClosing(traffic: Traffic): Iterable<Range> {
  for (const { from: created, endedAt, isPrompt, seen } of teds(traffic).seen) {
    const date = localDate(created.from);
    // Where nothing is waited for, the hours do not matter either.
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
