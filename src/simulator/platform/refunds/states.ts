import { announceRefund } from "./events.ts";
import { refundLifecycle, refundOutcome, refunds } from "./refund.ts";
import { stateMachine } from "../state-machine.ts";
import { disputeLifecycle, disputes } from "./dispute.ts";

export const refundStates = stateMachine(refunds, refundLifecycle, {
  emit: announceRefund,
  arm: {
    "refund.outcome": (tx, refund) => {
      if (refund.origin === undefined) refundOutcome.schedule(tx, refund);
    },
  },
});

export const disputeStates = stateMachine(disputes, disputeLifecycle);
