import { expect, test } from "vitest";
import type { ExploreOptions } from "../../../src/checks/explore/exploration.ts";
import { explore } from "../../../src/library/explore.ts";

type Books = NonNullable<ExploreOptions["books"]>;

const scenario = {
  name: "an order and a payout",
  start: "2026-11-20T09:00:00-03:00",
  steps: [
    {
      call: "createTransparentOrder",
      body: {
        $use: "order.deposit",
        order: {
          externalId: "shop-1",
          paymentMethod: "DEPOSIT",
          amount: { currency: "BRL", value: "100.00" },
        },
      },
      save: "order",
    },
    { act: "order.pay", on: "${order.id}" },
    {
      call: "createPayout",
      body: { $use: "payout.pix", externalId: "payout-1", amount: { currency: "BRL", value: "20.00" } },
      save: "payout",
    },
    { advance: "PT1M" },
  ],
};

const inPesos = {
  ...scenario,
  steps: [
    ...scenario.steps,
    {
      call: "createTransparentOrder",
      body: {
        $use: "order.spei",
        order: {
          externalId: "tienda-1",
          paymentMethod: "SPEI",
          amount: { currency: "MXN", value: "250.00" },
        },
      },
      save: "other",
    },
    { act: "order.pay", on: "${other.id}" },
  ],
};

const onlyPesos = { ...scenario, steps: inPesos.steps.slice(-2) };

interface Compared {
  readonly of?: object;
  /** What the partner shows; they are compared at the end, unless `books` says otherwise. */
  readonly state: unknown;
  readonly books: Books;
}

/** What is reported of the books in the baseline, a line each. */
async function linesOf({ of = scenario, state, books }: Compared): Promise<readonly string[]> {
  const { divergences, reason } = await explore({
    scenario: of,
    receiver: () => new Response('{"returnCode":"OK"}'),
    probe: () => state,
    books: { when: "end", ...books },
    only: ["twice"],
    budget: 1,
  });
  expect(reason).toBeUndefined();
  return divergences.flatMap(({ books: found = [] }) => found.flatMap(({ lines }) => lines));
}

const received = (path = "$.received"): Books => ({ totals: { received: path } });

test.each<[what: string, compared: Compared]>([
  ["a decimal as text", { state: { received: "100.00" }, books: received() }],
  ["a number", { state: { received: 100 }, books: received() }],
  ["an object by currency", { state: { received: { BRL: "100.00" } }, books: received() }],
  [
    "an integer in the smallest unit",
    { state: { received: 10_000 }, books: { unit: "minor", ...received() } },
  ],
  [
    "the sums of one account",
    {
      state: { received: "100.00", left: "100080.00" },
      books: {
        account: "11111111-1111-4111-8111-111111111111",
        totals: { received: "$.received", balance: "$.left" },
      },
    },
  ],
  [
    "the sums of an account without any",
    { state: {}, books: { account: "11111111-1111-4111-8111-111111111112", ...received() } },
  ],
  [
    "an account that a step saves",
    {
      of: {
        ...scenario,
        steps: [...scenario.steps, { call: "listAccounts", save: "accounts" }, { advance: "PT1M" }],
      },
      state: { received: "100.00" },
      books: { account: "${accounts.data[2].id}", ...received() },
    },
  ],
  [
    "several currencies",
    { of: inPesos, state: { received: { BRL: "100.00", MXN: 250 } }, books: received() },
  ],
  [
    "rows by externalId, with amounts and words for statuses",
    {
      state: { rows: [{ order: "payout-1", sum: 20, state: "done" }] },
      books: {
        rows: [
          {
            of: "payouts",
            at: "$.rows[*]",
            key: "order",
            amount: "sum",
            status: { field: "state", PAID: ["paid", "done"] },
          },
        ],
      },
    },
  ],
])("books with %s agree with the ledger", async (_, compared) => {
  expect(await linesOf(compared)).toEqual([]);
});

const rows = (more: object = {}): Books => ({
  rows: [{ of: "payouts", at: "$.rows[*]", key: "order", ...more }],
});
const right = { order: "payout-1", sum: "20.00", state: "paid" };

