import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { assert, asyncProperty, constantFrom, integer, oneof, record, array, constant } from "fast-check";
import { formatMoney, money, parseMoney } from "../../../../src/simulator/engine/money.ts";
import { openPartner } from "../../../partner.ts";
import {
  BANK_ACCOUNT,
  GLOBEX_ACCOUNT,
  RECEIVER,
  acmeBalance,
  askPayout,
  ledgerBalance,
  payoutNow,
  reais,
} from "./payout-requests.ts";
import { expect, test } from "vitest";

const FINAL = ["PAID", "ERROR", "CANCELED"] as const;
const START_MINOR = 100_000_00;

const payout = record({
  amountMinor: oneof(
    integer({ min: 1, max: 60_000_00 }),
    constantFrom(14_999_99, 15_000_00, 15_000_01, 30_000_00, 30_000_01),
  ),
  outcomes: array(constantFrom(...FINAL), { maxLength: 5 }),
  to: oneof(
    constantFrom("ok", "error", "canceled", "slow", "nobody").map((name) => ({
      pixKey: `${name}@pix.example`,
    })),
    constant({ pixKey: "financeiro@globex.example" }),
    constant({ bankAccount: BANK_ACCOUNT }),
  ),
  /** Acts on the children before the clock moves. */
  acts: array(
    record({
      act: constantFrom("payout.settle", "payout.fail", "payout.cancel"),
      sequence: integer({ min: 1, max: 5 }),
    }),
    { maxLength: 4 },
  ),
});

/** The batch, or the whole payout as a batch of one. */
function totals(shown: SandboxObject): { paid: number; pending: number; back: number } {
  const batch = shown["batch"] as SandboxObject | undefined;
  const minor = (value: unknown): number => parseMoney("BRL", String(value))?.minor ?? 0;
  const amount = minor(shown["amount"]);
  if (batch === undefined) {
    const paid = shown["status"] === "PAID" ? amount : 0;
    const pending = shown["status"] === "PENDING" ? amount : 0;
    return { paid, pending, back: amount - paid - pending };
  }
  const children = batch["transactions"] as { amount: string; status: string; sequence: number }[];
  const sumOf = (...statuses: string[]): number =>
    children
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, child) => sum + minor(child.amount), 0);
  const countOf = (...statuses: string[]): number =>
    children.filter(({ status }) => statuses.includes(status)).length;
  expect(children.map(({ sequence }) => sequence)).toEqual(children.map((_, index) => index + 1));
  expect(sumOf("PAID", "PENDING", "ERROR", "CANCELED")).toBe(amount);
  expect(batch).toMatchObject({
    transactionsCount: children.length,
    paidCount: countOf("PAID"),
    failedCount: countOf("ERROR", "CANCELED"),
    pendingCount: countOf("PENDING"),
    paidAmount: formatMoney(money("BRL", sumOf("PAID"))),
    pendingAmount: formatMoney(money("BRL", sumOf("PENDING"))),
  });
  return { paid: sumOf("PAID"), pending: sumOf("PENDING"), back: sumOf("ERROR", "CANCELED") };
}

test("after any outcomes of payouts, counters, sums and the ledger agree", async () => {
  await assert(
    asyncProperty(array(payout, { minLength: 1, maxLength: 6 }), async (asked) => {
      await using partner = await openPartner();
      const ids: string[] = [];
      for (const { amountMinor, outcomes, to, acts } of asked) {
        const { status, body } = await askPayout(partner, {
          amount: reais(formatMoney(money("BRL", amountMinor))),
          paymentData: to,
          ...("bankAccount" in to && { receiver: RECEIVER }),
        });
        if (status !== 201) continue;
        const id = String(body["id"]);
        ids.push(id);
        if (outcomes.length > 0) await partner.sandbox.plan({ plan: "payout.settlement", on: id, outcomes });
        for (const { act, sequence } of acts)
          await partner.ask("POST", `/sandbox/acts/${act}`, { body: { id, sequence } });
      }
      for (const wait of ["PT0S", "PT2S", "PT1H"]) {
        await partner.advance(wait);
        let outMinor = 0;
        for (const id of ids) {
          const { paid, pending } = totals(await payoutNow(partner, id));
          outMinor += paid + pending;
          expect(await ledgerBalance(partner, `held:${id}`)).toBe(formatMoney(money("BRL", pending)));
        }
        expect(await acmeBalance(partner)).toBe(formatMoney(money("BRL", START_MINOR - outMinor)));
        expect((await partner.sandbox.ledger())["balanced"]).toBe(true);
      }
      const ended = await Promise.all(ids.map((id) => payoutNow(partner, id)));
      expect(ended.every(({ status }) => FINAL.includes(status as (typeof FINAL)[number]))).toBe(true);
      const sent = await partner.webhooks();
      expect(sent.map(({ id }) => id as string).sort()).toEqual([...ids].sort());
      for (const event of sent) {
        const shown = ended.find(({ id }) => id === event["id"]);
        expect(event["status"]).toBe(shown?.["status"]);
      }
      expect(await ledgerBalance(partner, `available:${GLOBEX_ACCOUNT}`)).toBeDefined();
    }),
    { numRuns: 40 },
  );
}, 60_000);

test("a thousand children are settled in one command", async () => {
  await using partner = await openPartner({ assumptions: { "payout.batch-threshold": "100.00" } });
  const { body } = await askPayout(partner, { amount: reais("100000.00") });
  await partner.advance("PT2S");
  const shown = await payoutNow(partner, body["id"]);
  expect(totals(shown)).toEqual({ paid: 100_000_00, pending: 0, back: 0 });
  expect(shown["status"]).toBe("PAID");
}, 60_000);
