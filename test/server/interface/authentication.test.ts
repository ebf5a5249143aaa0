import { expect, onTestFinished, test, vi } from "vitest";
import { type Asked, type Partner, openPartner, subscriptionBody, ACME_ACCOUNT } from "../../partner.ts";

const ACCOUNTS = "/order/v1/banking/accounts";
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const UNAUTHORIZED = { error: "UNAUTHORIZED", message: "Unauthorized Request", details: [] };

function tokenRequest(partner: Partner, fields: Record<string, string>, asked: Asked = {}) {
  const body = new URLSearchParams(fields).toString();
  return partner.ask("POST", "/oauth2/v2.0/token", { token: null, headers: FORM, body, ...asked });
}

const credentials = {
  grant_type: "client_credentials",
  client_id: "acme",
  client_secret: "acme-secret",
  scope: "api://app-order-prd/.default",
};

const GRANT = { grant_type: credentials.grant_type, scope: credentials.scope };
const BASIC = { ...FORM, authorization: `Basic ${btoa("acme:acme-secret")}` };

test("a token from the token endpoint is accepted by the platform API", async () => {
  await using partner = await openPartner();
  const issued = await tokenRequest(partner, credentials);
  expect(issued.status).toBe(200);
  expect(issued.body).toEqual({
    token_type: "Bearer",
    expires_in: 3599,
    ext_expires_in: 3599,
    access_token: expect.stringMatching(/^sbk_\w{40}$/),
  });
  expect(issued.headers.get("cache-control")).toBe("no-store");
  const token = issued.body["access_token"] as string;
  expect((await partner.ask("POST", SUBSCRIPTIONS, { token, body: subscriptionBody() })).status).toBe(201);
});

test("client id and secret may be sent by HTTP Basic, form-encoded as OAuth defines", async () => {
  await using partner = await openPartner();
  const basic = Buffer.from("acme:acme%2Dsecret").toString("base64");
  const { grant_type, scope } = credentials;
  const asked = { headers: { ...FORM, authorization: `Basic ${basic}` } };
  expect((await tokenRequest(partner, { grant_type, scope }, asked)).status).toBe(200);
});

test("a client that authenticates by HTTP Basic may send its id in the form too", async () => {
  await using partner = await openPartner();
  const named = await tokenRequest(partner, { ...GRANT, client_id: "acme" }, { headers: BASIC });
  expect(named.status).toBe(200);
  const twice = await tokenRequest(partner, credentials, { headers: BASIC });
  expect(twice.status).toBe(200);
});

test.each([
  ["another client", { client_id: "globex" }],
  ["another secret", { client_id: "acme", client_secret: "globex-secret" }],
])("HTTP Basic and a form of %s contradict each other", async (_title, client) => {
  await using partner = await openPartner();
  const refused = await tokenRequest(partner, { ...GRANT, ...client }, { headers: BASIC });
  expect(refused.status).toBe(400);
  expect(refused.body["error"]).toBe("invalid_request");
});

test("an unreadable Basic header is an unknown client", async () => {
  await using partner = await openPartner();
  const asked = { headers: { ...FORM, authorization: "Basic !!!" } };
  const refused = await tokenRequest(partner, credentials, asked);
  expect(refused.status).toBe(401);
  expect(refused.body["error"]).toBe("invalid_client");
  expect(refused.headers.get("www-authenticate")).toContain("Basic");
});

test("the scope may be written with and without its suffix", async () => {
  await using partner = await openPartner();
  expect((await tokenRequest(partner, { ...credentials, scope: "api://app-order-prd" })).status).toBe(200);
});

test.each([
  [{ client_secret: "wrong" }, 401, "invalid_client"],
  [{ client_id: "nobody" }, 401, "invalid_client"],
  [{ client_id: "" }, 400, "invalid_request"],
  [{ grant_type: "password" }, 400, "unsupported_grant_type"],
  [{ grant_type: "" }, 400, "unsupported_grant_type"],
  [{ scope: "api://other" }, 400, "invalid_scope"],
  [{ scope: "" }, 400, "invalid_scope"],
])("a token request with %j is refused as OAuth defines", async (changed, status, error) => {
  await using partner = await openPartner();
  const refused = await tokenRequest(partner, { ...credentials, ...changed });
  expect(refused.status).toBe(status);
  expect(refused.body).toMatchObject({ error, error_description: expect.any(String) as string });
});

test("a token request that is not a form, or has no grant, is refused with the reason", async () => {
  await using partner = await openPartner();
  const json = { token: null, body: credentials, headers: { "content-type": "application/json" } };
  expect((await partner.ask("POST", "/oauth2/v2.0/token", json)).body["error"]).toBe("invalid_request");
  expect((await tokenRequest(partner, { client_id: "acme" })).body["error"]).toBe("invalid_request");
});

