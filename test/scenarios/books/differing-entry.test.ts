import { expect, test } from "vitest";
import { differingEntryOf } from "../../../src/scenarios/books/differing-entry.ts";

const reserved = {
  entry: 32,
  at: "2026-11-23T12:00:30.000Z",
  what: "payout order-1 reserved",
  collection: "payouts",
  objectId: "p1",
  externalId: "order-1",
  amount: "100.50",
  account: "a1",
  currency: "BRL",
  changes: { balance: "-100.50" },
  events: [],
};

test("a sum that moved before its time parts at the entry that moved another sum by the difference", () => {
  const history = { movements: [reserved], announcements: [] };
  const early = { total: "paidOut", currency: "BRL", off: 10_050 } as const;
  expect(differingEntryOf(early, history, 31)).toEqual({
    number: 32,
    at: reserved.at,
    sentence: "payout order-1 reserved, which moves nothing of this sum, without an event.",
  });
  expect(differingEntryOf(early, history, 32)).toBeNull();
  expect(differingEntryOf({ ...early, off: 9_000 }, history, 31)).toBeNull();
});

/** Two refunds of one order and one instant, at the entries 17 and 18. */
function refundsOf(...amounts: readonly [string, string]) {
  const at = "2026-11-23T12:00:05.000Z";
  const order = { event: "ORDER-PAYIN.REFUNDED", collection: "orders", objectId: "o1", externalId: "shop-1" };
  return {
    movements: amounts.map((amount, index) => ({
      ...reserved,
      entry: 17 + index,
      what: "refund.settle: INITIAL → REFUNDED",
      collection: "refunds",
      objectId: `r${index}`,
      amount,
      account: null,
      changes: { refunded: amount },
      events: [order.event],
    })),
    announcements: [17, 18, 20, 21].map((entry) => ({
      ...order,
      entry,
      at,
      told: entry > 19,
      what: entry > 19 ? "" : "refund.settle: INITIAL → REFUNDED",
      amount: "100.00",
    })),
  };
}

test.each([
  ["the order is booked for each half", "refunded", 10_000, refundsOf("50.00", "50.00")],
  ["the order is booked for each part", "refunded", 17_000, refundsOf("20.00", "10.00")],
  ["each is taken from another sum", "received", -3_000, refundsOf("20.00", "10.00")],
  ["each half is taken from another sum", "received", -10_000, refundsOf("50.00", "50.00")],
] as const)("of two refunds that are booked wrong, the first is named: %s", (_, total, off, history) => {
  expect(differingEntryOf({ total, currency: "BRL", off }, history, 16)?.number).toBe(17);
});

test("a refund that is refused next to one that is carried out is named", () => {
  const { movements, announcements } = refundsOf("10.00", "5.00");
  const [settled, refused] = movements as [(typeof movements)[number], (typeof movements)[number]];
  const history = {
    // What was reserved for it is back.
    movements: [settled, { ...refused, changes: { balance: "5.00" } }],
    announcements: announcements.map((one) =>
      one.entry === 18 ? { ...one, event: "ORDER-PAYIN.REJECTED" } : one,
    ),
  };
  expect(differingEntryOf({ total: "refunded", currency: "BRL", off: 500 }, history, 16)?.number).toBe(18);
});

test("a refund that is booked for a copy of its event is named with what it moved", () => {
  const { movements, announcements } = refundsOf("20.00", "10.00");
  const again = { ...(announcements[3] as (typeof announcements)[number]), entry: 30 };
  const history = { movements, announcements: [...announcements, again] };
  const entry = differingEntryOf({ total: "refunded", currency: "BRL", off: 1_000 }, history, 29);
  expect(entry).toMatchObject({
    number: 18,
    sentence: expect.stringMatching(/, 10\.00, announced by .* was delivered again since\.$/) as string,
  });
});
