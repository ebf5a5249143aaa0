import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";

const ACCOUNTS = "/order/v1/banking/accounts";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CLIENT =
  "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api%3A%2F%2Fapp-order-prd";

test("a token from before a reset, of a dropped world or of nobody is 401, and a header says why", async () => {
  await using sandbox = await createSandbox();
  const hintFor = async (token: string, path = ACCOUNTS) => {
    const answer = await sandbox.fetch(path, { headers: { authorization: `Bearer ${token}` } });
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { error: "UNAUTHORIZED", message: "Unauthorized Request", details: [] },
    ]);
    return answer.headers.get("x-sandbox-hint");
  };
  expect(await hintFor("acme-tokn")).toBe(
    "The world default has no such token. GET /sandbox/worlds lists the tokens of its companies.",
  );
  const issued = await sandbox.fetch("/oauth2/v2.0/token", { method: "POST", headers: FORM, body: CLIENT });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  expect((await sandbox.fetch(ACCOUNTS, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  await sandbox.reset();
  expect(await hintFor(token)).toContain("The world default has no such token. A reset or a restore removed");
  const made = await sandbox.fetch("/sandbox/worlds", { method: "POST", body: "{}" });
  const { id } = (await made.json()) as { id: string };
  await sandbox.fetch(`/sandbox/worlds/${id}`, { method: "DELETE" });
  for (const path of [ACCOUNTS, "/sandbox/clock"])
    expect(await hintFor(`acme-token.${id}`, path)).toContain(`There is no world ${id}: it was dropped`);
  const [newest] = await sandbox.requests({ status: 401, limit: 1 });
  expect(newest?.responseHeaders["x-sandbox-hint"]).toContain("There is no world");
});

test("a filter with a word that the platform API does not have is refused with the nearest one", async () => {
  await using sandbox = await createSandbox();
  await expect(sandbox.deliveries({ event: "ORDER-PAYOUT.PAYED" as never })).rejects.toThrow(
    'There is no event "ORDER-PAYOUT.PAYED". Did you mean ORDER-PAYOUT.PAID?',
  );
  for (const path of ["deliveries?event=SUBSCRIPTON.*", "deliveries?injected=duplicat"])
    expect((await sandbox.fetch(`/sandbox/${path}`)).status).toBe(400);
  for (const path of ["deliveries?event=SUBSCRIPTION.*", "deliveries?injected=duplicate"])
    expect((await sandbox.fetch(`/sandbox/${path}`)).status).toBe(200);
});

test("why of an id that nothing has is 404; of an object to which nothing has happened it is empty", async () => {
  await using sandbox = await createSandbox();
  const why = (id: string) => sandbox.fetch(`/sandbox/timeline?about=${id}`);
  expect((await why("no-such-id")).status).toBe(404);
  const known = await why("11111111-1111-4111-8111-111111111111");
  expect([known.status, await known.json()]).toMatchObject([200, { data: [] }]);
});

test.each([
  ["acme-token", "found a text without the word Bearer."],
  ["Basic YWNtZTpzZWNyZXQ=", "found the scheme Basic."],
  ["Bearer", "found the scheme Bearer."],
])("the header Authorization %j is 401, and a header says why", async (authorization, found) => {
  await using sandbox = await createSandbox();
  const answer = await sandbox.fetch(ACCOUNTS, { headers: { authorization } });
  expect(answer.status).toBe(401);
  const hint = `The header Authorization must be "Bearer TOKEN"; ${found}`;
  expect(answer.headers.get("x-sandbox-hint")).toBe(hint);
  const [logged] = await sandbox.requests({ status: 401 });
  expect(logged?.responseHeaders["x-sandbox-hint"]).toBe(hint);
});
