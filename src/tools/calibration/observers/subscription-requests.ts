import { derived } from "./observer.ts";
import { type Call, type Traffic, textAt } from "./traffic.ts";

/** The requests that made subscriptions, by the id of the subscription. */
export const subscriptionRequests = derived(
  (traffic: Traffic): ReadonlyMap<string, Call> =>
    new Map(traffic.done("createSubscription").map((call) => [textAt(call.answer, "id") ?? "", call])),
);
