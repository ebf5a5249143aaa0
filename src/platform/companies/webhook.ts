import type { Call } from "../call.ts";
import type { Company } from "./company.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { WebhookConfiguration } from "../../api/generated/shapes.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { companies, companyOf } from "./company.ts";
import { formatInstant } from "../../engine/instant.ts";
import { Problems } from "../problems.ts";
import { webhookOverride } from "../world-settings.ts";

/**
 * Where a company's events go, and its secret (assumption: webhook.config). A company that has set no URL shows
 * the one that its world sends every webhook to, if there is one.
 */
export function webhookShape({ webhook }: Company, records: Pick<Transaction, "get">): WebhookConfiguration {
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
export function getWebhook(tx: Transaction, call: Call): WebhookConfiguration {
  new Problems(call.problems).refuse();
  return webhookShape(companyOf(tx, call.companyId), tx);
}

/** Sets where a company's events go from now on; what is on its way keeps its address. */
export function setWebhookUrl(tx: Transaction, company: Company, url: string): void {
  tx.put(companies, { ...company, webhook: { ...company.webhook, url, updatedAt: tx.now } });
  tx.log({ kind: "note", objectId: company.id, what: `webhook URL set to ${url}` });
}

/** What a partner sets up by hand on the platform's site. */
export const companyActs = [
  act<{ readonly url: string }>({
    name: "webhook.set-url",
    collection: "companies",
    schema: "WebhookSetUrlFields",
    summary: "The company of the token sets where its events go.",
    run: (tx, { id, fields }) => setWebhookUrl(tx, actObject(tx, companies, id), fields.url),
  }),
];
