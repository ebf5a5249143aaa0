import type { KillMoment } from "../../partner/partner-system.ts";
import type { WorkTime } from "./answer-times.ts";
import { nameOf, type Schedule } from "./deviations.ts";

/** A planned moment of a kill before the answer. A share is a part of the measured time until the answer. */
export type PlannedMoment = Exclude<KillMoment, "answered"> | { readonly share: number };

/** A kill at a webhook. */
export interface Kill {
  readonly moment: KillMoment;
  /** Called after the kill. `answerMs` is undefined if the kill came before the answer. */
  readonly happened: (at: { readonly afterMs: number; readonly answerMs: number | undefined }) => void;
}

/** Says that no kill of a schedule fell into this part of the system's work. */
export function workNotReached(
  schedule: Schedule,
  {
    work: { fromMs, toMs },
    killDelayMs,
  }: { readonly work: WorkTime; readonly killDelayMs: number | undefined },
): string {
  const missed =
    killDelayMs === undefined
      ? `No kill came between ${Math.floor(fromMs)} and ${Math.ceil(toMs)} ms after the webhook, while your system worked. Try it again with more tries (--repeat), or on a machine that is less busy.`
      : `No kill came while your system worked, between the webhook and the answer after ${Math.ceil(toMs)} ms. The kills came after ${killDelayMs} ms (--kill-delay): choose a time between the two, or leave --kill-delay out.`;
  return `${nameOf(schedule)} is undecided: its moment was not reached. ${missed}`;
}
