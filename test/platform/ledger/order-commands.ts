import fc from "fast-check";
import { ACME_ACCOUNT, createSubscription } from "../../partner.ts";
import { command, decimal, minors, ownAccounts, picked, picks, tryAct } from "./command.ts";

const DAY_MS = 86_400_000;

const deposits = fc.tuple(ownAccounts, minors).map(([account, minor]) =>
  command(`deposit ${decimal(minor)} on ${account}`, async (model, partner) => {
    await partner.act("account.deposit", { id: account, amount: decimal(minor) });
    model.credit(account, minor);
  }),
);

/** The first charge of a journey 3 subscription: an order that is open for a day, unless it is paid at once. */
const openings = fc.tuple(minors, fc.boolean()).map(([minor, isPaid]) =>
  command(`open ${isPaid ? "and pay " : ""}an order of ${decimal(minor)}`, async (model, partner) => {
    const { initialCharge, qrcodeData } = await createSubscription(partner, {
      externalId: model.newCode(),
      startDate: "2030-01-01",
      type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
      initialCharge: { amount: { currency: "BRL", value: decimal(minor) } },
    });
    const { orderId: id } = initialCharge as { orderId: string };
    const opened = model.open({
      id,
      account: ACME_ACCOUNT,
      minor,
      qrcodeData: qrcodeData as string,
      status: "open",
    });
    model.after(DAY_MS, () => {
      if (opened.status === "open") opened.status = "over";
    });
    if (!isPaid) return;
    await partner.act("order.pay", { id });
    model.payOrder(opened);
  }),
);

/** Ends an open order; any other is left as it is. */
const endings = fc
  .tuple(picks, fc.constantFrom("pay", "pay", "pay", "expire", "cancel", "fail"))
  .map(([pick, action]) =>
    command(
      `${action} order ${pick}`,
      async (model, partner) => {
        const order = picked(model.orders, pick);
        const isPossible = order.status === "open";
        await tryAct(partner, { act: `order.${action}`, id: order.id, isPossible });
        if (isPossible && action === "pay") model.payOrder(order);
        else if (isPossible) order.status = "over";
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

export const orderCommands = [deposits, openings, endings, advances];
