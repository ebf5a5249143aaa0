import { expect, test } from "vitest";
import { contradictions } from "../../../src/checks/explore/money.ts";
import { explore } from "../../../src/library/explore.ts";

interface Event {
  readonly event: string;
  readonly type: string;
  readonly id: string;
  readonly refundId?: string;
  readonly amount?: { readonly value: string };
}

/** Books what it is told by one function; the amounts of refunds are those of the scenario. */
function partner(book: (event: Event, sums: Record<string, number>) => void) {
  let sums: Record<string, number> = {};
  let rows: Record<string, string> = {};
  const seen = new Set<string>();
  return {
    receiver: async (request: Request): Promise<Response> => {
      const event = (await request.json()) as Event;
      const key = `${event.event} ${event.refundId ?? event.id}`;
      if (!seen.has(key)) {
        seen.add(key);
        book(event, sums);
        if (event.refundId === undefined) rows[event.id] = event.event.split(".")[1] ?? "";
      }
      return Response.json({ returnCode: "OK" });
    },
    probe: () => ({ received: sums["received"] ?? 0, refunded: sums["refunded"] ?? 0, rows }),
    reset: () => {
      sums = {};
      rows = {};
      seen.clear();
    },
  };
}

const add = (sums: Record<string, number>, name: string, amount: number): void => {
  sums[name] = (sums[name] ?? 0) + amount;
};

function right(event: Event, sums: Record<string, number>): void {
  if (event.event === "ORDER-PAYIN.PAID") add(sums, "received", Number(event.amount?.value) * 100);
  if (event.event === "ORDER-PAYIN.REFUNDED") add(sums, "refunded", 2_000);
}

const refund = {
  call: "refundOrder",
  body: { $use: "refund.part", orderId: "${order.id}", amount: "20.00" },
};
const ofDeposit = (externalId: string): object => ({
  externalId,
  paymentMethod: "DEPOSIT",
  amount: { currency: "BRL", value: "20.00" },
});
const scenario = (...steps: readonly object[]): object => ({
  name: "money",
  start: "2026-11-20T09:00:00-03:00",
  steps: [
    { call: "createTransparentOrder", body: { $use: "order.pix" }, save: "order" },
    { act: "order.pay", on: "${order.id}" },
    ...steps,
    { advance: "PT5S" },
  ],
});
const books = { unit: "minor", totals: { received: "$.received", refunded: "$.refunded" } } as const;

test("books that agree at every quiet moment agree in every order of the webhooks", async () => {
  const result = await explore({ scenario: scenario(refund, refund), books, ...partner(right), depth: 1 });
  expect([result.verdict, result.lints ?? [], result.report]).toEqual(["converges", [], result.report]);
  expect(result.booksCompared).toBeGreaterThan(3);
});

test("books that are wrong in every order are a divergence without a deviation, at the entry that is wrong", async () => {
  const net = partner((event, sums) => {
    right(event, sums);
    if (event.event === "ORDER-PAYIN.PAID") add(sums, "received", -150);
  });
  const result = await explore({ scenario: scenario(refund), books, ...net, depth: 1 });
  expect(result.verdict).toBe("diverges");
  const [divergence] = result.divergences;
  expect(divergence).toMatchObject({
    deviations: [],
    differences: [{ path: "$books.received", baseline: "150.00", found: 14850 }],
    books: [{ entry: { sentence: expect.stringMatching(/^order\.pay: INITIAL → PAID, 150\.00/) as string } }],
  });
  expect(result.report).toContain("your $.received   148.50");
});

test("books that are compared at the end name the webhook at which they parted, and not what moved most", async () => {
  const netted = partner((event, sums) => {
    right(event, sums);
    if (event.event === "ORDER-PAYIN.REFUNDED") add(sums, "received", -2_000);
  });
  const other = (externalId: string, save: string): object[] => [
    { call: "createTransparentOrder", body: { $use: "order.deposit", order: ofDeposit(externalId) }, save },
    { act: "order.pay", on: `\${${save}.id}` },
  ];
  const steps = scenario(
    ...other("shop-2", "second"),
    refund,
    { advance: "PT5S" },
    ...other("shop-3", "third"),
  );
  const result = await explore({ scenario: steps, books: { ...books, when: "end" }, ...netted, depth: 1 });
  expect(result.divergences[0]?.books?.[0]?.entry?.sentence).toMatch(
    /^refund\.settle: INITIAL → REFUNDED.*, which moves nothing of this sum, announced by ORDER-PAYIN\.REFUNDED\.$/,
  );
});

