import { ACME_ACCOUNT, createSubscription, openPartner } from "../../partner.ts";
import { afterAll, expect, test } from "vitest";
import { FileStorage } from "../../../src/server/storage/file-storage.ts";
import { SILENCE } from "../../../src/base/log.ts";
import { join } from "node:path";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { serve } from "../../cli/command.ts";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

const folder = mkdtempSync(join(tmpdir(), "sandbank-snapshots-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Records that many objects of one version, and of several, share: what is loaded has to share them as well. */
function sharedParts(data: string) {
  return FileStorage.open(data, SILENCE).then(async ({ storage, saved }) => {
    await storage.close();
    const { image, snapshots } = saved.worlds[0]!;
    const states = [image, ...snapshots.values()];
    return {
      journals: new Set(states.map(({ journal }) => journal.entries)).size,
      tables: new Set(states.flatMap(({ store }) => [...store.values()].filter(({ size }) => size > 0))),
      collections: Array.from(image.store.values()).filter(({ size }) => size > 0).length,
    };
  });
}

test.each([
  ["its journal", 1],
  ["a journal that has outgrown its snapshot", 150],
])("what 20 snapshots of one state share is in memory once when it is read from %s", async (_what, count) => {
  const data = join(folder, `shared-${count}`);
  {
    await using partner = await openPartner({ data });
    const padding = "x".repeat(10_000);
    for (let number = 0; number < count; number++)
      await createSubscription(partner, { externalId: `subscription-${number}`, padding });
    for (let number = 0; number < 20; number++) await partner.sandbox.snapshot();
    for (let number = count; number < 2 * count; number++)
      await createSubscription(partner, { externalId: `subscription-${number}`, padding });
  }
  const { journals, tables, collections } = await sharedParts(data);
  expect(journals, "that of the world, and that of its snapshots").toBe(2);
  expect(tables.size).toBeLessThan(2 * collections);
});

/** Worlds with many snapshots, as 40 tests leave them. */
async function manySnapshots(): Promise<string> {
  const data = join(mkdtempSync(join(folder, "many-")), "data");
  // A payout has a hundred transfers, each with its own record.
  await using partner = await openPartner({ data, assumptions: { "payout.batch-threshold": "0.03" } });
  for (let number = 0; number < 40; number++) {
    const { body } = await partner.ask("POST", "/sandbox/worlds", { body: {} });
    const { token } = (body["companies"] as { token: string }[])[0]!;
    const paid = await partner.ask("POST", "/order/v1/banking/order-payouts", {
      token,
      headers: { "idempotency-key": "one" },
      body: {
        accountId: ACME_ACCOUNT,
        externalId: "payout",
        description: "One of many transfers",
        amount: { currency: "BRL", value: "3.00" },
        paymentMethod: "PIX",
        paymentData: { pixKey: "slow@pix.example" },
      },
    });
    expect(paid.status).toBe(201);
    for (let snapshot = 0; snapshot < 200; snapshot++)
      await partner.ask("POST", "/sandbox/snapshots", { token });
  }
  return data;
}

test("a file of 40 worlds with 200 snapshots each opens with 100 MB, and with too little memory it is refused with a sentence", async () => {
  const data = await manySnapshots();
  expect(statSync(data).size).toBeLessThan(60_000_000);
  const refused = spawnSync(
    process.execPath,
    ["--max-old-space-size=40", "src/cli/main.ts", "serve", "--port", "0", "--data", data],
    { encoding: "utf8" },
  );
  expect(refused).toMatchObject({
    status: 2,
    stderr: `Failed to load ${data}: with its snapshots it takes more than the memory of 40 MB. To open it, start with more: NODE_OPTIONS=--max-old-space-size=80.\n`,
  });
  await using server = await serve({ env: { NODE_OPTIONS: "--max-old-space-size=100" } }, "--data", data);
  expect((await fetch(`${server.url}/sandbox/ready`)).status).toBe(200);
}, 240_000);
