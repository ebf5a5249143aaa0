import type { StateDifference } from "../../partner/states/comparison.ts";
import type { CauseCode } from "../cause-texts.ts";
import type { Probe } from "./probe.ts";
import type { EventSource, WebhookEvent } from "./event-source.ts";
import { type Finding, type Sent, evidenceOf, failed, failedBy, inconclusive } from "./finding.ts";

/** The advice for a difference that is right. */
export const IGNORE = "If the path is a log or a counter of deliveries, leave it out with --ignore.";

/** The finding if the probe shows no trace of an event. */
export const NOTHING_SHOWN = inconclusive(
  "The probe does not show an accepted event.",
  "Let the probe return everything in the receiver's store, or raise --settle if the receiver works longer after its answer. If the receiver ignores objects that it did not create, check it with sandbank explore.",
);

/** The finding of a check that has to see the state of an object. */
export const OBJECT_UNSEEN = inconclusive(
  "The state of an object in the receiver cannot be seen from outside.",
  "Name a URL with --probe that returns its state as JSON.",
);

/** The finding if the probe shows only counters. */
export const ONLY_COUNTERS: Finding = {
  ...OBJECT_UNSEEN,
  fix: "The probe shows only counters. Let it show each object with its id and its state.",
};

/** Returns the finding for deliveries with another change than expected, with the reason if it is known. */
export function otherChange(
  what: string,
  differences: readonly StateDifference[],
  { code, fix, reason }: { readonly code: CauseCode; readonly fix: string; readonly reason?: string },
): Finding {
  const [{ path, baseline, found }] = differences as [StateDifference];
  const more = differences.length - 1;
  const others =
    more === 0 ? "" : ` ${more === 1 ? "One more place differs." : `${more} more places differ.`}`;
  return failedBy(
    code,
    `${what} left another state than one copy of each event in the right order: at ${path} the probe shows ${String(found)}, expected ${String(baseline)}.${others}${reason === undefined ? "" : ` ${reason}`}`,
    `${fix} ${IGNORE}`,
  );
}

/**
 * Returns the finding if a delivery changed the state, although it should have no effect. Undefined if the state is
 * unchanged. If only objects of other events changed, the change is their late work. `before` is the state before the
 * delivery, and `what` is the delivery in words.
 */
export async function unwantedChange(
  {
    probe,
    options,
  }: {
    readonly probe: Probe | undefined;
    readonly options: { readonly source: Pick<EventSource, "ids"> };
  },
  delivery: {
    readonly event: Pick<WebhookEvent, "ids">;
    readonly before: unknown;
    readonly what: string;
    readonly fix: string;
  },
): Promise<Finding | undefined> {
  const { event, before, what, fix } = delivery;
  if (probe === undefined) return undefined;
  const differences = await probe.differences(before, await probe.settled());
  const [first] = differences;
  if (first === undefined) return undefined;
  const changed = JSON.stringify(differences);
  const isNamed = (id: string): boolean => changed.includes(id);
  if (!event.ids.some(isNamed) && [...options.source.ids].some(isNamed)) return LATE_WORK;
  const { path, baseline, found } = first;
  return failed(
    `${what} changed the state that the probe shows: ${path} was ${shownState(baseline)} before and ${shownState(found)} after it.`,
    `${fix} ${IGNORE}`,
  );
}

/** The finding if the objects of a passed check changed after the check. */
export const CHANGED_LATER = inconclusive(
  "It passed, but its objects changed later: the receiver still worked on them after the check.",
  "Raise --settle, so that the check waits for this work.",
);

const LATE_WORK = inconclusive(
  "Objects of earlier events changed during the check: the receiver still worked on them.",
  "Raise --settle, so that the receiver has time for its work after its answer.",
);

const SHOWN_MAX = 100;

/** Writes a value of a state for a sentence. */
export function shownState(value: unknown): string {
  const text = value === undefined ? "not there" : (JSON.stringify(value) ?? "nothing");
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1)}…` : text;
}

/** The advice for a copy that is handled again. */
export const ONCE =
  "Store each handled event with its object under a unique key, in the transaction that does the work. Answer 200 to duplicates.";

/** Returns the finding for a copy that changes the state again. */
export function changedAgain(
  what: string,
  differences: readonly StateDifference[],
  code: CauseCode = "handled-twice",
): Finding {
  const [{ path, baseline, found }] = differences as [StateDifference];
  const others = differences.length === 1 ? "" : ` (and ${differences.length - 1} more places)`;
  return failedBy(
    code,
    `${what} changed the state that the probe shows: ${path} was ${shownState(baseline)} after the first delivery and ${shownState(found)} after the copy${others}.`,
    `${ONCE} ${IGNORE}`,
  );
}

/** Returns the finding for a refused copy. */
export function duplicateRefused(sent: Sent): Finding {
  if (sent.error === "timeout")
    return inconclusive(
      "A duplicate was not answered in time, so its effect cannot be checked. B2 measures the answers.",
      "Store the event, answer 200, and do the work afterwards. Or raise --timeout.",
    );
  return failedBy(
    "event-refused",
    `A duplicate is answered with ${sent.status ?? sent.error}. The platform treats this as a failure and delivers it again.`,
    "Answer 200 to an event that you have handled already.",
    [evidenceOf(sent, "the same event again", "2xx")],
  );
}
