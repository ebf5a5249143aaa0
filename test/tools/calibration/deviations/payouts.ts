import {
  ACCOUNT,
  ADDRESSED,
  type Deviations,
  INACTIVE,
  LISTED,
  accepts,
  after,
  answers,
  expecting,
  payout,
  refuses,
  sends,
  sendsTo,
} from "./deviation.ts";

const BALANCE = `
- call: getAccountBalance
  path: { accountId: ${ACCOUNT} }`;

const CODE =
  "00020126360014br.gov.bcb.pix0114ok@pix.example520400005303986540510.505802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62110507PEDIDO163049D95";

const coded = (code: string, amount: string, expected = ""): string =>
  payout(`, paymentData: { qrcodeData: "${code}" }, amount: { currency: BRL, value: "${amount}" }`, expected);

const banked = (identifiers: string, expected = ""): string =>
  payout(
    `, paymentData: { bankAccount: { ${identifiers}accountType: CHECKING_ACCOUNT, branchNumber: "0001", accountNumber: "123456" } }`,
    expected,
    "ted",
  );

const BATCH = payout(', amount: { currency: BRL, value: "40000.00" }');

/** Of payouts. */
export const ofPayouts: Deviations = {
  "payout.balance": {
    story: BALANCE + payout() + BALANCE,
    change: answers("getAccountBalance", (text) => text.replace("98750.00", "100000.00"), 1),
    observed: "it is lowered later",
  },
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
  "payout.inactive-account": {
    story: LISTED + payout(`, accountId: ${INACTIVE}`, expecting(403)),
    change: refuses(
      "createPayout",
      () => '{"error":"INVALID_REQUEST","message":"The account is not active.","details":[]}',
      400,
    ),
    observed: "400 INVALID_REQUEST",
  },
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
  "payout.unusable-qrcode": {
    story: coded(CODE, "10.50") + coded(CODE.replace("9D95", "9D96"), "10.50", expecting(400)),
    change: accepts("createPayout"),
    observed: "it is accepted",
  },
  "payout.qrcode-amount": {
    story: coded(CODE, "10.50") + coded(CODE, "11.00", expecting(400)),
    change: accepts("createPayout"),
    observed: "it is accepted",
  },
  "payout.parent-status": {
    story: BATCH,
    change: answers("createPayout", (text) =>
      text.replaceAll(/"sequence":(\d)/g, (_all, digit: string) => `"sequence":${Number(digit) - 1}`),
    ),
    observed: "it is 0, 1, 2",
  },
  "payout.batch-identifiers": {
    story: BATCH,
    change: answers("createPayout", (text) => {
      const payout = JSON.parse(text) as Record<string, unknown>;
      return JSON.stringify({ ...payout, endToEndId: "E9999900420261123120012345678901" });
    }),
    observed: "it is another one",
  },
  "payout.transaction-statuses": {
    story: BATCH,
    change: answers("createPayout", (text) =>
      text.replace(
        /("sequence":2.*?"status":")PENDING|("status":")PENDING(?=[^}]*"sequence":2)/,
        "$1$2SCHEDULED",
      ),
    ),
    observed: "SCHEDULED occurs",
  },
  "payout.batch-events": {
    story: BATCH + after("PT1M"),
    change: (entries) => {
      const [created] = entries;
      const batch = JSON.parse(created?.response.content.text ?? "{}") as {
        id: string;
        batch: { transactions: { id: string }[] };
      };
      const child = batch.batch.transactions[0]?.id ?? "";
      return sends("ORDER-PAYOUT.PAID", (text) => text.replace(batch.id, child))(entries);
    },
    observed: "events are about its transactions",
  },
  "payout.webhook-url": {
    story: ADDRESSED,
    change: sendsTo("http://receiver.example/shop", "ORDER-PAYOUT.PAID"),
    observed: "an event goes to http://receiver.example/shop",
  },
  "payout.bank-identifier": [
    {
      story: banked('bankNumber: "341", ') + banked('bankNumber: "341", ispb: "60701190", ', expecting(400)),
      change: accepts("createPayout"),
      observed: "it is accepted",
    },
    {
      story: banked('bankNumber: "341", ') + banked("", expecting(400)),
      change: accepts("createPayout"),
      observed: "it is accepted",
    },
  ],
  "payout.unknown-receiver": {
    story: payout(', paymentData: { pixKey: "123e4567-e89b-42d3-a456-426614174000" }') + after("PT1M"),
    change: sends("ORDER-PAYOUT.ERROR", (text) => text.replaceAll("00000000000", "99999999999")),
    observed: "CPF 99999999999",
  },
  "payout.error-messages": {
    story: payout(", paymentData: { pixKey: error@pix.example }") + after("PT1M"),
    change: sends("ORDER-PAYOUT.ERROR", (text) =>
      text.replace(/"message":"([A-Z0-9]{4})[^"]*"/, '"message":"It failed ($1)"'),
    ),
    observed: "the code is elsewhere in it",
  },
};
