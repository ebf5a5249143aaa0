import type { Records } from "../../engine/store.ts";
import type { Call } from "../call.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { WebhookConfiguration, WebhookSetUrlFields } from "../../api/generated/shapes.ts";
import { type Company, companies, companyOf, rotateSecret } from "./company.ts";
import { defineResource } from "../resource.ts";
import { formatInstant } from "../../engine/instant.ts";
import { Problems } from "../problems.ts";
import { webhookOverride } from "../world-settings.ts";
import { companyApi } from "./operations.ts";

/** A company as its webhook configuration: `/sandbox/worlds` lists the companies themselves. */
export const companyResource = defineResource({
  name: "companies",
  api: companyApi,
  collection: companies,
  view: webhookView,
  listedIn: "worlds",
  operations: { getWebhook, rotateWebhookSecret },
  actPrefix: "webhook",
  acts: {
    "set-url": {
      summary: "The company of the token sets the URL of its events.",
      fields: "WebhookSetUrlFields",
      run: setWebhookUrl,
    },
  },
});

/**
 * Returns the webhook URL of a company and its secret (assumption: webhook.config). A company without its own URL
 * shows the URL that its world sends every webhook to, if there is one.
 */
function webhookView({ webhook }: Company, records: Records): WebhookConfiguration {
  const { id, url, secret, createdAt, updatedAt } = webhook;
  return {
    id,
    url: url ?? webhookOverride(records),
    secret,
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(updatedAt),
  };
}

/** Reads the webhook configuration (interface: Endpoints 11). */
function getWebhook(tx: Transaction, call: Call): WebhookConfiguration {
  new Problems(call.problems).refuse();
  return webhookView(companyOf(tx, call.companyId), tx);
}

/** Makes a new webhook secret and answers with the configuration (interface: Endpoints 11). */
function rotateWebhookSecret(tx: Transaction, call: Call): WebhookConfiguration {
  new Problems(call.problems).refuse();
  return webhookView(rotateSecret(tx, companyOf(tx, call.companyId)), tx);
}

/** Sets the URL of a company's events from now on. Events that were created before keep their URL. */
function setWebhookUrl(tx: Transaction, company: Company, { url }: WebhookSetUrlFields): void {
  tx.put(companies, { ...company, webhook: { ...company.webhook, url, updatedAt: tx.now } });
  tx.log({ kind: "note", objectId: company.id, what: `webhook URL set to ${url}` });
}
