import { type ResourceApi, described, everyError, subscriptionId } from "../operations.ts";

const scheduledPayment = described("Subscriptions", "ScheduledPaymentEvent", "charge.events");

/** The operations and events of scheduled payments, as the platform API describes them. */
export const scheduledPaymentApi = {
  operations: {
    createScheduledPayment: {
      method: "PUT",
      path: "/public/v1/banking/subscriptions/{id}/payments",
      tag: "Subscriptions",
      summary: "Create a charge of a subscription",
      description:
        "Schedules a charge of an accepted subscription. A repeat with the same externalId and body gets the same answer.",
      creates: true,
      parameters: { id: subscriptionId },
      request: "CreateScheduledPaymentRequest",
      response: "CreateScheduledPaymentResponse",
      errors: everyError,
      assumption: "charge.endpoint",
    },
  },
  events: {
    "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED": scheduledPayment(
      "A charge was scheduled",
      "a charge was scheduled",
      {},
    ),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED": scheduledPayment(
      "A charge was refused",
      "a charge was refused",
      { data: { status: "REJECTED" } },
    ),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED": scheduledPayment("A charge was paid", "a charge was paid", {
      data: { status: "COMPLETED" },
    }),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR": scheduledPayment("A charge failed", "a charge failed", {
      data: { status: "ERROR" },
    }),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELED_INSUFFICIENT_BALANCE": scheduledPayment(
      "A charge found too little money at every attempt of its day",
      "a charge found no funds",
      { data: { status: "CANCELED_INSUFFICIENT_BALANCE" } },
    ),
  },
  statuses: {
    CreateScheduledPaymentResponse: [{ of: "scheduled-payment", id: "id", status: "status" }],
    ScheduledPaymentEvent: [{ of: "scheduled-payment", id: "data.id", status: "data.status" }],
    ScheduledPaymentCancellationEvent: [{ of: "scheduled-payment", id: "data.id", status: "data.status" }],
  },
} as const satisfies ResourceApi;
