import type { Attempt, Delivery } from "../../platform/webhook-events/delivery.ts";
import { withQrImages } from "../../webhooks/qr-images.ts";
import { foundValue } from "../../api/found-value.ts";
import { companies, companyOf } from "../../platform/companies/company.ts";
import { deliveryOf } from "./deliveries.ts";
import { explainMismatch } from "../../webhooks/signature-mismatch.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type ControlRequest, type ControlRoutes, refuse, refuseOthers } from "./control.ts";
import { signatureOf } from "../../webhooks/signature.ts";

/** What a partner received; an omitted field has the value that was sent. */
interface Received {
  readonly body?: string;
  readonly secret?: string;
  readonly header?: string | null;
  readonly attempt?: number;
}

/** The check of a webhook's signature. */
export const verificationRoutes: ControlRoutes = {
  "POST /deliveries/:id/verify": {
    summary: "Explain why the signature of a webhook verifies or not",
    answer: verifyDelivery,
  },
};

/**
 * `{body?, secret?, header?, attempt?}`: whether what a partner received verifies, and if not, why. The default
 * header is that of the attempt or, if a secret is given, the one computed with this secret.
 */
function verifyDelivery({ world, params, body }: ControlRequest): object {
  const delivery = deliveryOf(world, params["id"] ?? "");
  const received = readReceived(body);
  const attempt = attemptOf(delivery, received.attempt);
  const sent = Buffer.from(withQrImages(attempt.requestBody));
  const { records } = world;
  const company = companyOf(records, delivery.companyId);
  const { secret: present, formerSecrets } = company.webhook;
  const carried = attempt.requestHeaders["x-signature-sha256"];
  const secret = [present, ...formerSecrets].find((one) => signatureOf(one, sent) === carried) ?? present;
  const bodyReceived = received.body === undefined ? sent : Buffer.from(received.body);
  const header = headerReceived(received, bodyReceived, carried);
  const others = Array.from(records.all(companies)).filter(({ id }) => id !== company.id);
  const otherSecrets = {
    ...Object.fromEntries(others.map(({ id, webhook }) => [`the webhook secret of ${id}`, webhook.secret])),
    ...Object.fromEntries(formerSecrets.map((former, index) => [formerName(index, formerSecrets), former])),
    ...(secret !== present && { "the present webhook secret": present }),
    ...(received.secret !== undefined &&
      received.secret !== secret && { "the secret you gave": received.secret }),
  };
  const findings = explainMismatch({ secret, otherSecrets, body: sent, header, bodySeen: bodyReceived });
  return {
    verifies: findings[0]?.cause === "matches",
    findings,
    attempt: attempt.number,
    sent: { bytes: attempt.requestBytes, header: carried ?? null, injected: attempt.injected },
  };
}

function headerReceived(
  { header, secret }: Received,
  bodyReceived: Buffer,
  carried: string | undefined,
): string | undefined {
  if (header !== undefined) return header ?? undefined;
  return secret === undefined ? carried : signatureOf(secret, bodyReceived);
}

function formerName(index: number, formerSecrets: readonly string[]): string {
  const ago = formerSecrets.length - index;
  return ago === 1 ? "the secret before the last rotation" : `the secret ${ago} rotations ago`;
}

function attemptOf({ attempts }: Delivery, number: number | undefined): Attempt {
  const attempt = number === undefined ? attempts.at(-1) : attempts[number - 1];
  if (attempt === undefined) {
    const made = attempts.length === 0 ? "No attempt has ended yet" : `It has ${attempts.length} attempts`;
    refuse("attempt", `${made}. Choose one of those that GET /sandbox/deliveries shows.`);
  }
  return assertDefined(attempt, "the attempt");
}

function readReceived({ body, secret, header, attempt, ...others }: ControlRequest["body"]): Received {
  refuseOthers(others, ["body", "secret", "header", "attempt"]);
  for (const [field, value] of Object.entries({ body, secret })) {
    if (value !== undefined && typeof value !== "string") {
      refuse(field, `${field} must be a string, exactly as it was received; found ${foundValue(value)}.`);
    }
  }
  if (header !== undefined && header !== null && typeof header !== "string") {
    refuse(
      "header",
      `header must be the value of the header, or null for none; found ${foundValue(header)}.`,
    );
  }
  if (attempt !== undefined && !(Number.isSafeInteger(attempt) && Number(attempt) > 0)) {
    refuse("attempt", `attempt must be the number of an attempt; found ${foundValue(attempt)}.`);
  }
  return { body, secret, header, attempt } as Received;
}
