import type { Records } from "../../engine/store.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { type Instant } from "../../engine/instant.ts";
import { ALPHANUMERIC } from "../../engine/random.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { later } from "../later.ts";

const SECRET_LENGTH = 40;

/** A partner of the platform: it has accounts and credentials, and sees only what belongs to it. */
export interface Company extends StoredRecord {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhook: CompanyWebhook;
}

/** The URL of a company's events and the secret that signs them (assumption: webhook.config). */
interface CompanyWebhook {
  readonly id: string;
  /** Null until one is set: events of orders and payouts are then not sent. */
  readonly url: string | null;
  /** The secret that a partner reads; `signingSecret` decides which one signs just after a rotation. */
  readonly secret: string;
  /** The earlier secrets, the most recent one last. */
  readonly formerSecrets: readonly string[];
  readonly rotatedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const companies = collection<Company, "clientId">("companies", {
  clientId: (company) => company.clientId,
});

/** The company of an id that comes from a stored record. */
export function companyOf(tx: Records, id: string): Company {
  return recordOf(tx, companies, id);
}

/** Gives a company a new webhook secret, drawn from the seed, and keeps the former one. */
export function rotateSecret(tx: Transaction, company: Company): Company {
  const { webhook } = company;
  const rotated = {
    secret: tx.chance(`webhook-secrets of ${company.id}`).text(ALPHANUMERIC, SECRET_LENGTH),
    formerSecrets: [...webhook.formerSecrets, webhook.secret],
    rotatedAt: tx.now,
    updatedAt: tx.now,
  };
  tx.log({ kind: "note", objectId: company.id, what: "webhook secret rotated" });
  return tx.put(companies, { ...company, webhook: { ...webhook, ...rotated } });
}

/**
 * Returns the secret that signs an attempt made now. It is the current secret. For some time after a rotation it is
 * the former secret, if the world is set so (assumption: webhook.rotation). Flapping starts with the former secret
 * and alternates from attempt to attempt.
 */
export function signingSecret(tx: Transaction, { id, webhook }: Company): string {
  const { secret, formerSecrets, rotatedAt } = webhook;
  const former = formerSecrets.at(-1);
  const mode = assumption(tx, "webhook.rotation");
  if (former === undefined || rotatedAt === null || mode === "immediate") return secret;
  if (tx.now >= later(rotatedAt, assumption(tx, "webhook.rotation-delay"))) return secret;
  if (mode === "delayed") return former;
  const turn = tx.count(`signatures of ${id} after rotation ${formerSecrets.length}`);
  return turn % 2 === 1 ? former : secret;
}
