import {
  ACCOUNT,
  ADDRESSED,
  type Deviations,
  LISTED,
  accepts,
  after,
  expecting,
  payout,
  refuses,
  sends,
  sendsTo,
} from "./deviation.ts";

const BALANCE = `
- call: getAccountBalance
  path: { accountId: ${ACCOUNT} }`;

/** Of payouts. */
export const ofPayouts: Deviations = {
  "payout.insufficient-balance": [
    {
      story: payout(', amount: { currency: BRL, value: "100000.01" }', expecting(400)),
      change: refuses("createPayout", (text) => text.replace('"INVALID_REQUEST"', '"INSUFFICIENT_BALANCE"')),
      observed: "400 INSUFFICIENT_BALANCE",
    },
    {
      // Globex has 5000.00.
      story: (payout() + BALANCE + payout(', amount: { currency: BRL, value: "3750.01" }', expecting(400)))
        .replaceAll("payout.pix", "payout.pix, accountId: 22222222-2222-4222-8222-222222222222")
        .replaceAll(ACCOUNT, "22222222-2222-4222-8222-222222222222")
        .replaceAll("- call:", "- as: globex\n  call:"),
      change: accepts("createPayout"),
      observed: "it is accepted",
    },
  ],
  "payout.foreign-account": {
    story: `${LISTED}\n  as: globex${payout(", accountId: 22222222-2222-4222-8222-222222222222", expecting(403))}`,
    change: refuses(
      "createPayout",
      () => '{"error":"NOT_FOUND","message":"Resource not found","details":[]}',
      404,
    ),
    observed: "404 NOT_FOUND",
  },
  "payout.ted-end-to-end-id": {
    story: payout("", "", "ted") + after("PT1M"),
    change: sends("ORDER-PAYOUT.PAID", (text) =>
      text.replace('"endToEndId":null', '"endToEndId":"E9999900420261123120012345678901"'),
    ),
    observed: "its events have one",
  },
  "payout.control-number": {
    story: payout("", "", "ted") + after("PT1M"),
    change: sends("ORDER-PAYOUT.PAID", (text) =>
      text.replace(/"controlNumber":"[^"]*"/, '"controlNumber":"7-1"'),
    ),
    observed: "it is 7-1",
  },
  "payout.webhook-url": {
    story: ADDRESSED,
    change: sendsTo("http://receiver.example/shop", "ORDER-PAYOUT.PAID"),
    observed: "an event goes to http://receiver.example/shop",
  },
};
