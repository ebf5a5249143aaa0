import { duration, statement } from "./assumption.ts";

export const cancellationAssumptions = {
  "cancellation.delay": duration("PT5S", {
    says: "A cancellation request is PENDING for this long before it is answered; a second one in the meantime is refused.",
    leavesOpen: "Cancellation request: transitions: not shown.",
    because:
      "The other institution answers within seconds, and a delay makes the PENDING event one of its own.",
  }),
  "cancellation.event-canceled-at": statement({
    says: "canceledAt is always there, and null unless the cancellation is ACCEPTED.",
    leavesOpen:
      "All listed fields are required: the canceledAt of a request that is PENDING or REJECTED is not shown.",
    because: "A required field cannot be left out, and a time would claim what did not happen.",
  }),
  "cancellation.reasons-in-resource": statement({
    says: "A subscription's cancellations show all nine reasons of the event.",
    leavesOpen: "reason: the Cancellation resource lists five of the nine reasons of the event.",
    because: "The reason of a cancellation does not change with the place where it is read.",
  }),
} as const;
