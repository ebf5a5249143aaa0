import { type Partner, RECEIVER_URL, createSubscription, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";
import { signatureOf } from "../../../../src/simulator/api/signature.ts";

const CONFIGURATION = "/order/v1/webhook";
const ROTATION = "/order/v1/webhook/rotate-secret";

async function rotate(partner: Partner): Promise<string> {
  const answered = await partner.ask("POST", ROTATION);
  if (answered.status !== 200) throw new Error(JSON.stringify(answered.body));
  return answered.body["secret"] as string;
}

/** Which of the secrets signed each attempt that the receiver saw, by position; -1 for none of them. */
function signers({ receiver }: Partner, secrets: readonly string[]): number[] {
  return receiver.received.map(({ headers, body }) =>
    secrets.findIndex((secret) => signatureOf(secret, Buffer.from(body)) === headers["x-signature-sha256"]),
  );
}

/** A partner whose first webhook fails and is retried, with the secret rotated after the first attempt. */
async function rotatedAfterTheFirstAttempt(assumptions: object = {}) {
  const partner = await openPartner({ assumptions });
  partner.receiver.script([500], { always: true });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("PT0S");
  const secret = await rotate(partner);
  return { partner, secrets: ["acme-webhook-secret", secret] };
}

test("the configuration shows id, URL, secret and both times", async () => {
  await using partner = await openPartner({ webhookUrl: undefined });
  const answered = await partner.ask("GET", CONFIGURATION);
  expect(answered.status).toBe(200);
  expect(answered.body).toEqual({
    id: "a0000000-0000-4000-8000-000000000001",
    url: null,
    secret: "acme-webhook-secret",
    createdAt: "2026-11-20T12:00:00.000Z",
    updatedAt: "2026-11-20T12:00:00.000Z",
  });
});

test("the configuration shows the URL that was set, or otherwise the webhook URL of its world", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", CONFIGURATION)).body["url"]).toBe(RECEIVER_URL);
  await partner.advance("PT1M");
  const body = { url: "http://partner.example/hooks" };
  const set = await partner.ask("POST", "/sandbox/acts/webhook.set-url", { body });
  const read = await partner.ask("GET", CONFIGURATION);
  expect(read.body).toMatchObject({ ...body, updatedAt: "2026-11-20T12:01:00.000Z" });
  expect(set.body).toEqual(read.body);
});

test("each company reads its own configuration", async () => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", CONFIGURATION, { token: "globex-token" });
  expect(answered.body["secret"]).toBe("globex-webhook-secret");
});

test("a rotation answers with the new secret, which is read from then on", async () => {
  await using partner = await openPartner();
  await partner.advance("PT1H");
  const rotated = await partner.ask("POST", ROTATION);
  expect(rotated.status).toBe(200);
  expect(rotated.body["secret"]).toMatch(/^[A-Za-z0-9]{40}$/);
  expect(rotated.body["updatedAt"]).toBe("2026-11-20T13:00:00.000Z");
  expect((await partner.ask("GET", CONFIGURATION)).body).toEqual(rotated.body);
  const other = await partner.ask("GET", CONFIGURATION, { token: "globex-token" });
  expect(other.body["secret"]).toBe("globex-webhook-secret");
});

test("every rotation makes another secret, the same ones for the same seed", async () => {
  await using partner = await openPartner();
  await using twin = await openPartner();
  const secrets = [await rotate(partner), await rotate(partner)];
  expect(new Set(secrets).size).toBe(2);
  expect([await rotate(twin), await rotate(twin)]).toEqual(secrets);
});

test("a reset restores the secret of the fixtures", async () => {
  await using partner = await openPartner();
  await rotate(partner);
  await partner.sandbox.reset();
  expect((await partner.ask("GET", CONFIGURATION)).body["secret"]).toBe("acme-webhook-secret");
});

test("a retry is signed with the secret that is valid at the time of the retry, not of the event", async () => {
  const { partner, secrets } = await rotatedAfterTheFirstAttempt();
  await partner.advance("PT1M");
  expect(signers(partner, secrets)).toEqual([0, 1]);
  await partner.sandbox.close();
});

test("where rotations are delayed the old secret signs until the delay is over", async () => {
  const { partner, secrets } = await rotatedAfterTheFirstAttempt({ "webhook.rotation": "delayed" });
  await partner.advance("PT3H");
  expect(signers(partner, secrets)).toEqual([0, 0, 1, 1, 1]);
  await partner.sandbox.close();
});

test("the new secret signs from the end of the delay", async () => {
  const assumptions = { "webhook.rotation": "delayed", "webhook.rotation-delay": "PT1M" };
  const { partner, secrets } = await rotatedAfterTheFirstAttempt(assumptions);
  await partner.advance("PT1M");
  expect(signers(partner, secrets)).toEqual([0, 1]);
  await partner.sandbox.close();
});

test("where rotations are flapping both secrets alternate until the delay is over", async () => {
  const assumptions = { "webhook.rotation": "flapping", "webhook.rotation-delay": "PT1H" };
  const { partner, secrets } = await rotatedAfterTheFirstAttempt(assumptions);
  await partner.advance("PT3H");
  expect(signers(partner, secrets)).toEqual([0, 0, 1, 0, 1]);
  await partner.sandbox.close();
});

test("configuration and rotation require a token with the scope", async () => {
  await using partner = await openPartner();
  for (const [method, path] of [
    ["GET", CONFIGURATION],
    ["POST", ROTATION],
  ] as const) {
    expect((await partner.ask(method, path, { token: null })).status).toBe(401);
    expect((await partner.ask(method, path, { token: "acme-token-without-scope" })).status).toBe(403);
  }
});
