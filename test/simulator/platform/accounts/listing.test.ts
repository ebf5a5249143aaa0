import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { expect, test } from "vitest";
import { ACME_ACCOUNT, type Partner, detail, openPartner } from "../../../partner.ts";

const PATH = "/order/v1/banking/accounts";
const INITECH = "initech-token";

async function list(partner: Partner, query: string, token = "acme-token"): Promise<SandboxObject> {
  const answered = await partner.ask("GET", `${PATH}${query}`, { token });
  if (answered.status !== 200) throw new Error(JSON.stringify(answered.body));
  return answered.body;
}

async function ids(partner: Partner, query: string, token?: string): Promise<string[]> {
  const { data } = await list(partner, query, token);
  return (data as { id: string }[]).map(({ id }) => id);
}

const ending = (numbers: readonly string[]) => numbers.map((number) => ACME_ACCOUNT.slice(0, -1) + number);

test("a company sees its own accounts, the newest first, and no balance", async () => {
  await using partner = await openPartner();
  const { data, nextCursor, hasNext } = await list(partner, "");
  expect([nextCursor, hasNext]).toEqual([null, false]);
  expect((data as { id: string }[]).map(({ id }) => id)).toEqual(ending(["3", "2", "1"]));
  expect(data[2]).toEqual({
    id: ACME_ACCOUNT,
    status: "ACTIVE",
    holderType: "ORGANIZATION",
    fullName: "Acme Assinaturas LTDA",
    email: "contas@acme.example",
    phone: "+5511987650001",
    document: { type: "CNPJ", number: "11222333000181" },
    bankAccountData: {
      ispb: "99999004",
      branchNumber: "0001",
      accountNumber: "1000001",
      accountType: "PAYMENT_ACCOUNT",
      createdAt: "2025-01-06T12:00:00.000Z",
    },
    createdAt: "2025-01-06T12:00:00.000Z",
  });
});

test("sort asc lists the oldest first", async () => {
  await using partner = await openPartner();
  expect(await ids(partner, "?sort=asc")).toEqual(ending(["1", "2", "3"]));
});

test("the status filter takes each status", async () => {
  await using partner = await openPartner();
  expect(await ids(partner, "?status=ACTIVE")).toEqual(ending(["1"]));
  expect(await ids(partner, "?status=INACTIVE")).toEqual(ending(["2"]));
  expect(await ids(partner, "?status=CLOSED")).toEqual(ending(["3"]));
});

test("a document must match completely, letters of a CNPJ in any case", async () => {
  await using partner = await openPartner();
  expect(await ids(partner, "?document=11222333000181")).toEqual(ending(["1"]));
  expect(await ids(partner, "?document=1122233300018")).toEqual([]);
  expect(await ids(partner, "?document=12ABC34501DE35")).toEqual(ending(["2"]));
  expect(await ids(partner, "?document=12abc34501de35")).toEqual(ending(["2"]));
});

test("e-mail and name are matched in part and in any case, accents included", async () => {
  await using partner = await openPartner();
  expect(await ids(partner, "?email=FILIAL%40acme")).toEqual(ending(["2"]));
  expect(await ids(partner, "?fullName=aSSinaturas")).toEqual(ending(["1"]));
  expect(await ids(partner, `?fullName=${encodeURIComponent("SOLUÇÕES")}`, INITECH)).toHaveLength(1);
  expect(await ids(partner, "?email=globex")).toEqual([]);
});

test("filters are combined with AND", async () => {
  await using partner = await openPartner();
  expect(await ids(partner, "?status=ACTIVE&email=acme&fullName=acme")).toEqual(ending(["1"]));
  expect(await ids(partner, "?status=CLOSED&fullName=assinaturas")).toEqual([]);
});

test("a page has twenty accounts by default, and the last one has no cursor", async () => {
  await using partner = await openPartner();
  const first = await list(partner, "", INITECH);
  expect(first["data"]).toHaveLength(20);
  expect(first["hasNext"]).toBe(true);
  const second = await list(partner, `?cursor=${first["nextCursor"]}`, INITECH);
  expect([second["data"].length, second["hasNext"], second["nextCursor"]]).toEqual([4, false, null]);
  expect(await ids(partner, "?limit=100", INITECH)).toHaveLength(24);
});

test("a page that ends with the last account has no next page", async () => {
  await using partner = await openPartner();
  const page = await list(partner, "?limit=24", INITECH);
  expect([page["data"].length, page["hasNext"], page["nextCursor"]]).toEqual([24, false, null]);
});

for (const sort of ["asc", "desc"]) {
  test(`pages of one cover every account once, ${sort}, though many share a creation time`, async () => {
    await using partner = await openPartner();
    const whole = await ids(partner, `?limit=100&sort=${sort}`, INITECH);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null && seen.length < 100;) {
      const query: string = `?limit=1&sort=${sort}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await list(partner, query, INITECH);
      seen.push(...(page["data"] as { id: string }[]).map(({ id }) => id));
      cursor = page["nextCursor"] as string | null;
    }
    expect(seen).toEqual(whole);
    expect(new Set(seen).size).toBe(24);
  });
}

test("every type of document of the platform API has a holder", async () => {
  await using partner = await openPartner();
  const { data } = await list(partner, "?limit=100", INITECH);
  const types = new Set((data as SandboxObject[]).map((account) => account["document"].type as string));
  expect(types.size).toBe(14);
  expect((data as SandboxObject[]).map((account) => account["holderType"] as unknown)).toContain(null);
});

test.each([
  ["status=active", "status"],
  ["status=", "status"],
  ["limit=0", "limit"],
  ["limit=101", "limit"],
  ["limit=-1", "limit"],
  ["limit=1.5", "limit"],
  ["limit=ten", "limit"],
  ["limit=", "limit"],
  ["sort=up", "sort"],
  ["cursor=", "cursor"],
  ["cursor=nonsense", "cursor"],
  ["cursor=11111111-1111-4111-8111-111111111111", "cursor"],
  ["document=11.222.333%2F0001-81", "document"],
  ["document=", "document"],
  ["email=", "email"],
  ["fullName=", "fullName"],
])("the query %s is refused at %s", async (query, field) => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", `${PATH}?${query}`);
  expect(answered.status).toBe(400);
  expect(answered.body["error"]).toBe("INVALID_REQUEST");
  expect(detail(answered, field)["issue"]).toBe("INVALID");
});

test("a refusal names every wrong parameter", async () => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", `${PATH}?status=OPEN&limit=500&sort=down&cursor=x`);
  const fields = (answered.body["details"] as SandboxObject[]).map((one) => one["field"] as string);
  expect(fields.toSorted()).toEqual(["cursor", "limit", "sort", "status"]);
});

test("the list requires a token with the scope", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", PATH, { token: null })).status).toBe(401);
  expect((await partner.ask("GET", PATH, { token: "acme-token-without-scope" })).status).toBe(403);
});
