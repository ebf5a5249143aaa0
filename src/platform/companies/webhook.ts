import type { Company } from "./company.ts";
import type { Transaction } from "../../core/transaction.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { companies } from "./company.ts";
import { formatInstant } from "../../core/instant.ts";

/** Where a company's events go, and its secret (assumption: webhook.config). */
export function webhookShape({ webhook }: Company): object {
  return {
    ...webhook,
    createdAt: formatInstant(webhook.createdAt),
    updatedAt: formatInstant(webhook.updatedAt),
  };
}

/** Sets where a company's events go from now on; what is on its way keeps its address. */
export function setWebhookUrl(tx: Transaction, company: Company, url: string): void {
  tx.put(companies, { ...company, webhook: { ...company.webhook, url, updatedAt: tx.now } });
  tx.happened(`webhook URL set to ${url}`, company.id);
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
