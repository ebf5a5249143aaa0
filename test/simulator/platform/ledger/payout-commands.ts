import { deepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { type ModelPayout, type MoneyModel, type PayoutOutcome, isPayable } from "./model.ts";
import { ACME_ACCOUNT, type Answered, type Partner } from "../../../partner.ts";
import {
  command,
  decimal,
  GLOBEX_ACCOUNT,
  minors,
  ownAccounts,
  picked,
  picks,
  tokenOf,
  tryAct,
} from "./command.ts";

const DELAY_MS = 2000;
const THRESHOLD_MINOR = 1_500_000;
const STORM_SIZE = 8;

const ENDS: Readonly<Record<string, PayoutOutcome>> = { settle: "PAID", fail: "ERROR", cancel: "CANCELED" };

interface Paid extends Pick<ModelPayout, "account" | "to" | "order"> {
  readonly minor: number;
  readonly paymentData: object;
  readonly planned: readonly PayoutOutcome[];
}

function send(partner: Partner, paid: Paid, externalId: string): Promise<Answered> {
  return partner.ask("POST", "/order/v1/banking/order-payouts", {
    token: tokenOf(paid.account),
    key: randomUUID(),
    body: {
      externalId,
      accountId: paid.account,
      paymentMethod: "PIX",
      paymentData: paid.paymentData,
      amount: { currency: "BRL", value: decimal(paid.minor) },
      description: "Invoice 42",
    },
  });
}

/** Adds an accepted payout to the model: the money is reserved, and its transactions end when they are due. */
async function takeOn(model: MoneyModel, partner: Partner, id: string, paid: Paid): Promise<void> {
  if (paid.planned.length > 0) {
    await partner.sandbox.plan({ plan: "payout.settlement", on: id, outcomes: paid.planned });
  }
  const { account, to, order, minor } = paid;
  model.credit(account, -minor);
  const sizes = order === null ? split(minor) : [minor];
  const payout: ModelPayout = {
    id,
    account,
    to,
    order,
    transactions: sizes.map((size) => ({ minor: size, outcome: null })),
  };
  model.payouts.push(payout);
  const planned = [...paid.planned];
  model.after(DELAY_MS, () => {
    for (const transaction of payout.transactions) {
      if (transaction.outcome !== null) continue;
      const outcome = planned.shift() ?? "PAID";
      model.endTransaction(payout, transaction, isDead(payout) && outcome === "PAID" ? "ERROR" : outcome);
    }
  });
}

/** A QR code takes exactly the amount that its order still requires. */
function isDead({ order, transactions }: ModelPayout): boolean {
  return order !== null && (!isPayable(order) || order.minor - order.paid !== transactions[0]?.minor);
}

function split(minor: number): number[] {
  const sizes = Array.from({ length: Math.floor(minor / THRESHOLD_MINOR) }, () => THRESHOLD_MINOR);
  return minor % THRESHOLD_MINOR === 0 ? sizes : [...sizes, minor % THRESHOLD_MINOR];
}

/** Requests a payout: accepted where the balance is sufficient. */
async function pay(model: MoneyModel, partner: Partner, paid: Paid): Promise<void> {
  const { status, body } = await send(partner, paid, model.newCode());
  const isCovered = paid.minor <= model.balance(paid.account);
  deepStrictEqual([status, body["error"]], isCovered ? [201, undefined] : [400, "INVALID_REQUEST"]);
  if (isCovered) await takeOn(model, partner, body["id"] as string, paid);
}

const OUTSIDE = { paymentData: { pixKey: "ok@pix.example" }, to: null, order: null };

const plans = fc.array(fc.constantFrom<PayoutOutcome>("PAID", "ERROR", "CANCELED"), { maxLength: 3 });

const outside = fc
  .tuple(ownAccounts, minors, plans)
  .map(([account, minor, planned]) =>
    command(`pay out ${decimal(minor)} from ${account}, to end ${planned.join(", ")}`, (model, partner) =>
      pay(model, partner, { ...OUTSIDE, account, minor, planned }),
    ),
  );

const inside = fc.tuple(fc.boolean(), minors, plans).map(([isFromAcme, minor, planned]) => {
  const [account, to] = isFromAcme ? [ACME_ACCOUNT, GLOBEX_ACCOUNT] : [GLOBEX_ACCOUNT, ACME_ACCOUNT];
  const pixKey = isFromAcme ? "financeiro@globex.example" : "contas@acme.example";
  return command(`pay ${decimal(minor)} to ${pixKey}, to end ${planned.join(", ")}`, (model, partner) =>
    pay(model, partner, { paymentData: { pixKey }, account, to, order: null, minor, planned }),
  );
});

/** Globex pays the QR code of an order, which may be open or not. */
const codes = picks.map((pick) =>
  command(
    `pay the QR code of order ${pick}`,
    async (model, partner) => {
      const order = picked(model.orders, pick);
      if (order.qrcodeData === null) return;
      const paymentData = { qrcodeData: order.qrcodeData };
      const minor = isPayable(order) ? order.minor - order.paid : order.minor;
      await pay(model, partner, {
        account: GLOBEX_ACCOUNT,
        to: null,
        order,
        minor,
        paymentData,
        planned: [],
      });
    },
    ({ orders }) => orders.length > 0,
  ),
);

/** Many payouts at once, for some of which the balance is not sufficient. */
const storms = fc.tuple(ownAccounts, fc.integer({ min: 1, max: STORM_SIZE + 2 })).map(([account, share]) =>
  command(
    `a storm of payouts of a ${share}th of what ${account} has`,
    async (model, partner) => {
      const minor = Math.max(1, Math.floor(model.balance(account) / share));
      const paid: Paid = { ...OUTSIDE, account, minor, planned: [] };
      const answers = await Promise.all(
        Array.from({ length: STORM_SIZE }, () => send(partner, paid, model.newCode())),
      );
      const accepted = answers.filter(({ status }) => status === 201);
      const covered = Math.floor(model.balance(account) / minor);
      deepStrictEqual(accepted.length, Math.min(STORM_SIZE, covered));
      for (const { body } of accepted) await takeOn(model, partner, body["id"] as string, paid);
    },
    ({ available }) => (available.get(account) ?? 0) < 100_000_000,
  ),
);

const endings = fc
  .record({
    pick: picks,
    child: fc.option(fc.nat({ max: 2 })),
    action: fc.constantFrom("settle", "fail", "cancel"),
  })
  .map(({ pick, child, action }) =>
    command(
      `${action} payout ${pick}${child === null ? "" : `, child ${child + 1}`}`,
      async (model, partner) => {
        const payout = picked(model.payouts, pick);
        const sequence = child === null ? undefined : (child % payout.transactions.length) + 1;
        const meant = payout.transactions.filter(
          ({ outcome }, index) => outcome === null && (sequence === undefined || index + 1 === sequence),
        );
        const isPossible = meant.length > 0 && !(action === "settle" && isDead(payout));
        await tryAct(partner, {
          act: `payout.${action}`,
          id: payout.id,
          isPossible,
          ...(sequence !== undefined && payout.transactions.length > 1 && { sequence }),
        });
        for (const transaction of isPossible ? meant : []) {
          model.endTransaction(payout, transaction, ENDS[action] ?? "ERROR");
        }
      },
      ({ payouts }) => payouts.length > 0,
    ),
  );

export const payoutCommands = [outside, inside, codes, storms, endings];
