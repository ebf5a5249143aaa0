/**
 * What the endpoints that tools contribute read and change in a world. Together with `endpoint.ts` it is the only way
 * of a tool to what is inside: a tool without an endpoint uses the client.
 */
export { assume, assumption } from "../platform/assumptions/assumptions.ts";
export { accessTokens } from "../platform/companies/access.ts";
export { companies, companyOf } from "../platform/companies/company.ts";
export { armFault, faults } from "../platform/faults/fault.ts";
export { invalidRequest } from "../platform/refusals.ts";
export { removeFaults } from "../platform/webhook-events/attempts.ts";
export { deliveries, type Delivery } from "../platform/webhook-events/delivery.ts";
export {
  type ChangeableSettings,
  overrideWebhookUrl,
  seedChangedAt,
  settingsOf,
  webhookOverride,
} from "../platform/world-settings.ts";
export type { AttemptInput, OutcomeInput } from "../webhooks/pending-attempt.ts";
export { reachOf } from "../webhooks/in-process.ts";
export type { MoveInput } from "../worlds/advance.ts";
export { type RequestInput, UNKNOWN_PATH } from "../worlds/inbound-request.ts";
export type { RequestHead } from "../worlds/masking.ts";
export type { SettingsInput } from "../worlds/saved-world.ts";
export { journalDigestInTurns } from "../worlds/timeline.ts";
export { withQrImages } from "../webhooks/qr-images.ts";
export { shownWorld } from "../worlds/shown-world.ts";
export { FairLimit } from "../worlds/world-limits.ts";
export type { World } from "../worlds/world.ts";
