import { beforeAll, expect, test } from "vitest";

import { createSandbox, type Sandbox } from "../../../src/index.ts";

const PAYOUTS = 1_050;
/** The value of `last` for everything. */
const EVERY = 999_999_999;

interface Line {
  readonly entry: number;
  readonly what: string;
}

let sandbox: Sandbox;
let report: { readonly happened: readonly Line[]; readonly rest?: number };

beforeAll(async () => {
  sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00" });
  const headers = { authorization: "Bearer acme-token" };
  for (let number = 0; number < PAYOUTS; number++) {
    const answer = await sandbox.fetch("/order/v1/banking/order-payouts", {
      method: "POST",
      headers: { ...headers, "idempotency-key": `key-${number}` },
      body: JSON.stringify({
        accountId: "11111111-1111-4111-8111-111111111111",
        externalId: `payout-${number}`,
        paymentMethod: "PIX",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "0.01" },
        description: "one of many",
      }),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
  }
  report = await sandbox.advance("P1D");
  return () => sandbox.close();
});

async function read<Answer>(path: string): Promise<Answer> {
  return (await (await sandbox.fetch(path)).json()) as Answer;
}

test.each([
  ["/sandbox/deliveries", "data"],
  ["/sandbox/ledger", "entries"],
])("%s lists the newest 1,000, and the pages before have the others", async (path, list) => {
  type Page = Record<string, readonly { readonly id: string }[]> & { readonly older?: string };
  const all = (await read<Page>(`${path}?last=${EVERY}`))[list]!.map(({ id }) => id);
  expect(all.length).toBeGreaterThanOrEqual(PAYOUTS);
  const found: string[] = [];
  const sizes: number[] = [];
  let before: string | undefined;
  do {
    const page: Page = await read(before === undefined ? path : `${path}?before=${before}`);
    const ids = page[list]!.map(({ id }) => id);
    found.unshift(...ids);
    sizes.push(ids.length);
    before = page.older;
  } while (before !== undefined);
  expect(found).toEqual(all);
  expect(sizes.slice(0, -1).every((size) => size === 1_000)).toBe(true);
});

test("the library returns all webhooks, and all entries of the ledger", async () => {
  expect(await sandbox.deliveries()).toHaveLength(PAYOUTS);
  const { entries, older } = (await sandbox.ledger()) as { entries: readonly unknown[]; older?: string };
  expect(entries.length).toBeGreaterThanOrEqual(PAYOUTS);
  expect(older).toBeUndefined();
});

test("a page of the ledger has the accounts with money, and the accounts of its entries", async () => {
  interface Ledger {
    readonly accounts: readonly { readonly account: string; readonly value: string }[];
    readonly entries: readonly { readonly postings: readonly { readonly account: string }[] }[];
  }
  const all = await read<Ledger>(`/sandbox/ledger?last=${EVERY}`);
  const page = await read<Ledger>("/sandbox/ledger?last=10");
  const named = new Set(page.entries.flatMap(({ postings }) => postings.map(({ account }) => account)));
  expect(page.accounts).toEqual(
    all.accounts.filter(({ account, value }) => Number(value) !== 0 || named.has(account)),
  );
  expect(page.accounts.length).toBeLessThan(all.accounts.length);
});

test("the timeline has the newest 1,000 lines, and no page cuts an entry", async () => {
  type Page = { readonly data: readonly Line[]; readonly older?: number };
  const all = await read<Page>(`/sandbox/timeline?last=${EVERY}`);
  expect(all.older).toBeUndefined();
  const found: Line[] = [];
  let until: number | undefined;
  do {
    const page: Page = await read(`/sandbox/timeline${until === undefined ? "" : `?until=${until}`}`);
    expect(page.data.length).toBeLessThan(1_050);
    found.unshift(...page.data);
    until = page.older;
  } while (until !== undefined);
  expect(found).toEqual(all.data);
});

test("the report of an advance has the first 1,000 lines, and names the entry of the next line", async () => {
  const { happened, rest } = report;
  expect(happened.length).toBeLessThanOrEqual(1_000);
  const [first] = happened;
  const { data } = await read<{ readonly data: readonly Line[] }>(
    `/sandbox/timeline?since=${first?.entry}&last=${EVERY}`,
  );
  expect(data.length).toBeGreaterThan(1_000);
  expect(data.slice(0, happened.length)).toEqual(happened);
  expect(data[happened.length]?.entry).toBe(rest);
  expect((await sandbox.advance("P1D")) as object).not.toHaveProperty("rest");
});

test("a filter finds webhooks that are older than the newest 1,000", async () => {
  const [oldest] = await sandbox.deliveries();
  const { data } = await read<{ readonly data: readonly { readonly id: string }[] }>(
    `/sandbox/deliveries?object=${oldest?.objectId}`,
  );
  expect(data.map(({ id }) => id)).toContain(oldest?.id);
});
