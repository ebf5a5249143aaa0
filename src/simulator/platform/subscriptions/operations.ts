import { type ResourceApi, described, everyError, subscriptionId } from "../operations.ts";

const subscription = described("Subscriptions", "SubscriptionEvent", "subscription.events");

const refused = (status: string) => ({
  data: { status, payer: undefined, statusHistory: [{ status, createdAt: "2026-11-20T12:05:00.000Z" }] },
});

/** The operations and events of subscriptions, as the platform API describes them. */
export const subscriptionApi = {
  operations: {
    createSubscription: {
      method: "POST",
      path: "/order/v1/banking/subscriptions",
      tag: "Subscriptions",
      summary: "Create a subscription QR code",
      description:
        "Creates a subscription for recurring payments, with the QR code for its payer. Journey 2 only authorizes the subscription. Journey 3 also pays a first charge.",
      creates: true,
      scoped: true,
      request: "CreateSubscriptionRequest",
      response: "CreateSubscriptionResponse",
      successStatus: 201,
      errors: everyError,
    },
    getSubscription: {
      method: "GET",
      path: "/order/v1/banking/subscriptions/{id}",
      tag: "Subscriptions",
      summary: "Get a subscription",
      description: "Reads a subscription with its history and its cancellation requests.",
      scoped: true,
      parameters: { id: subscriptionId },
      response: "Subscription",
      errors: everyError,
    },
  },
  events: {
    "SUBSCRIPTION.ACCEPTED": subscription(
      "A subscription was authorized by its payer",
      "a subscription was accepted",
      {},
    ),
    "SUBSCRIPTION.REJECTED": subscription(
      "A subscription was refused",
      "a subscription was rejected",
      refused("REJECTED"),
    ),
    "SUBSCRIPTION.ERROR": subscription("A subscription failed", "a subscription failed", refused("ERROR")),
  },
  statuses: {
    CreateSubscriptionResponse: [{ of: "subscription", id: "id", status: "status" }],
    Subscription: [{ of: "subscription", id: "id", status: { history: "statusHistory" } }],
    SubscriptionEvent: [{ of: "subscription", id: "data.id", status: "data.status" }],
    SubscriptionCancellationEvent: [{ of: "subscription", id: "data.id", status: "data.status" }],
  },
} as const satisfies ResourceApi;
