import { type Partner, createSubscription, openPartner, subscriptionBody } from "../../partner.ts";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { expect, test } from "vitest";

const ACCOUNTS = "/order/v1/banking/accounts";
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

async function requests(partner: Partner, query = "", token?: string): Promise<SandboxObject[]> {
  const asked = token === undefined ? {} : { token };
  return (await partner.ask("GET", `/sandbox/requests${query}`, asked)).body["data"] as SandboxObject[];
}

test.each([
  ["POST", "/oauth/token", "issueToken"],
  ["POST", "/a-tenant/oauth2/v2.0/token", "issueToken"],
  ["POST", "/order/v1/banking/%73ubscriptions", "createSubscription"],
  ["HEAD", ACCOUNTS, "listAccounts"],
])("a refused call is listed with its operation also at %s %s", async (method, path, operationId) => {
  await using partner = await openPartner();
  const headers = { authorization: "Bearer unknown" };
  const { status } = await partner.sandbox.fetch(path, { method, headers });
  expect(await requests(partner)).toMatchObject([{ method, path, operationId, status }]);
  expect(status).toBeGreaterThanOrEqual(400);
});

test("a call is listed with what was sent and what was answered, newest last", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.ask("GET", `${SUBSCRIPTIONS}/${id}?x=1`, { headers: { "x-request-id": "mine" } });
  const [created, read] = await requests(partner);
  expect(created).toEqual({
    id: expect.any(String),
    at: "2026-11-20T12:00:00.000Z",
    method: "POST",
    path: SUBSCRIPTIONS,
    operationId: "createSubscription",
    company: "acme",
    status: 201,
    durationMs: expect.any(Number),
    requestHeaders: { authorization: "Bearer masked", "content-type": "text/plain;charset=UTF-8" },
    requestBody: JSON.stringify(subscriptionBody()),
    responseHeaders: {
      "content-type": "application/json",
      date: "Fri, 20 Nov 2026 12:00:00 GMT",
      "x-request-id": created?.["id"],
    },
    responseBody: expect.stringContaining(`"id":"${id}"`),
    injected: [],
    entry: 2,
  });
  expect(read).toMatchObject({
    id: "mine",
    path: `${SUBSCRIPTIONS}/${id}?x=1`,
    status: 200,
    requestBody: null,
    responseBody: expect.stringContaining(`"debtor":`),
    responseHeaders: { "x-sandbox-warning": "unknown query parameters ignored: x" },
    entry: null,
  });
  expect((await partner.ask("GET", "/sandbox/requests/mine")).body).toEqual(read);
  expect((await partner.sandbox.requests({ limit: 1 }))[0]).toEqual(read);
});

test("refused calls are listed, and so are calls to paths that the platform API does not have", async () => {
  await using partner = await openPartner();
  await partner.ask("POST", SUBSCRIPTIONS, { body: "{" });
  await partner.ask("GET", ACCOUNTS, { token: null });
  await partner.ask("GET", ACCOUNTS, { token: "no-such-token" });
  await partner.ask("POST", "/v1/subscription", { body: { a: 1 } });
  await partner.ask("DELETE", ACCOUNTS);
  await partner.ask("GET", "/sandbox/nothing");
  await partner.ask("GET", "/favicon.ico", { token: null, headers: { "sec-fetch-dest": "image" } });
  const listed = (await requests(partner)).map(
    ({ method, path, operationId, company, status, requestBody }) =>
      [method, path, operationId, company, status, requestBody].join(" "),
  );
  expect(listed).toEqual([
    `POST ${SUBSCRIPTIONS} createSubscription acme 400 {`,
    `GET ${ACCOUNTS} listAccounts  401 `,
    `GET ${ACCOUNTS} listAccounts  401 `,
    `POST /v1/subscription  acme 404 {"a":1}`,
    `DELETE ${ACCOUNTS}  acme 404 `,
  ]);
});

test("the filters are operation, status and limit; any other word is refused with the nearest", async () => {
  await using partner = await openPartner();
  await createSubscription(partner);
  for (const token of ["acme-token", "nobody", "nobody"]) await partner.ask("GET", ACCOUNTS, { token });
  const statuses = async (query: string) => (await requests(partner, query)).map(({ status }) => status);
  expect(await statuses("?operation=createSubscription")).toEqual([201]);
  expect(await statuses("?operation=listAccounts&limit=2")).toEqual([401, 401]);
  expect(await statuses("?status=2xx")).toEqual([201, 200]);
  expect(await statuses("?status=200")).toEqual([200]);
  expect(await statuses("?limit=0")).toEqual([]);
  for (const [query, sentence] of [
    [
      "?operation=createSubscripton",
      'There is no operation "createSubscripton". Did you mean createSubscription?',
    ],
    ["?status=ok", 'status must be a status such as 404, or a class such as 4xx; found "ok".'],
    ["?limit=-1", 'limit must be a whole number such as 100; found "-1".'],
    ["?opration=x", 'There is no field "opration" here. Did you mean operation?'],
  ]) {
    const { status, body } = await partner.ask("GET", `/sandbox/requests${query}`);
    expect([status, (body["details"] as SandboxObject[])[0]?.["description"]]).toEqual([400, sentence]);
  }
  expect((await partner.ask("GET", "/sandbox/requests/none")).body["message"]).toBe(
    'There is no request "none". GET /sandbox/requests lists the last ones.',
  );
});

