import type { ChangeDifference } from "./state-change.ts";
import type { Probe } from "./probe.ts";
import { type Finding, failed, inconclusive } from "./finding.ts";

/** What to do where a difference is no mistake. */
export const IGNORE = "Where the path is a log or a counter of deliveries, leave it out with --ignore.";

/** The finding where a probe is there and an event left no trace in it. */
export const NOTHING_SHOWN = inconclusive(
  "The probe shows nothing of an event that was accepted.",
  "Let it return all that the receiver stores, or raise --settle if it works later than that. A receiver that ignores objects it did not create is checked by sandbank explore.",
);

/** Deliveries that changed something else than they should have, with the reason if it is known. */
export function otherChange(
  what: string,
  differences: readonly ChangeDifference[],
  { fix, reason }: { readonly fix: string; readonly reason?: string },
): Finding {
  const [{ path, expected, found }] = differences as [ChangeDifference];
  const more = differences.length - 1;
  const others =
    more === 0 ? "" : ` ${more === 1 ? "One more place differs." : `${more} more places differ.`}`;
  return failed(
    `${what} left another state than one copy of each event in its own order: at ${path} the probe shows ${found}; expected is ${expected}.${others}${reason === undefined ? "" : ` ${reason}`}`,
    `${fix} ${IGNORE}`,
  );
}

/** The finding where deliveries that should have no effect changed the state since; undefined where they did not. */
export async function unwantedChange(
  probe: Probe | undefined,
  before: unknown,
  { what, fix }: { readonly what: string; readonly fix: string },
): Promise<Finding | undefined> {
  if (probe === undefined) return undefined;
  const differences = await probe.differences(before, await probe.settled());
  const [first] = differences;
  if (first === undefined) return undefined;
  const { path, baseline, found } = first;
  return failed(
    `${what} changed the state that the probe shows: ${path} was ${shownState(baseline)} before, ${shownState(found)} after it.`,
    `${fix} ${IGNORE}`,
  );
}

const SHOWN_MAX = 100;

/** A value of a state in a sentence. */
export function shownState(value: unknown): string {
  const text = value === undefined ? "not there" : (JSON.stringify(value) ?? "nothing");
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1)}…` : text;
}