test("an event that moves money and leaves no trace is found without any books", async () => {
  const first = new Set<string>();
  const dropping = partner((event, sums) => {
    if (event.type === "REFUND" && first.has(event.id)) return;
    if (event.type === "REFUND") first.add(event.id);
    right(event, sums);
  });
  const reset = (): void => {
    first.clear();
    dropping.reset();
  };
  const result = await explore({ scenario: scenario(refund, refund), ...dropping, reset, depth: 1 });
  expect(result.lints?.map(({ lint }) => lint)).toEqual(["event-without-trace"]);
  expect(result.lints?.[0]?.message).toContain("moved 20.00 BRL");
});

test("an event that moves no money and changes a sum is found without any books", async () => {
  const counting = partner((event, sums) => {
    right(event, sums);
    if (event.event === "ORDER-PAYIN.ERROR") add(sums, "refunded", 2_000);
  });
  const plan = { plan: "refund.outcome", outcomes: ["ERROR"] };
  const wrong = await explore({ scenario: scenario(plan, refund), ...counting, depth: 1 });
  expect(wrong.lints?.map(({ lint }) => lint)).toEqual(["trace-without-money"]);
  const good = await explore({ scenario: scenario(plan, refund), ...partner(right), depth: 1 });
  expect(good.lints).toBeUndefined();
});

test.each([
  ["PAID", ["event-without-trace (event 1)", "event-without-trace (event 2)"]],
  ["ERROR", []],
])("what a request changes is no trace of an event of %s that follows", async (outcome, found) => {
  let requested = "0.00";
  const payout = (externalId: string): object => ({
    call: "createPayout",
    body: { $use: "payout.pix", externalId },
  });
  const steps = [
    { plan: "payout.settlement", outcomes: [outcome, outcome] },
    payout("first"),
    { advance: "PT5S" },
    { request: "POST partner:/payouts" },
    payout("second"),
    { advance: "PT5S" },
  ];
  const { lints = [] } = await explore({
    scenario: { name: "requested", start: "2026-11-20T09:00:00-03:00", steps },
    receiver: () => Response.json({ returnCode: "OK" }),
    client: () => {
      requested = "1250.00";
      return Response.json({});
    },
    probe: () => ({ requested }),
    reset: () => (requested = "0.00"),
    only: ["twice"],
    budget: 1,
  });
  const named = lints.map(({ lint, message }) => `${lint} ${/\(event \d\)/.exec(message)?.[0]}`);
  expect(named).toEqual(found);
});

test("an order that is paid here and canceled there is a hint of the baseline", async () => {
  const states = partner(() => undefined);
  const canceled = {
    name: "canceled",
    steps: [
      { call: "createTransparentOrder", body: { $use: "order.pix" }, save: "order" },
      { act: "order.cancel", on: "${order.id}" },
    ],
  };
  const probe = (): object => ({
    rows: Object.keys(states.probe().rows).map((id) => ({ id, state: "paid" })),
  });
  const result = await explore({ scenario: canceled, ...states, probe, depth: 1 });
  expect(result.notes.join(" ")).toContain('is CANCELED on the platform and "paid" in your system');
});

test("a charge that one of its resends paid is paid: no hint", () => {
  const object = (id: string, status: string, resendOf?: string) => ({
    collection: "scheduled-payments",
    id,
    externalId: `external-${id}`,
    status,
    currency: "BRL",
    amount: "59.90",
    isTold: true,
    isOwn: resendOf === undefined,
    ...(resendOf !== undefined && { resendOf }),
  });
  const state = { charges: [{ id: "external-a", status: "COMPLETED" }] };
  const resent = [object("a", "CANCELED"), object("b", "CANCELED", "a"), object("c", "COMPLETED", "a")];
  expect(contradictions(state, resent)).toEqual([]);
  expect(contradictions(state, resent.slice(0, 2))).toEqual([
    expect.stringContaining('external-a of scheduled-payments is CANCELED on the platform and "COMPLETED"'),
  ]);
});