test("a fault that touched a call is named, also where it dropped the connection or hid a change", async () => {
  await using partner = await openPartner();
  const fault = (body: object) => partner.sandbox.fault({ on: "api", times: 1, ...body } as never);
  await fault({ effect: "error", status: 503 });
  await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() });
  await fault({ effect: "reset" });
  await expect(partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() })).rejects.toThrow(
    "fetch failed",
  );
  await fault({ effect: "event-before-commit", by: "PT1M" });
  const { id } = await createSubscription(partner, { externalId: "another" });
  await partner.act("subscription.accept", { id });
  await partner.ask("GET", `${SUBSCRIPTIONS}/${id}`);
  const listed = (await requests(partner)).map(
    ({ operationId, status, injected, requestBody, responseBody }) => [
      operationId,
      status,
      injected,
      (requestBody as string | null)?.length,
      responseBody === null,
    ],
  );
  const { length } = JSON.stringify(subscriptionBody());
  const { length: otherLength } = JSON.stringify(subscriptionBody({ externalId: "another" }));
  expect(listed).toEqual([
    ["createSubscription", 503, ["error"], length, false],
    ["createSubscription", null, ["reset"], length, true],
    ["createSubscription", 201, [], otherLength, false],
    ["getSubscription", 200, ["event-before-commit"], undefined, false],
  ]);
});

test("tokens, secrets and the numbers of cards are masked in every part of a call", async () => {
  await using partner = await openPartner();
  const form = new URLSearchParams({
    client_id: "acme-client-id",
    client_secret: "acme-client-secret",
    grant_type: "client_credentials",
    scope: "api://app-order-prd",
  });
  const [company] = (
    (await partner.ask("GET", "/sandbox/worlds")).body["data"] as { companies: Record<string, string>[] }[]
  )[0]!.companies;
  form.set("client_id", company?.["clientId"] ?? "");
  form.set("client_secret", company?.["clientSecret"] ?? "");
  const issued = await partner.ask("POST", "/oauth2/v2.0/token", {
    token: null,
    body: form.toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: "session=1" },
  });
  const token = issued.body["access_token"] as string;
  await partner.ask("GET", ACCOUNTS, { token, headers: { "x-admin-token": "of an operator" } });
  const card = { holderName: "D", number: "4111111111111111", securityCode: "123", expiration: "12/2030" };
  await partner.ask("POST", "/order/v3/transparent", { body: { payment: { card } } });
  const rotated = await partner.ask("POST", "/order/v1/webhook/rotate-secret", { body: {} });
  const listed = await requests(partner);
  expect(listed[0]).toMatchObject({
    operationId: "issueToken",
    company: "acme",
    requestHeaders: { cookie: "masked" },
    requestBody: `client_id=${company?.["clientId"]}&client_secret=masked&grant_type=client_credentials&scope=api%3A%2F%2Fapp-order-prd`,
    responseBody: expect.stringContaining('"access_token":"masked"'),
  });
  expect(listed[1]?.["requestHeaders"]).toMatchObject({
    authorization: "Bearer masked",
    "x-admin-token": "masked",
  });
  expect(listed[2]?.["requestBody"]).toContain('"number":"411111******1111","securityCode":"masked"');
  const text = JSON.stringify(listed);
  const secrets = [token, company?.["clientSecret"], card.number, rotated.body["secret"] as string];
  expect(secrets.filter((secret) => secret === undefined || text.includes(secret))).toEqual([]);
});

test("a world has its own log, which a reset empties and a fork continues", async () => {
  await using partner = await openPartner();
  await createSubscription(partner);
  const made = (await partner.ask("POST", "/sandbox/worlds", { body: {} })).body;
  const { token } = (made["companies"] as { token: string }[])[0]!;
  await partner.ask("GET", ACCOUNTS, { token });
  const fork = await partner.sandbox.fork();
  const { token: ofFork } = (fork["companies"] as { token: string }[])[0]!;
  await partner.ask("GET", ACCOUNTS, { token: ofFork });
  const operations = async (of: string) =>
    (await requests(partner, "", of)).map(({ operationId }) => operationId);
  expect(await operations(token)).toEqual(["listAccounts"]);
  expect(await operations(ofFork)).toEqual(["createSubscription", "listAccounts"]);
  await partner.sandbox.reset();
  expect(await operations("acme-token")).toEqual([]);
});

test("the last thousand calls are kept, with bodies of at most 16,000 characters", async () => {
  await using partner = await openPartner();
  await createSubscription(partner, { description: "x".repeat(20_000) }).catch(() => undefined);
  const [long] = await requests(partner);
  expect(long?.["requestBody"]).toHaveLength(16_000);
  for (let count = 0; count < 1_001; count++)
    await partner.ask("GET", ACCOUNTS, { headers: { "x-request-id": `n${count}` } });
  const listed = await requests(partner);
  expect([listed.length, listed[0]?.["id"], listed.at(-1)?.["id"]]).toEqual([1_000, "n1", "n1000"]);
});

test("calls that were answered together are listed in the order in which the world took them", async () => {
  await using partner = await openPartner();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? createSubscription(partner, { externalId: `s${index}` })
        : partner.ask("GET", ACCOUNTS, { token: "nobody" }),
    ),
  );
  const entries = (await requests(partner)).flatMap(({ entry }) => (entry === null ? [] : [Number(entry)]));
  expect(entries).toEqual(entries.toSorted((one, other) => one - other));
  expect(entries).toHaveLength(10);
});