test("the refusal of a token request with an empty content type reports that it has none", async () => {
  await using partner = await openPartner();
  const asked = { headers: { "content-type": "" } };
  const { body } = await tokenRequest(partner, { grant_type: "client_credentials" }, asked);
  expect(body["error_description"]).toContain("found none.");
});

test.each(["grant_type", "client_id", "client_secret", "scope"])("%s must be sent once", async (name) => {
  await using partner = await openPartner();
  const body = `${new URLSearchParams(credentials).toString()}&${name}=x`;
  const refused = await tokenRequest(partner, credentials, { body });
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual({
    error: "invalid_request",
    error_description: `The field "${name}" is repeated. Send it once.`,
  });
});

test.each([
  ["no header at all", {}],
  ["an unknown token", { authorization: "Bearer nobody" }],
  ["another scheme", { authorization: "Basic acme-token" }],
  ["an empty token", { authorization: "Bearer " }],
  ["a token with an unknown suffix", { authorization: "Bearer acme-token.w9" }],
])("%s is UNAUTHORIZED, with an empty list of details", async (_what, headers) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", SUBSCRIPTIONS, {
    token: null,
    headers,
    body: subscriptionBody(),
  });
  expect(refused.status).toBe(401);
  expect(refused.body).toEqual(UNAUTHORIZED);
});

test.each([
  ["GET", ACCOUNTS],
  ["PUT", "/order/v2/refund"],
])("%s %s without a token is answered with the authentication scheme", async (method, path) => {
  await using partner = await openPartner();
  const answered = await partner.ask(method, path, { token: null });
  expect(answered.status).toBe(401);
  expect(answered.headers.get("www-authenticate")).toBe("Bearer");
});

test.each([
  ["acme-token", "found a text without the word Bearer."],
  ["Basic YWNtZTpzZWNyZXQ=", "found the scheme Basic."],
  ["Bearer", "found the scheme Bearer."],
])("the header Authorization %j is 401, and a header says why", async (authorization, found) => {
  await using partner = await openPartner();
  const refused = await partner.ask("GET", ACCOUNTS, { token: null, headers: { authorization } });
  expect(refused.status).toBe(401);
  const hint = `The header Authorization must be "Bearer TOKEN"; ${found}`;
  expect(refused.headers.get("x-sandbox-hint")).toBe(hint);
  const [logged] = await partner.sandbox.requests({ status: 401 });
  expect(logged?.responseHeaders["x-sandbox-hint"]).toBe(hint);
});

test("an issued token expires in wall time, a fixture token never does", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await using partner = await openPartner({ assumptions: { "auth.token-ttl": "PT10S" } });
  const issued = await tokenRequest(partner, credentials);
  const token = issued.body["access_token"] as string;
  const statusNow = async (): Promise<number> =>
    (await partner.ask("GET", `${SUBSCRIPTIONS}/x`, { token })).status;
  vi.advanceTimersByTime(9_999);
  expect(await statusNow()).not.toBe(401);
  vi.advanceTimersByTime(1);
  expect(await statusNow()).toBe(401);
  await partner.advance("P10Y");
  expect((await partner.ask("POST", SUBSCRIPTIONS, { body: "{}" })).status).toBe(400);
});

test("after a reset no company gets a token or a secret that another company had", async () => {
  await using partner = await openPartner();
  const path = "/order/v1/webhook/rotate-secret";
  const credentialsOf = async (company: "acme" | "globex"): Promise<unknown[]> => {
    const client = { client_id: company, client_secret: `${company}-secret` };
    const issued = await tokenRequest(partner, { ...credentials, ...client });
    const rotated = await partner.ask("POST", path, { token: `${company}-token` });
    return [issued.body["access_token"], rotated.body["secret"]];
  };
  const former = await credentialsOf("acme");
  await partner.sandbox.reset();
  const [token, secret] = await credentialsOf("globex");
  expect([token, secret]).not.toContain(undefined);
  expect([former[0] === token, former[1] === secret]).toEqual([false, false]);
});

test("a call that is read across a reset needs a token that is still there", async () => {
  await using partner = await openPartner();
  const issued = await tokenRequest(partner, credentials);
  const isReset = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await isReset.promise;
      controller.enqueue(Buffer.from(JSON.stringify(subscriptionBody())));
      controller.close();
    },
  });
  const authorization = `Bearer ${String(issued.body["access_token"])}`;
  const headers = { authorization, "content-type": "application/json" };
  const streamed = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  const call = partner.sandbox.fetch(SUBSCRIPTIONS, streamed);
  await partner.sandbox.reset();
  isReset.resolve();
  const answer = await call;
  expect([answer.status, answer.headers.get("x-sandbox-hint")]).toEqual([
    401,
    expect.stringContaining("A reset or a restore removed the tokens"),
  ]);
});

