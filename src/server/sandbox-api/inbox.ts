import type { ControlRequest } from "./control.ts";
import { formatInstant } from "../../engine/instant.ts";
import { inbox } from "../../platform/pix-key-claims/claim.ts";

/** `GET /sandbox/inbox`: the confirmation codes sent by e-mail and SMS, the newest last. */
export function showInbox({ world }: ControlRequest): object {
  const data = Array.from(world.records.all(inbox), ({ channel, to, code, validationId, sentAt }) => ({
    channel,
    to,
    code,
    validationId,
    sentAt: formatInstant(sentAt),
  }));
  return { data };
}
