import { type ResourceApi, withoutNotFound } from "../operations.ts";

/** The operations and events of the webhook configuration, as the platform API describes them. */
export const companyApi = {
  operations: {
    getWebhook: {
      method: "GET",
      path: "/order/v1/webhook",
      tag: "Webhooks",
      summary: "Read the webhook configuration",
      description: "Reads the URL of the company's webhooks and the secret that signs them.",
      response: "WebhookConfiguration",
      errors: withoutNotFound,
      assumption: "webhook.config",
    },
    rotateWebhookSecret: {
      method: "POST",
      path: "/order/v1/webhook/rotate-secret",
      tag: "Webhooks",
      summary: "Rotate the webhook secret",
      description: "Makes a new secret. The old secret stops signing immediately, also for retries.",
      response: "WebhookConfiguration",
      errors: withoutNotFound,
      assumption: "webhook.config",
    },
  },
} as const satisfies ResourceApi;
