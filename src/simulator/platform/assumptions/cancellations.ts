import { choice, duration, statement } from "./assumption.ts";

export const cancellationAssumptions = {
  "cancellation.delay": duration("PT5S", {
    says: "A cancellation request is PENDING for this time before its answer. A second request in this time is refused.",
    leavesOpen: "Cancellation request: transitions: not shown.",
    because:
      "The other institution answers within seconds. The delay separates the PENDING event from the answer.",
  }),
  "cancellation.event-canceled-at": choice(["null", "time"], {
    says: "canceledAt is always present. It is null unless the cancellation is ACCEPTED. With time it is the time of the event.",
    leavesOpen:
      "All listed fields are required: the canceledAt of a request that is PENDING or REJECTED is not shown.",
    because: "A required field cannot be absent, and a time would report an event that did not happen.",
  }),
  "cancellation.reasons-in-resource": statement("form", {
    says: "A subscription's cancellations show all nine reasons of the event.",
    leavesOpen: "reason: the Cancellation resource lists five of the nine reasons of the event.",
    because:
      "The reason of a cancellation does not change with the place where it is read. API Pix 2.10.0 deprecates the codes behind two of them, PCFD (DUPLICATE_CONFIRMATION) and ERSL (CONFIRMATION_REQUEST_ERROR); the event still lists both.",
  }),
} as const;
