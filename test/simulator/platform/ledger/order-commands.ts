import fc from "fast-check";
import { type ModelOrder, isPayable } from "./model.ts";
import { ACME_ACCOUNT, type Partner, RECEIVER_URL, createSubscription } from "../../../partner.ts";
import { command, decimal, minors, ownAccounts, picked, picks, tryAct } from "./command.ts";

const DAY_MS = 86_400_000;

type Opened = Pick<ModelOrder, "id" | "qrcodeData">;

const deposits = fc.tuple(ownAccounts, minors).map(([account, minor]) =>
  command(`deposit ${decimal(minor)} on ${account}`, async (model, partner) => {
    await partner.act("account.deposit", { id: account, amount: decimal(minor) });
    model.credit(account, minor);
  }),
);

/** The first charge of a journey 3 subscription. */
async function openFirstCharge(partner: Partner, externalId: string, minor: number): Promise<Opened> {
  const created = await createSubscription(partner, {
    externalId,
    startDate: "2030-01-01",
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: decimal(minor) } },
  });
  const { orderId } = created["initialCharge"] as { orderId: string };
  return { id: orderId, qrcodeData: created["qrcodeData"] as string };
}

async function openTransparentOrder(partner: Partner, externalId: string, minor: number): Promise<Opened> {
  const { body } = await partner.ask("PUT", "/order/v2/transparent", {
    key: externalId,
    body: {
      customer: { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } },
      order: {
        externalId,
        paymentMethod: "DEPOSIT",
        amount: { currency: "BRL", value: decimal(minor) },
        notificationUrl: RECEIVER_URL,
      },
    },
  });
  return { id: body["id"] as string, qrcodeData: null };
}

/** An order that is open for a day, or paid at once. */
const openings = fc.tuple(minors, fc.boolean(), fc.boolean()).map(([minor, isPaid, isDivisible]) => {
  const kind = isDivisible ? "a transparent order" : "a first charge";
  return command(`open ${isPaid ? "and pay " : ""}${kind} of ${decimal(minor)}`, async (model, partner) => {
    const open = isDivisible ? openTransparentOrder : openFirstCharge;
    const opened = await open(partner, model.newCode(), minor);
    const order = model.open({
      ...opened,
      account: ACME_ACCOUNT,
      minor,
      isDivisible,
      paid: 0,
      status: "open",
    });
    model.after(DAY_MS, () => {
      if (order.status === "open") order.status = "over";
    });
    if (!isPaid) return;
    await partner.act("order.pay", { id: order.id });
    model.payOrder(order, minor);
  });
});

/** A payment of the due amount, of a part of it or of more; a payment that the order does not take is refused. */
const payments = fc.tuple(picks, fc.constantFrom(0.3, 1, 1, 1.2)).map(([pick, part]) =>
  command(
    `pay ${part} of what order ${pick} asks for`,
    async (model, partner) => {
      const order = picked(model.orders, pick);
      const due = order.minor - order.paid;
      const minor = Math.max(1, Math.round(due * part));
      const isPossible = isPayable(order) && (minor === due || (order.isDivisible && minor < due));
      await tryAct(partner, { act: "order.pay", id: order.id, amount: decimal(minor), isPossible });
      if (isPossible) model.payOrder(order, minor);
    },
    ({ orders }) => orders.length > 0,
  ),
);

/** Ends an unpaid order; any other order is unchanged. */
const endings = fc.tuple(picks, fc.constantFrom("expire", "cancel", "fail")).map(([pick, action]) =>
  command(
    `${action} order ${pick}`,
    async (model, partner) => {
      const order = picked(model.orders, pick);
      const isPossible = order.status === "open";
      await tryAct(partner, { act: `order.${action}`, id: order.id, isPossible });
      if (isPossible) order.status = "over";
    },
    ({ orders }) => orders.length > 0,
  ),
);

const advances = fc
  .constantFrom(
    { ms: 1, duration: "PT0.001S" },
    { ms: 2000, duration: "PT2S" },
    { ms: 3000, duration: "PT3S" },
    { ms: 3_600_000, duration: "PT1H" },
    { ms: DAY_MS, duration: "PT24H" },
  )
  .map(({ ms, duration }) =>
    command(`advance ${duration}`, async (model, partner) => {
      await partner.advance(duration);
      model.advance(ms);
    }),
  );

export const orderCommands = [deposits, openings, payments, endings, advances];
