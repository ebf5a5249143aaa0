import { createSubscription, openPartner } from "../partner.ts";
import { expect, test } from "vitest";

/** Retries of a running world once waited for the next request: an attempt that failed set no alarm. */
test("on a running clock a retry is sent without any request", async () => {
  const intervals = ["PT0.02S", "PT0.02S", "PT0.02S", "PT0.02S"];
  await using partner = await openPartner({
    mode: "running",
    assumptions: { "webhook.retry-intervals": intervals },
  });
  partner.receiver.script([500, 500]);
  const { id } = await createSubscription(partner, { startDate: "2027-01-01" });
  await partner.act("subscription.accept", { id });
  await expect.poll(() => partner.receiver.received.length).toBe(3);
});
