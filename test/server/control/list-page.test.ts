import { expect, test } from "vitest";
import { type Partner, createSubscription, openPartner } from "../../partner.ts";

/** Opens a partner with nine subscriptions, of which each third names the gym. */
async function withNine(): Promise<Partner> {
  const partner = await openPartner();
  for (const index of Array(9).keys())
    await createSubscription(partner, {
      externalId: `sub-${index}`,
      description: index % 3 === 0 ? "Gym of Ana" : "Other",
    });
  return partner;
}

interface Page {
  readonly data?: readonly Record<string, unknown>[];
  readonly entries?: readonly Record<string, unknown>[];
  readonly older?: string | number;
}

async function pageOf(partner: Partner, path: string): Promise<Page> {
  const { status, body } = await partner.ask("GET", path);
  expect({ path, status }).toEqual({ path, status: 200 });
  return body;
}

test("a list is searched by words in any case, and paged back to its first entry", async () => {
  await using partner = await withNine();
  const names = ({ data = [] }: Page) => data.map(({ externalId }) => externalId);
  const first = await pageOf(partner, "/sandbox/resources/subscriptions?q=ana+GYM&last=2");
  expect(names(first)).toEqual(["sub-3", "sub-6"]);
  const second = await pageOf(
    partner,
    `/sandbox/resources/subscriptions?q=ana+GYM&last=2&before=${first.older}`,
  );
  expect(names(second)).toEqual(["sub-0"]);
  expect(second).not.toHaveProperty("older");
  expect(await pageOf(partner, "/sandbox/resources/subscriptions?q=nothing+like+it")).toEqual({ data: [] });
});

test("an answer that has the whole list names no older entry", async () => {
  await using partner = await withNine();
  expect(await pageOf(partner, "/sandbox/resources/subscriptions?last=9")).not.toHaveProperty("older");
  expect(await pageOf(partner, "/sandbox/resources/subscriptions")).not.toHaveProperty("older");
});

test.for([
  ["/sandbox/resources/subscriptions", "last", "before"],
  ["/sandbox/resources/accounts", "last", "before"],
  ["/sandbox/deliveries", "last", "before"],
  ["/sandbox/requests", "limit", "before"],
  ["/sandbox/ledger", "last", "before"],
  ["/sandbox/timeline", "last", "until"],
] as const)("the pages of %s have each entry once, in order", async ([path, size, cursor]) => {
  await using partner = await withNine();
  await partner.act("subscription.accept", {
    id: (await pageOf(partner, "/sandbox/resources/subscriptions")).data?.[0]?.["id"],
  });
  await partner.webhooks();
  const listOf = ({ data, entries }: Page) => entries ?? data ?? [];
  const whole = listOf(await pageOf(partner, path));
  const found: unknown[] = [];
  let older: string | number | undefined;
  for (let page = 0; page <= whole.length; page += 1) {
    const place: string = older === undefined ? "" : `&${cursor}=${older}`;
    const shown = await pageOf(partner, `${path}?${size}=2${place}`);
    found.unshift(...listOf(shown));
    ({ older } = shown);
    if (older === undefined) break;
  }
  expect(found).toEqual(whole);
});

test("a page before an entry that the list does not have is refused", async () => {
  await using partner = await withNine();
  const { status, body } = await partner.ask("GET", "/sandbox/deliveries?before=gone");
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('The list has no entry \\"gone\\".');
});

test("deliveries are filtered by the class of the last answer", async () => {
  await using partner = await withNine();
  await partner.act("subscription.accept", {
    id: (await pageOf(partner, "/sandbox/resources/subscriptions")).data?.[0]?.["id"],
  });
  await partner.webhooks();
  const count = async (answer: string) =>
    (await pageOf(partner, `/sandbox/deliveries?answer=${answer}`)).data?.length;
  expect(await Promise.all(["2xx", "5xx", "none"].map(count))).toEqual([1, 0, 0]);
  expect((await partner.ask("GET", "/sandbox/deliveries?answer=6xx")).status).toBe(400);
});
