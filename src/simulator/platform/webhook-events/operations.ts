import { type ResourceApi, withoutNotFound } from "../operations.ts";

/** The operations and events of undelivered webhook events, as the platform API describes them. */
export const webhookEventApi = {
  operations: {
    listUndeliveredEvents: {
      method: "GET",
      path: "/order/v1/webhook/events",
      tag: "Webhooks",
      summary: "List undelivered webhook events",
      description:
        "Lists the company's undelivered events page by page. All attempts of these events have failed.",
      query: "ListUndeliveredEventsQuery",
      response: "UndeliveredEventList",
      errors: withoutNotFound,
    },
  },
} as const satisfies ResourceApi;
