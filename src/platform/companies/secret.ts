import type { Call } from "../call.ts";
import type { Company } from "./company.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { WebhookConfiguration } from "../../api/generated/shapes.ts";
import { addDuration } from "../../engine/instant.ts";
import { ALPHANUMERIC } from "../../engine/random.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { companies, companyOf } from "./company.ts";
import { Problems } from "../problems.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";
import { webhookShape } from "./webhook.ts";

const SECRET_LENGTH = 40;

/** Makes a new webhook secret and gives it with the configuration (interface: Endpoints 11). */
export function rotateWebhookSecret(tx: Transaction, call: Call): WebhookConfiguration {
  new Problems(call.problems).refuse();
  return webhookShape(rotateSecret(tx, companyOf(tx, call.companyId)), tx);
}

/** Gives a company a new secret, drawn from the seed, and keeps the one before it. */
export function rotateSecret(tx: Transaction, company: Company): Company {
  const { webhook } = company;
  const rotated = {
    secret: tx.chance("webhook-secrets").text(ALPHANUMERIC, SECRET_LENGTH),
    formerSecrets: [...webhook.formerSecrets, webhook.secret],
    rotatedAt: tx.now,
    updatedAt: tx.now,
  };
  tx.log({ kind: "note", objectId: company.id, what: "webhook secret rotated" });
  return tx.put(companies, { ...company, webhook: { ...webhook, ...rotated } });
}

/**
 * The secret that signs an attempt made now: the present one, or for a while after a rotation the one before it,
 * where the world is set so (assumption: webhook.rotation). Flapping begins with the old one and takes turns
 * from attempt to attempt.
 */
export function signingSecret(tx: Transaction, { id, webhook }: Company): string {
  const { secret, formerSecrets, rotatedAt } = webhook;
  const former = formerSecrets.at(-1);
  const mode = assumption(tx, "webhook.rotation");
  if (former === undefined || rotatedAt === null || mode === "immediate") return secret;
  if (tx.now >= addDuration(rotatedAt, assumption(tx, "webhook.rotation-delay"), saoPaulo)) return secret;
  if (mode === "delayed") return former;
  const turn = tx.count(`signatures of ${id} after rotation ${formerSecrets.length}`);
  return turn % 2 === 1 ? former : secret;
}
