import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import fc from "fast-check";
import type { AsyncCommand } from "fast-check";
import type { ModelOrder, MoneyModel, RefundOutcome } from "./model.ts";
import type { Partner } from "../../partner.ts";
import { ACME_ACCOUNT, createSubscription } from "../../partner.ts";
import { formatMoney } from "../../../src/core/money.ts";
import { refund, refundBody } from "../refunds/paid-order.ts";

type MoneyCommand = AsyncCommand<MoneyModel, Partner>;

const DAY_MS = 86_400_000;
const REFUND_DELAY_MS = 5000;

export const GLOBEX_ACCOUNT = "22222222-2222-4222-8222-222222222222";

const text = (minor: number): string => formatMoney({ currency: "BRL", minor });

/** A command with its name for the counterexample; after it ran, every balance is as the model says. */
function command(
  name: string,
  check: (model: MoneyModel) => boolean,
  run: (model: MoneyModel, partner: Partner) => Promise<void>,
): MoneyCommand {
  return {
    check,
    run: async (model, partner) => {
      await run(model, partner);
      await expectBalances(model, partner);
    },
    toString: () => name,
  };
}

/** What the interface says of each balance, and the ledger of the whole. */
async function expectBalances(model: MoneyModel, partner: Partner): Promise<void> {
  for (const [account, minor] of model.available) {
    const token = account === GLOBEX_ACCOUNT ? "globex-token" : "acme-token";
    const path = `/order/v1/banking/accounts/${account}/balance`;
    const { body } = await partner.ask("GET", path, { token });
    expect(body).toEqual({ accountId: account, balance: { currency: "BRL", value: text(minor) } });
  }
  const ledger = await partner.sandbox.ledger();
  expect(ledger["balanced"]).toBe(true);
  for (const { account, value } of ledger["accounts"] as { account: string; value: string }[]) {
    if (account.startsWith("available:") || account.startsWith("held:")) expect(value).not.toMatch(/^-/);
  }
}

const minors = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: 3_000_000 }),
  fc.constantFrom(1, 1_500_000, 1_500_001),
);
const picks = fc.nat({ max: 1000 });

function picked<T>(from: readonly T[], pick: number): T {
  return from[pick % from.length] as T;
}

const deposits = fc.tuple(fc.constantFrom(ACME_ACCOUNT, GLOBEX_ACCOUNT), minors).map(([account, minor]) =>
  command(
    `deposit ${text(minor)} on ${account}`,
    () => true,
    async (model, partner) => {
      await partner.act("account.deposit", { id: account, amount: text(minor) });
      model.credit(account, minor);
    },
  ),
);

const openedOrders = minors.map((minor) =>
  command(
    `open an order of ${text(minor)}`,
    () => true,
    async (model, partner) => {
      const created = await createSubscription(partner, {
        externalId: `made-${model.made++}`,
        type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
        startDate: "2030-01-01",
        initialCharge: { amount: { currency: "BRL", value: text(minor) } },
      });
      const { orderId } = created["initialCharge"] as { orderId: string };
      const expiresAt = model.now + DAY_MS;
      model.orders.push({ id: orderId, account: ACME_ACCOUNT, minor, expiresAt, status: "open" });
    },
  ),
);

/** An act that ends an open order, and is refused for any other. */
const endedOrders = fc
  .tuple(picks, fc.constantFrom("pay", "pay", "pay", "expire", "cancel", "fail"))
  .map(([pick, action]) =>
    command(
      `${action} order ${pick}`,
      ({ orders }) => orders.length > 0,
      async (model, partner) => {
        const order = picked(model.orders, pick);
        const act = partner.act(`order.${action}`, { id: order.id });
        if (order.status !== "open") {
          await expect(act).rejects.toThrow(/Failed to/);
          return;
        }
        await act;
        order.status = action === "pay" ? "paid" : "over";
        if (action === "pay") model.credit(order.account, order.minor);
      },
    ),
  );