test("a token from before a reset, of a dropped world or of nobody is 401, and a header says why", async () => {
  await using partner = await openPartner();
  const hintFor = async (token: string, path = ACCOUNTS) => {
    const { status, body, headers } = await partner.ask("GET", path, { token });
    expect([status, body]).toEqual([401, UNAUTHORIZED]);
    return headers.get("x-sandbox-hint");
  };
  expect(await hintFor("acme-tokn")).toBe(
    "The world default has no such token. GET /sandbox/worlds lists the tokens of its companies.",
  );
  const issued = await tokenRequest(partner, credentials);
  const token = issued.body["access_token"] as string;
  expect((await partner.ask("GET", ACCOUNTS, { token })).status).toBe(200);
  await partner.sandbox.reset();
  expect(await hintFor(token)).toContain("The world default has no such token. A reset or a restore removed");
  const made = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  const id = made.body["id"] as string;
  await partner.ask("DELETE", `/sandbox/worlds/${id}`);
  for (const path of [ACCOUNTS, "/sandbox/clock"])
    expect(await hintFor(`acme-token.${id}`, path)).toContain(`There is no world ${id}: it was dropped`);
  const [newest] = await partner.sandbox.requests({ status: 401, limit: 1 });
  expect(newest?.responseHeaders["x-sandbox-hint"]).toContain("There is no world");
});

test("a valid token without the scope is FORBIDDEN_ERROR", async () => {
  await using partner = await openPartner();
  const asked = { token: "acme-token-without-scope", body: subscriptionBody() };
  const refused = await partner.ask("POST", SUBSCRIPTIONS, asked);
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({ error: "FORBIDDEN_ERROR", details: [] });
});

/** The assumption auth.scope-elsewhere could be set and changed nothing. */
test.each([
  ["GET", ACCOUNTS, 200],
  ["GET", `${ACCOUNTS}/${ACME_ACCOUNT}/balance`, 200],
  ["GET", "/order/v1/webhook/events", 200],
  ["GET", "/v1/orders/deposit/banks", 200],
  ["POST", "/order/v1/banking/order-payouts", 400],
  ["POST", "/order/v1/banking/subscriptions", 403],
  ["GET", "/order/v1/banking/subscriptions/3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01", 403],
  ["PUT", "/order/v2/refund", 403],
  ["PUT", "/order/v2/transparent", 403],
])(
  "where only the named endpoints need the scope, %s %s answers %i without it",
  async (method, path, status) => {
    await using partner = await openPartner({ assumptions: { "auth.scope-elsewhere": false } });
    const answered = await partner.ask(method, path, {
      token: "acme-token-without-scope",
      ...(method !== "GET" && { body: {} }),
    });
    expect(answered.status).toBe(status);
  },
);

test("companies do not see each other: an object of another company is not found", async () => {
  await using partner = await openPartner();
  const created = await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() });
  const path = `${SUBSCRIPTIONS}/${created.body["id"] as string}`;
  expect((await partner.ask("GET", path)).status).toBe(200);
  const foreign = await partner.ask("GET", path, { token: "globex-token" });
  const unknown = await partner.ask("GET", `${SUBSCRIPTIONS}/00000000-0000-4000-8000-000000000000`);
  expect(foreign.status).toBe(404);
  expect(foreign.body).toEqual({ error: "NOT_FOUND", message: "Resource not found", details: [] });
  expect(foreign.body).toEqual(unknown.body);
  const onForeignAccount = { token: "globex-token", body: subscriptionBody() };
  expect((await partner.ask("POST", SUBSCRIPTIONS, onForeignAccount)).status).toBe(404);
});

test("two companies may use the same external id", async () => {
  await using partner = await openPartner();
  await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() });
  const body = subscriptionBody({ accountId: "22222222-2222-4222-8222-222222222222" });
  expect((await partner.ask("POST", SUBSCRIPTIONS, { token: "globex-token", body })).status).toBe(201);
});

test("an unknown path is NOT_FOUND in the common body", async () => {
  await using partner = await openPartner();
  const refused = await partner.ask("GET", "/order/v9/nothing");
  expect(refused.status).toBe(404);
  expect(refused.body).toMatchObject({ error: "NOT_FOUND", details: [] });
});
