import { expect, test } from "vitest";
import { partingOf } from "../../../src/tools/books/parting.ts";

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
  expect(partingOf(early, history, 31)).toEqual({
    number: 32,
    at: reserved.at,
    sentence: "payout order-1 reserved, which moves nothing of this sum, no event told it.",
  });
  expect(partingOf(early, history, 32)).toBeNull();
  expect(partingOf({ ...early, off: 9_000 }, history, 31)).toBeNull();
});
