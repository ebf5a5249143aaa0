import { type Assumption, choice, duration } from "./assumption.ts";

/** The time of a step: at once, after its delay in sandbox time, or only by an act, a plan or a fixture. */
export type AutopilotMode = "immediate" | "clock" | "manual";

const NOT_SHOWN = "The transitions, their actors and their times are not shown.";

const DECIDERS = {
  institution: { mode: "clock", because: "Institutions answer by themselves, in their own time." },
  payer: { mode: "manual", because: "The action of a person, and its time, cannot be known in advance." },
} as const;

/** The id of the assumption that sets when a step is taken automatically. */
export function autopilotId(step: string): string {
  return `autopilot.${step}`;
}

/** The assumption that sets when a step is taken automatically: by default institutions answer, and payers do not. */
export function autopilot(
  step: string,
  decidedBy: keyof typeof DECIDERS,
  summary: string,
): Assumption<AutopilotMode> {
  const { mode, because } = DECIDERS[decidedBy];
  const mayBe = choice(["immediate", "clock", "manual"], {
    alternatives: [],
    says: `${summary}: with immediate it comes immediately, with clock after its delay in sandbox time, and with manual it waits for an act or a plan.`,
    leavesOpen: NOT_SHOWN,
    because,
  });
  return { ...mayBe, default: mode };
}

export const payerAssumptions = {
  "autopilot.payer-delay": duration("PT5S", {
    says: "If a plan or a payer of the fixtures decides a step, the step happens after this delay.",
    leavesOpen: NOT_SHOWN,
    because: "The answer with the QR code must arrive before a payer can read the code.",
  }),
} as const;
