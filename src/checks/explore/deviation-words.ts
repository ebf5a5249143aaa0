import { type Deviation, type DeviationKind, kindOf } from "./deviations.ts";
import type { ExploreResult } from "./exploration.ts";

/** The effect of each deviation in words. */
export const KINDS: Readonly<Record<DeviationKind, string>> = {
  late: "held until after the next event",
  twice: "again right after it was acknowledged",
  "twice-late": "again after everything else",
  "twice-at-once": "both copies at the same moment",
  "answer-lost": "its answer was lost, and it came again",
  "first-try-lost": "the first attempt was lost, the retry came later",
  early: "before the answer of the call that announced it",
  together: "at the same moment as the next event about the object, or of the same instant",
  "call-refused": "answered with 503, and nothing was done",
  "call-lost": "the connection was reset before anything was done",
  "call-answer-lost": "carried out, and the answer was lost",
  "call-fails-after": "carried out, and answered with 500",
  "call-slow": "carried out, and answered late",
  "call-limited": "answered with 429, and nothing was done",
  "token-expired": "answered with 401, and the token is dead",
  "request-twice": "sent twice at the same moment",
  "killed-before-answer": "the process was killed while it handled the event",
  "killed-after-answer": "the process was killed right after it had answered",
  "killed-in-call": "carried out, and the process was killed before it had the answer",
  "killed-after-call": "the process was killed right after it had the answer",
};

/** Returns `late on event 2` or `call-lost on call 3`. */
export function deviationText({ event, call, step, kind, with: other }: Deviation): string {
  const [of, index] =
    event !== undefined ? ["event", event] : call !== undefined ? ["call", call] : ["step", step];
  return `${kind} on ${of} ${index}${other === undefined ? "" : ` with ${other}`}`;
}

/** Returns the deviations of a schedule in words. */
export function scheduleText(schedule: readonly Deviation[]): string {
  return schedule.length === 0 ? "the baseline" : schedule.map(deviationText).join(" and ");
}

/** A longer value is cut. */
const VALUE_MAX = 160;

/** Returns a value on one line. */
export function valueText(value: unknown): string {
  if (value === undefined) return "nothing there";
  const text = JSON.stringify(value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}

/** Counts the tried schedules and names their result. */
export function triedSentence(result: ExploreResult): string {
  const { schedules, depth, divergences, verdict, unfinished, rest } = result;
  const { tried, total, skipped, notReached = 0 } = schedules;
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const open = divergences.filter(({ accepted }) => accepted !== true).length;
  const known = divergences.length - open;
  return [
    `${tried} of ${total} schedules tried, up to ${counted(depth, "deviation")} each.`,
    ...(skipped === 0 ? [] : [`${skipped} skipped: they contain a schedule that failed.`]),
    ...(notReached === 0
      ? []
      : [`${notReached} not reached: their event or call did not occur in the run, so they were not tried.`]),
    open === 0
      ? "The state in the end was the same after each."
      : `${counted(open, "way")} to another state.`,
    ...(known === 0 ? [] : [`${known} accepted by --baseline.`]),
    ...(unfinished === undefined ? [] : [`${verdict === "undecided" ? "Undecided: " : ""}${unfinished}`]),
    ...(rest === undefined ? [] : [`Method to detect rest: ${rest}.`]),
  ].join(" ");
}

/** Says why no deviation is possible. */
export function nothingPossible(kinds: ReadonlySet<DeviationKind>): string {
  const isAboutCalls = Array.from(kinds).every((kind) => kindOf(kind).of !== "event");
  if (!isAboutCalls) return "No deviation is possible: choose other kinds with --only and --without.";
  return "No call can be disturbed, because no call would be repeated. Let your system call the sandbox (`request` steps and --port), or write `retry` at a `call` step.";
}
