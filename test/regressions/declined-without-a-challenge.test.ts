import { card, CARDS, makeOrder, orderBody, orderNow } from "../simulator/platform/orders/asking.ts";
import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

const AFTER = "The issuer declined the card after the 3-D Secure challenge.";
const PLAIN = "The issuer declined the card.";

/** The message spoke of a challenge that there was not. */
test.each([
  [CARDS.challengedThenDeclined, { skipThreeDs: true }, false, PLAIN],
  [CARDS.challengedThenDeclined, {}, true, AFTER],
  [CARDS.challengedThenDeclined, { skipThreeDs: false }, true, AFTER],
  [CARDS.declined, { skipThreeDs: true }, false, PLAIN],
  [CARDS.declined, { skipThreeDs: false }, true, PLAIN],
  [CARDS.insufficientFunds, {}, false, "The card has insufficient funds."],
])(
  "the card %s with %j is declined with the reason that is true",
  async (number, flags, isChallenged, why) => {
    await using partner = await openPartner();
    const paymentDetails = { card: card(number, flags) };
    const { id } = await makeOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
    if (isChallenged) await partner.act("order.pass-challenge", { id });
    else await partner.advance("PT5S");
    expect(await orderNow(partner, id)).toMatchObject({ status: "ERROR", errorMessage: why });
  },
);

test("a card that is declined while its challenge is still to be passed was not challenged", async () => {
  await using partner = await openPartner();
  const paymentDetails = { card: card(CARDS.challengedThenDeclined) };
  const { id } = await makeOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
  expect(await partner.act("order.decline", { id })).toMatchObject({ errorMessage: PLAIN });
});
