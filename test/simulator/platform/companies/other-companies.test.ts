import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import fc from "fast-check";
import { type Operation, operations } from "../../../../src/simulator/api/operations.ts";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { ACME_ACCOUNT, openPartner, type Partner, payoutBody, subscriptionBody } from "../../../partner.ts";
import { GLOBEX_ACCOUNT } from "../ledger/command.ts";
import { orderBody } from "../orders/asking.ts";
import { refundBody } from "../refunds/paid-order.ts";

const COMPANIES = {
  acme: { account: ACME_ACCOUNT, token: "acme-token" },
  globex: { account: GLOBEX_ACCOUNT, token: "globex-token" },
} as const;
type Company = keyof typeof COMPANIES;

const kinds = ["payout", "order", "subscription", "refund"] as const;
type Kind = (typeof kinds)[number];

/** Creates an object of a company. Its external id begins with the name of the company. */
async function create(partner: Partner, company: Company, kind: Kind, amount: string): Promise<void> {
  const { account: accountId, token } = COMPANIES[company];
  const key = randomUUID();
  const externalId = `${company}-${key}`;
  const value = { amount: { currency: "BRL", value: amount } };
  const asked = { token, key };
  if (kind === "payout") {
    const body = payoutBody({ externalId, accountId, ...value });
    await partner.ask("POST", "/order/v1/banking/order-payouts", { ...asked, body });
  } else if (kind === "subscription") {
    const body = subscriptionBody({ externalId, accountId, startDate: "2030-01-01" });
    const { body: made } = await partner.ask("POST", "/order/v1/banking/subscriptions", { ...asked, body });
    await partner.act("subscription.accept", { id: made["id"] });
  } else {
    const body = orderBody("DEPOSIT", { externalId, ...value });
    const { body: made } = await partner.ask("PUT", "/order/v2/transparent", { ...asked, body });
    await partner.act("order.pay", { id: made["id"] });
    const refunded = refundBody(String(made["id"]), { amount });
    if (kind === "refund")
      await partner.ask("PUT", "/order/v2/refund", { ...asked, key: `r${key}`, body: refunded });
  }
}

/** The ids of the objects of a company, with its external ids. */
async function idsOf(partner: Partner, company: Company): Promise<string[]> {
  const ids: string[] = [`${company}-`];
  for (const collection of ["orders", "payouts", "refunds", "subscriptions"]) {
    const { body } = await partner.ask("GET", `/sandbox/resources/${collection}`);
    for (const one of body["data"] as SandboxObject[]) {
      const isOwn = JSON.stringify(one).includes(COMPANIES[company].account);
      if (isOwn) ids.push(String(one["id"]));
    }
  }
  return ids;
}

/** Reads everything that a token can list, and the objects of `ids` one by one. */
async function readAll(partner: Partner, token: string, ids: readonly string[]): Promise<string> {
  const books = "/sandbox/books?history=true&of=orders,payouts,refunds,scheduled-payments,subscriptions";
  const paths = Object.values<Operation>(operations).flatMap(({ method, path }) => {
    if (method !== "GET") return [];
    return path.includes("{") ? ids.map((id) => path.replaceAll(/\{\w+\}/g, id)) : [path];
  });
  const answers = await Promise.all([books, ...paths].map((path) => partner.ask("GET", path, { token })));
  return answers.map(({ body }) => JSON.stringify(body)).join("\n");
}

const session = fc.array(
  fc.record({
    company: fc.constantFrom<Company>("acme", "globex"),
    kind: fc.constantFrom(...kinds),
    amount: fc.constantFrom("1.00", "20.00", "300.00"),
    passes: fc.constantFrom("PT0S", "PT5S", "P1D"),
  }),
  { minLength: 1, maxLength: 8 },
);

test("no read of one company shows an object of another", async () => {
  const property = fc.asyncProperty(session, async (steps) => {
    await using partner = await openPartner();
    for (const { company, kind, amount, passes } of steps) {
      await create(partner, company, kind, amount);
      await partner.advance(passes);
    }
    for (const [own, other] of [
      ["acme", "globex"],
      ["globex", "acme"],
    ] as const) {
      const foreign = await idsOf(partner, other);
      const text = await readAll(partner, COMPANIES[own].token, foreign);
      // The answer to an unknown id names it.
      const shown = text.split("\n").filter((answer) => !answer.startsWith('{"error":'));
      expect(foreign.filter((id) => shown.some((answer) => answer.includes(id)))).toEqual([]);
    }
  });
  await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined();
});

test("the books of each company list all of its objects", async () => {
  await using partner = await openPartner();
  for (const company of ["acme", "globex"] as const) await create(partner, company, "payout", "5.00");
  await partner.advance("PT1M");
  for (const company of ["acme", "globex"] as const) {
    const path = "/sandbox/books?history=true&of=payouts";
    const { body } = await partner.ask("GET", path, { token: COMPANIES[company].token });
    const externalId = expect.stringMatching(`^${company}-`);
    expect(body).toMatchObject({
      company,
      totals: { paidOut: { BRL: "5.00" } },
      objects: [{ externalId }],
      announcements: [{ event: "ORDER-PAYOUT.PAID", externalId }, { externalId }],
    });
  }
});
