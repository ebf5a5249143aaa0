import type { Assumption, Ground } from "./assumption.ts";
import { choice, duration } from "./assumption.ts";

type AutopilotMode = "immediate" | "clock" | "manual";

const NOT_SHOWN = "The transitions are not shown, nor who makes them or when.";
const INSTITUTION = "Institutions answer by themselves, in their own time.";
const PERSON = "Nobody can know beforehand what a person does, or when.";

function autopilot(mode: AutopilotMode, ground: Pick<Ground, "says" | "because">): Assumption<AutopilotMode> {
  return choice(mode, {
    choices: ["immediate", "clock", "manual"],
    says: `${ground.says}: immediate answers at once, clock after its delay in sandbox time, manual waits for an act or a plan.`,
    leavesOpen: NOT_SHOWN,
    because: ground.because,
  });
}

/** How each kind of step moves that something outside the platform decides; the ids are those of the plans. */
export const autopilotAssumptions = {
  "autopilot.subscription.authorization": autopilot("manual", {
    says: "The payer's answer to a subscription's QR code",
    because: PERSON,
  }),
  "autopilot.order.payment": autopilot("manual", { says: "The payment of an order", because: PERSON }),
  "autopilot.cancellation.answer": autopilot("clock", {
    says: "The other institution's answer to a cancellation request",
    because: INSTITUTION,
  }),
  "autopilot.scheduled-payment.scheduling": autopilot("clock", {
    says: "The payer institution's answer to a new charge",
    because: INSTITUTION,
  }),
  "autopilot.scheduled-payment.settlement": autopilot("clock", {
    says: "The payer institution's attempt to settle a charge",
    because: INSTITUTION,
  }),
  "autopilot.payout.settlement": autopilot("clock", {
    says: "The settlement of a payout",
    because: INSTITUTION,
  }),
  "autopilot.refund.outcome": autopilot("clock", { says: "The outcome of a refund", because: INSTITUTION }),
  "autopilot.claim.answer": autopilot("manual", { says: "The donor's answer to a claim", because: PERSON }),
  "autopilot.payer-delay": duration("PT5S", {
    says: "What a plan or a payer of the fixtures decides happens after this delay, where the step would else wait for a hand.",
    leavesOpen: NOT_SHOWN,
    because: "The answer that shows the QR code has to arrive before the QR code can be read.",
  }),
} as const;
