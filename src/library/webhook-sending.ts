/** How the sandbox sends webhooks, for tools that send to a receiver themselves. */
export type { AttemptResult, WebhookRequest, WireManner } from "../webhooks/attempt.ts";

export { createEgress, type Egress } from "../webhooks/egress-guard.ts";
export { flatHeaders } from "../webhooks/http-message.ts";
export { transportTo } from "../webhooks/in-process.ts";
export { postWebhook } from "../webhooks/post.ts";
export { networkTransport, signingTransport, type Transport } from "../webhooks/transport.ts";
export { sendRaw, sendTogether } from "../webhooks/wire.ts";
