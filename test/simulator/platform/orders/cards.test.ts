import { openPartner } from "../../../partner.ts";
import { CARDS, makeOrder, orderBody, orderNow, refusedAct, statusAfter, cardOrder } from "./asking.ts";
import { expect, test } from "vitest";

const DECLINED_AFTER_CHALLENGE = "The issuer declined the card after the 3-D Secure challenge.";
const DECLINED = "The issuer declined the card.";

test.each([
  [CARDS.approved, "PAID", ["The order was paid."]],
  [CARDS.declined, "ERROR", ["The issuer declined the card."]],
  [CARDS.insufficientFunds, "ERROR", ["The card has insufficient funds."]],
  [CARDS.unknown, "INITIAL", []],
])("the card %s without a challenge leaves the order %s", async (number, status, sent) => {
  await using partner = await openPartner();
  const { id } = await cardOrder(partner, number);
  await partner.advance("PT5S");
  const order = await orderNow(partner, id);
  expect(order["status"]).toBe(status);
  const messages = (await partner.webhooks()).map(({ message }) => message as string);
  expect(messages).toEqual(sent);
});

test("a stored test card decides as the card itself", async () => {
  await using partner = await openPartner();
  const body = orderBody("CREDIT_CARD", {}, { paymentDetails: { cardToken: "card_declined" } });
  const { id } = await makeOrder(partner, body);
  expect(await statusAfter(partner, id, "PT5S")).toBe("ERROR");
});

test.each([
  [CARDS.challenged, {}, "PAID"],
  [CARDS.challengedThenDeclined, {}, "ERROR"],
  [CARDS.declined, { skipThreeDs: false }, "ERROR"],
  [CARDS.unknown, { skipThreeDs: false }, "PAID"],
])(
  "with its challenge passed, the card %s with the flag %j leaves the order %s",
  async (number, flag, status) => {
    await using partner = await openPartner();
    const { id } = await cardOrder(partner, number, flag);
    expect(await statusAfter(partner, id, "PT1H")).toBe("INITIAL");
    expect(await partner.act("order.pass-challenge", { id })).toMatchObject({
      status,
      threeDs: { status: "AUTHENTICATED" },
    });
    const events = await partner.webhooks();
    expect(events.map(({ event }) => event)).toEqual([`ORDER-PAYIN.${status}`]);
  },
);

/** The message spoke of a challenge that there was not. */
test.each([
  [CARDS.challengedThenDeclined, { skipThreeDs: true }, false, DECLINED],
  [CARDS.challengedThenDeclined, {}, true, DECLINED_AFTER_CHALLENGE],
  [CARDS.challengedThenDeclined, { skipThreeDs: false }, true, DECLINED_AFTER_CHALLENGE],
  [CARDS.declined, { skipThreeDs: true }, false, DECLINED],
  [CARDS.declined, { skipThreeDs: false }, true, DECLINED],
  [CARDS.insufficientFunds, {}, false, "The card has insufficient funds."],
])(
  "the card %s with %j is declined with the reason that is true",
  async (number, flags, isChallenged, why) => {
    await using partner = await openPartner();
    const { id } = await cardOrder(partner, number, flags);
    if (isChallenged) await partner.act("order.pass-challenge", { id });
    else await partner.advance("PT5S");
    expect(await orderNow(partner, id)).toMatchObject({ status: "ERROR", errorMessage: why });
  },
);

test("a card that is declined while its challenge is still to be passed was not challenged", async () => {
  await using partner = await openPartner();
  const { id } = await cardOrder(partner, CARDS.challengedThenDeclined);
  expect(await partner.act("order.decline", { id })).toMatchObject({ errorMessage: DECLINED });
});

test("a failed challenge ends the order and cannot be repeated", async () => {
  await using partner = await openPartner();
  const { id } = await cardOrder(partner, CARDS.challenged);
  expect(await partner.act("order.fail-challenge", { id })).toMatchObject({
    status: "ERROR",
    threeDs: { status: "FAILED" },
    errorMessage: "The 3-D Secure challenge was not passed.",
  });
  expect((await refusedAct(partner, "order.pass-challenge", { id })).status).toBe(409);
});

test("a plan decides after the challenge too", async () => {
  await using partner = await openPartner();
  const { id } = await cardOrder(partner, CARDS.challenged);
  await partner.sandbox.plan({ plan: "order.payment", on: id as string, outcomes: ["DECLINED"] });
  expect(await statusAfter(partner, id, "PT1H")).toBe("INITIAL");
  expect(await partner.act("order.pass-challenge", { id })).toMatchObject({ status: "ERROR" });
});

test("an order without a challenge refuses the acts of a challenge", async () => {
  await using partner = await openPartner();
  for (const { id } of [
    await makeOrder(partner, orderBody("PIX")),
    await cardOrder(partner, CARDS.challenged, { skipThreeDs: true }),
  ]) {
    for (const act of ["order.pass-challenge", "order.fail-challenge"]) {
      const refused = await refusedAct(partner, act, { id });
      expect(refused.status).toBe(409);
      expect(JSON.stringify(refused.body)).toContain("the order has no challenge");
    }
  }
});
