import { expect, test } from "vitest";
import { createSubscription, openPartner, type Partner } from "../../partner.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

const open = (): Promise<Partner> => openPartner({ data: postgres.url(), dataSchema: "resends" });

/** The bytes of the events that are stored: in rows of their own, or in rows of the history. */
async function bytes(): Promise<number> {
  const [row] = await postgres.sql(`SELECT
    (SELECT coalesce(sum(octet_length(body)), 0) FROM resends.entries) +
    (SELECT coalesce(sum(octet_length(body)), 0) FROM resends.history) AS bytes`);
  return Number(row?.["bytes"]);
}

test("each resend of a webhook takes the same space in PostgreSQL, and another server reads them all", async () => {
  const sizes: number[] = [];
  let digest: string;
  {
    await using partner = await open();
    const { id } = await createSubscription(partner);
    await partner.act("subscription.accept", { id });
    await partner.advance("PT0S");
    const [first] = await partner.sandbox.deliveries();
    for (let resends = 0; resends < 60; resends++) {
      if (resends % 20 === 0) sizes.push(await bytes());
      await partner.ask("POST", `/sandbox/deliveries/${String(first?.["id"])}/resend`);
    }
    sizes.push(await bytes());
    digest = partner.sandbox.digest();
  }
  const added = sizes.slice(1).map((size, index) => size - sizes[index]!);
  expect(added[2]! / added[0]!).toBeLessThan(1.1);
  for (let start = 0; start < 2; start++) {
    await using partner = await open();
    await partner.ask("GET", "/sandbox/clock");
    expect(partner.sandbox.digest()).toBe(digest);
    expect((await partner.sandbox.deliveries())[0]?.["attempts"]).toHaveLength(61);
  }
});
