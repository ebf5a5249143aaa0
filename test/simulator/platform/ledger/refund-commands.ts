import { deepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { ModelOrder, ModelRefund, MoneyModel, RefundOutcome } from "./model.ts";
import type { Partner } from "../../../partner.ts";
import { command, decimal, minors, picked, picks, tryAct } from "./command.ts";
import { refund, refundBody } from "../refunds/paid-order.ts";

const DELAY_MS = 5000;

const ENDS: Readonly<Record<string, RefundOutcome>> = {
  settle: "REFUNDED",
  reject: "REJECTED",
  fail: "ERROR",
};

interface Asked {
  readonly order: ModelOrder;
  readonly minor: number;
  readonly planned: RefundOutcome;
}

/** Requests a refund twice at once with one key: it counts once, and not at all where it is too much. */
async function ask(model: MoneyModel, partner: Partner, { order, minor, planned }: Asked): Promise<void> {
  const body = refundBody(order.id, { amount: decimal(minor) });
  const key = randomUUID();
  const twins = await Promise.all([refund(partner, body, { key }), refund(partner, body, { key })]);
  const isDue = minor <= model.refundable(order);
  deepStrictEqual(
    twins.map(({ status }) => status),
    isDue ? [200, 200] : [400, 400],
  );
  deepStrictEqual(twins[1].body, twins[0].body);
  if (!isDue) return;
  const id = twins[0].body["id"] as string;
  await partner.sandbox.plan({ plan: "refund.outcome", on: id, outcomes: [planned] });
  const isFunded = model.balance(order.account) >= minor;
  if (isFunded) model.credit(order.account, -minor);
  const asked: ModelRefund = { id, order, minor, isFunded, outcome: null };
  model.refunds.push(asked);
  model.after(DELAY_MS, () => {
    if (asked.outcome !== null) return;
    model.endRefund(asked, planned === "REFUNDED" && !isFunded ? "REJECTED" : planned);
  });
}

const plannedOutcomes = fc.constantFrom<RefundOutcome>("REFUNDED", "REFUNDED", "REJECTED", "ERROR");

const parts = fc
  .record({ pick: picks, part: fc.constantFrom(0.1, 0.5, 0.9, 1, 1.1), planned: plannedOutcomes })
  .map(({ pick, part, planned }) =>
    command(
      `refund ${part} of order ${pick}, to end ${planned}`,
      async (model, partner) => {
        const order = picked(model.orders, pick);
        await ask(model, partner, { order, minor: Math.max(1, Math.round(order.minor * part)), planned });
      },
      ({ orders }) => orders.length > 0,
    ),
  );

const amounts = fc.record({ pick: picks, minor: minors }).map(({ pick, minor }) =>
  command(
    `refund ${decimal(minor)} of order ${pick}`,
    async (model, partner) =>
      ask(model, partner, { order: picked(model.orders, pick), minor, planned: "REFUNDED" }),
    ({ orders }) => orders.length > 0,
  ),
);

const endings = fc.tuple(picks, fc.constantFrom("settle", "reject", "fail")).map(([pick, action]) =>
  command(
    `${action} refund ${pick}`,
    async (model, partner) => {
      const asked = picked(model.refunds, pick);
      const isPossible = asked.outcome === null && (action !== "settle" || asked.isFunded);
      await tryAct(partner, { act: `refund.${action}`, id: asked.id, isPossible });
      if (isPossible) model.endRefund(asked, ENDS[action] ?? "ERROR");
    },
    ({ refunds }) => refunds.length > 0,
  ),
);

export const refundCommands = [parts, amounts, endings];