test.each<[what: string, compared: Compared, lines: readonly string[]]>([
  [
    "a path that selects nothing",
    { state: { recieved: "100.00" }, books: received() },
    ["your $.received   nothing there", "the ledger        100.00"],
  ],
  [
    "a path that selects two values",
    { state: { received: [100, 0] }, books: received("$.received[*]") },
    ["your $.received[*]   [100,0]", "The path selects 2 values: select one."],
  ],
  [
    "a text that is no number",
    { state: { received: "R$ 100" }, books: received() },
    ['your $.received   "R$ 100"', '"R$ 100" is not an amount.'],
  ],
  [
    "decimals where the unit is the smallest",
    { state: { received: "100.00" }, books: { unit: "minor", ...received() } },
    ['"100.00" is not an integer, but `unit: minor` counts in the smallest unit.'],
  ],
  [
    "the smallest unit where nobody says so",
    { state: { received: 10_000 }, books: received() },
    [
      "your $.received   10000.00",
      "It looks like a sum in the smallest unit. Write `unit: minor` under `books`.",
    ],
  ],
  [
    "an account of another company",
    { state: {}, books: { account: "22222222-2222-4222-8222-222222222222", ...received() } },
    ["books: they cannot be read", expect.stringMatching(/no account "22222222.*"\. It can be 1111/)],
  ],
  [
    "a currency that is missing",
    { of: inPesos, state: { received: { BRL: "100.00" } }, books: received() },
    ["your $.received   100.00 BRL", "the ledger        100.00 BRL, 250.00 MXN"],
  ],
  [
    "a currency that was taken for another",
    { of: onlyPesos, state: { received: { BRL: "250.00" } }, books: received() },
    [
      "your $.received   250.00 BRL",
      "the ledger        250.00 MXN",
      expect.stringMatching(/Entry \d+: order\.pay: INITIAL → PAID, 250\.00 MXN to account/),
    ],
  ],
  [
    "one number for two currencies",
    { of: inPesos, state: { received: 350 }, books: received() },
    ["It is one number, but there is money in BRL and MXN. Show an object by currency."],
  ],
  [
    "a currency that there is not",
    { state: { received: { reais: "100.00" } }, books: received() },
    ['"reais" is not a currency. Show an object such as { BRL: "100.00" }.'],
  ],
  [
    "a row that is missing",
    { state: { rows: [] }, books: rows() },
    [
      "rows of payouts: payout-1 is missing (PAID there)",
      expect.stringMatching(/end only\. Entry \d+: payout-transaction\.settle: PENDING → PAID/),
    ],
  ],
  [
    "a row too many",
    { state: { rows: [right, { order: "payout-2" }] }, books: rows() },
    ["rows of payouts: payout-2 is only here", "They are compared at the end only."],
  ],
  [
    "a row twice",
    { state: { rows: [right, right] }, books: rows() },
    ["rows of payouts: payout-1 is there 2 times"],
  ],
  [
    "a wrong amount",
    { state: { rows: [{ ...right, sum: "2.00" }] }, books: rows({ amount: "sum" }) },
    ['rows of payouts: payout-1 has "2.00" here and 20.00 there'],
  ],
  [
    "an amount that is no integer where the unit is the smallest",
    { state: { rows: [right] }, books: { unit: "minor", ...rows({ amount: "sum" }) } },
    [
      'rows of payouts: payout-1 has "20.00" here and 20.00 there: "20.00" is not an integer, but `unit: minor` counts in the smallest unit',
    ],
  ],
  [
    "a wrong status",
    { state: { rows: [right] }, books: rows({ status: { field: "state", PAID: "done" } }) },
    ['rows of payouts: payout-1 is "paid" here and PAID there'],
  ],
  [
    "a field that rows do not have",
    { state: { rows: [right] }, books: rows({ amount: "amount" }) },
    ['rows of payouts: payout-1 has no "amount" here and 20.00 there'],
  ],
  [
    "a row without a key",
    { state: { rows: [right, { sum: 1 }] }, books: rows() },
    ['rows of payouts: a row has no "order": {"sum":1}'],
  ],
  [
    "a path that selects the list of rows",
    { state: { rows: [] }, books: { rows: [{ of: "payouts", at: "$.rows", key: "order" }] } },
    [
      expect.stringMatching(
        /^rows of payouts: \$\.rows selects \[\], which is not a row; \$\.rows\[\*\] selects/,
      ),
    ],
  ],
])("%s is reported", async (_, compared, lines) => {
  const found = (await linesOf(compared)).map((line) => line.trim());
  expect(found).toEqual(expect.arrayContaining([...lines]));
});

test("books that are wrong are refused before anything runs", async () => {
  const wrong = {
    totals: { received: "received" },
    rows: [{ of: "payouts", at: "$.rows[*]", key: "order", status: { field: "state", PAYED: "done" } }],
  };
  await expect(linesOf({ state: {}, books: wrong })).rejects.toThrow(
    /^books: `received` is not a JSONPath: .*\nbooks: Objects of payouts have no status `PAYED`\. Did you mean `PAID`\?$/,
  );
});
