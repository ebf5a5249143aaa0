/** A valid journey 2 request. */
export function subscriptionBody(externalId: string): string {
  return JSON.stringify({
    accountId: "11111111-1111-4111-8111-111111111111",
    type: "AUTHORIZATION_QRCODE",
    externalId,
    webhookUrl: "http://127.0.0.1:9/webhooks",
    frequencyType: "MONTHLY",
    startDate: "2026-11-20",
    debtor: { name: "Dora Devedora", document: { type: "CPF", number: "52998224725" } },
  });
}

/** The result of a transport for a webhook that its receiver accepted. */
export const ACKNOWLEDGED = {
  status: 200,
  error: null,
  message: "ok",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 0,
};