const askedRefunds = fc
  .record({
    pick: picks,
    part: fc.constantFrom(0.1, 0.5, 0.9, 1, 1.1),
    planned: fc.constantFrom<RefundOutcome>("REFUNDED", "REFUNDED", "REJECTED", "ERROR"),
  })
  .map(({ pick, part, planned }) =>
    command(
      `refund ${part} of order ${pick}, to end ${planned}`,
      ({ orders }) => orders.length > 0,
      async (model, partner) => {
        const order = picked(model.orders, pick);
        const minor = Math.max(1, Math.round(order.minor * part));
        const { status, body } = await refund(partner, refundBody(order.id, { amount: text(minor) }));
        const isDue = minor <= model.refundable(order);
        expect([status, body]).toEqual([isDue ? 200 : 400, expect.anything()]);
        if (isDue) await takeOn(model, partner, { id: body["id"] as string, order, minor, planned });
      },
    ),
  );

interface TakenOn {
  readonly id: string;
  readonly order: ModelOrder;
  readonly minor: number;
  readonly planned: RefundOutcome;
}

/** The money is set aside, where it is there; the institutions are told what to answer. */
async function takeOn(model: MoneyModel, partner: Partner, { id, order, minor, planned }: TakenOn) {
  await partner.sandbox.plan({ plan: "refund.outcome", on: id, outcomes: [planned] });
  const isFunded = (model.available.get(order.account) ?? 0) >= minor;
  const dueAt = model.now + REFUND_DELAY_MS;
  model.refunds.push({ id, order, minor, dueAt, planned, isFunded, outcome: null });
  if (isFunded) model.credit(order.account, -minor);
}

const endedRefunds = fc.tuple(picks, fc.constantFrom("settle", "reject", "fail")).map(([pick, action]) =>
  command(
    `${action} refund ${pick}`,
    ({ refunds }) => refunds.length > 0,
    async (model, partner) => {
      const asked = picked(model.refunds, pick);
      const act = partner.act(`refund.${action}`, { id: asked.id });
      if (asked.outcome !== null || (action === "settle" && !asked.isFunded)) {
        await expect(act).rejects.toThrow(/Failed to/);
        return;
      }
      await act;
      model.endRefund(asked, action === "settle" ? "REFUNDED" : action === "reject" ? "REJECTED" : "ERROR");
    },
  ),
);

/** The same request again under its key: an answer, and no movement. */
const replays = fc.tuple(picks, minors).map(([pick, minor]) =>
  command(
    `send a refund of ${text(minor)} of order ${pick} twice at once`,
    ({ orders }) => orders.length > 0,
    async (model, partner) => {
      const order = picked(model.orders, pick);
      const key = randomUUID();
      const body = refundBody(order.id, { amount: text(minor) });
      const twins = await Promise.all([refund(partner, body, { key }), refund(partner, body, { key })]);
      const isDue = minor <= model.refundable(order);
      expect(twins.map(({ status }) => status)).toEqual(isDue ? [200, 200] : [400, 400]);
      expect(twins[1].body).toEqual(twins[0].body);
      const id = twins[0].body["id"] as string;
      if (isDue) await takeOn(model, partner, { id, order, minor, planned: "REFUNDED" });
    },
  ),
);

const advances = fc
  .constantFrom([1, "PT0.001S"], [2000, "PT2S"], [5000, "PT5S"], [3_600_000, "PT1H"], [DAY_MS, "PT24H"])
  .map(([ms, duration]) =>
    command(
      `advance ${duration}`,
      () => true,
      async (model, partner) => {
        await partner.advance(duration as string);
        model.advance(ms as number);
      },
    ),
  );

/** Everything that moves money, or tries to. */
export const moneyCommands = [
  deposits,
  openedOrders,
  endedOrders,
  askedRefunds,
  endedRefunds,
  replays,
  advances,
];
