import type { Attempt, Delivery } from "../../simulator/platform/webhook-events/delivery.ts";
import { type Endpoint, type WorldAsked, refuse, pathParameter } from "./endpoint.ts";
import type { VerificationRequest as Received } from "../../simulator/api/generated/shapes.ts";
import { withQrImages } from "../../simulator/qr-images/qr-images.ts";
import { companies, companyOf } from "../../simulator/platform/companies/company.ts";
import { deliveryOf } from "./deliveries.ts";
import { explainMismatch } from "../../simulator/webhooks/signature-mismatch.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { signatureOf, SIGNATURE_FIELD } from "../../simulator/api/signature.ts";

/** The check of a webhook's signature. */
export const verificationEndpoints = {
  verifyDelivery: {
    method: "POST",
    path: "/sandbox/deliveries/{id}/verify",
    tag: "Webhooks",
    summary: "Explain why the signature of a webhook verifies or not",
    parameters: { id: pathParameter("The webhook.", "66b5342e-6277-4cc6-8465-e430612eb9ae") },
    request: "VerificationRequest",
    response: "Verification",
    errors: ["NOT_FOUND"],
    answer: verifyDelivery,
  } satisfies Endpoint<"VerificationRequest">,
};

function verifyDelivery({ world, params, body: received }: WorldAsked<Received>): object {
  const delivery = deliveryOf(world, params["id"] ?? "");
  const attempt = attemptOf(delivery, received.attempt);
  const sent = Buffer.from(withQrImages(attempt.requestBody));
  const { records } = world;
  const company = companyOf(records, delivery.companyId);
  const { secret: present, formerSecrets } = company.webhook;
  const carried = attempt.requestHeaders[SIGNATURE_FIELD];
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
