import type { KillMoment } from "../../partner/partner-system.ts";
import { nameOf, type Schedule } from "./deviations.ts";

/** A planned moment of a kill before the answer. A share is a part of the measured time until the answer. */
export type PlannedMoment = Exclude<KillMoment, "answered"> | { readonly share: number };

/** A kill at a webhook. */
export interface Kill {
  readonly moment: KillMoment;
  /** Called after the kill. `answerMs` is undefined if the kill came before the answer. */
  readonly happened: (at: { readonly afterMs: number; readonly answerMs: number | undefined }) => void;
}

/** Says that no kill of a schedule fell into the work of a system that usually answers after `usualMs`. */
export function workNotReached(
  schedule: Schedule,
  { usualMs, killDelayMs }: { readonly usualMs: number; readonly killDelayMs: number | undefined },
): string {
  const fix =
    killDelayMs === undefined
      ? "Try it again with more tries (--repeat)."
      : `The kills came after ${killDelayMs} ms (--kill-delay): choose a time between the two, or leave --kill-delay out.`;
  return `${nameOf(schedule)} is undecided: its moment was not reached. No kill came while your system worked, between the webhook and the answer after ${Math.ceil(usualMs)} ms. ${fix}`;
}
