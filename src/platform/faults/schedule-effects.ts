import type { Effect, Effects } from "./effect.ts";
import { countField, durationField } from "./effect.ts";

const COPIES_MAX = 20;
const copies = countField("How many further copies.", { value: 1, max: COPIES_MAX });
const ofEvent = { on: "webhook", stage: "event" } as const satisfies Partial<Effect>;
const ofAttempt = { on: "webhook", stage: "attempt", slot: "manner" } as const satisfies Partial<Effect>;

/** What is sent, and when in sandbox time: nothing is wrong with the requests themselves. */
export const scheduleEffects = {
  delay: {
    ...ofEvent,
    slot: "start",
    fields: { by: durationField("How long the first attempt waits.") },
    onTheWire: "An ordinary request, late. Events about the same object that come meanwhile overtake it.",
    uncovers: "Something takes it for granted that the event is there once the call has been answered.",
  },
  duplicate: {
    ...ofEvent,
    slot: "copies",
    fields: {
      copies,
      gap: durationField("Between the acknowledgement and a copy, and between two.", "PT0S"),
    },
    onTheWire: "The same bytes again once the event was acknowledged, each copy a delivery of its own.",
    uncovers: "Nothing remembers what was handled: money is credited twice.",
  },
  "duplicate-concurrent": {
    ...ofEvent,
    slot: "first-attempts",
    fields: { copies },
    onTheWire:
      "The first attempt and its copies on connections of their own; the last byte of each is held back until all stand ready, then they are released together.",
    uncovers: "Two copies pass the check for duplicates at once: a unique key is missing.",
  },
  "duplicate-late": {
    ...ofEvent,
    slot: "late-copies",
    fields: { copies, after: durationField("How long after the acknowledgement.") },
    onTheWire: "The same bytes again, long after the event was acknowledged.",
    uncovers: "What was handled is forgotten too early: the memory for duplicates is a short-lived cache.",
  },
  reorder: {
    ...ofEvent,
    slot: "start",
    fields: { window: durationField("The longest that an event is held back.", "PT1M") },
    onTheWire:
      "The event is held back until the company's next event has gone first; that one is never held back itself.",
    uncovers: "State goes backwards: an older event overwrites what a newer one said.",
  },
  "interleave-retry": {
    ...ofEvent,
    slot: "first-attempts",
    fields: {},
    onTheWire:
      "The first attempt never leaves. Its retry waits, for a day at most, until a newer event about the same object has been acknowledged.",
    uncovers: "A late retry overwrites newer state.",
  },
  drop: {
    ...ofAttempt,
    fields: {},
    onTheWire: "Nothing: the attempt never leaves, and counts as failed with a timeout.",
    uncovers: "Nobody looks for events that stay away.",
  },
  "drop-first": {
    ...ofEvent,
    slot: "first-attempts",
    fields: { attempts: countField("How many attempts never leave.", { max: 100 }) },
    onTheWire: "Nothing for the first attempts; then an ordinary request. Five leave the event undelivered.",
    uncovers: "After an outage nothing catches up; the list of undelivered events is never read.",
  },
  outage: {
    ...ofAttempt,
    fields: {},
    needsBetween: true,
    onTheWire:
      "Nothing between the two times: each attempt counts as a refused connection. At the end of the outage all that failed in it comes at once, new events among it.",
    uncovers: "The receiver falls over when a backlog bursts in, or relies on the order of what comes.",
  },
  lose: {
    ...ofEvent,
    slot: "start",
    fields: {},
    onTheWire: "Nothing, ever: no attempt is made, and the event is not listed as undelivered either.",
    uncovers: "There is no reconciliation: what no webhook told of is never found out.",
  },
} as const satisfies Effects;
