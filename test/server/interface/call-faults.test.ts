import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { ACME_ACCOUNT, createSubscription, openPartner, subscriptionBody } from "../../partner.ts";

const ACCOUNTS = "/order/v1/banking/accounts";
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

test("latency delays a call in wall time, while later calls are answered, and then lets it pass", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "latency", by: "PT0.3S", operation: "listAccounts" });
  const answered: string[] = [];
  const delayed = partner.ask("GET", ACCOUNTS).finally(() => answered.push("delayed"));
  for (const call of ["second", "third"]) {
    expect((await partner.ask("GET", `${ACCOUNTS}/${ACME_ACCOUNT}/balance`)).status).toBe(200);
    answered.push(call);
  }
  expect((await delayed).status).toBe(200);
  expect(answered).toEqual(["second", "third", "delayed"]);
});

test.each([
  [400, "INVALID_REQUEST"],
  [401, "UNAUTHORIZED"],
  [403, "FORBIDDEN_ERROR"],
  [404, "NOT_FOUND"],
  [429, "INVALID_REQUEST"],
  [500, "INTERNAL_ERROR"],
  [599, "INTERNAL_ERROR"],
])("an error of status %i has the common body, and the request has no effect", async (status, error) => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "error", status, times: 1 });
  const refused = await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() });
  expect(refused).toMatchObject({ status, body: { error, details: [] } });
  const listed = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(listed.body).toEqual({ data: [] });
  expect((await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() })).status).toBe(201);
});

test("an operation whose errors are sentences answers with sentences", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "unavailable", operation: "refundOrder" });
  const refused = await partner.ask("PUT", "/order/v2/refund", { body: {} });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(refused.body).toEqual(["The service is unavailable. Try again later."]);
});

test("the token endpoint fails in the words of OAuth", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "unavailable", operation: "issueToken" });
  const refused = await partner.ask("POST", "/oauth2/v2.0/token", {
    token: null,
    body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(refused).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
});

test("a fault applies before authentication, and only in its own world", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "error", status: 500 });
  const world = (await partner.ask("POST", "/sandbox/worlds", { body: { mode: "frozen" } })).body;
  expect((await partner.ask("GET", ACCOUNTS, { token: null })).status).toBe(500);
  const token = (world["companies"] as { token: string }[])[0]!.token;
  expect((await partner.ask("GET", ACCOUNTS, { token })).status).toBe(200);
});

test("faults never apply to the sandbox's own API", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "unavailable" });
  for (const path of ["/sandbox/health", "/sandbox/faults", "/sandbox/resources/accounts"]) {
    expect((await partner.ask("GET", path)).status).toBe(200);
  }
});

test("a fault with an object applies to calls whose path contains its id", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.sandbox.fault({ on: "api", effect: "error", status: 404, object: id as string });
  expect((await partner.ask("GET", `${SUBSCRIPTIONS}/${id}`)).status).toBe(404);
  expect((await partner.ask("GET", `${ACCOUNTS}/${ACME_ACCOUNT}/balance`)).status).toBe(200);
});

test("in process a reset makes fetch fail, although the request took effect", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "reset", times: 1 });
  const lost = partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() });
  await expect(lost).rejects.toThrow("fetch failed");
  const listed = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(listed.body["data"]).toHaveLength(1);
});

test("on a port a reset is a reset of the connection", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  await partner.sandbox.fault({ on: "api", effect: "reset", operation: "listAccounts" });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const bytes: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => bytes.push(chunk));
  socket.write(`GET ${ACCOUNTS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer acme-token\r\n\r\n`);
  const [error] = (await once(socket, "error").catch((thrown: unknown) => [thrown])) as [
    NodeJS.ErrnoException,
  ];
  expect(error.code).toBe("ECONNRESET");
  expect(Buffer.concat(bytes).toString()).toBe("");
});

test("an event before its commit: for a while reads show the state before the change", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const path = `${SUBSCRIPTIONS}/${id}`;
  await partner.sandbox.fault({ on: "api", effect: "event-before-commit", by: "PT10S", times: 1 });
  await partner.act("subscription.accept", { id });
  await partner.advance("PT0S");
  expect(partner.receiver.received).toHaveLength(1);
  expect((await partner.ask("GET", path)).body["status"]).toBe("PENDING_AUTHORIZATION");
  const other = await createSubscription(partner, { externalId: "untouched" });
  expect((await partner.ask("GET", `${SUBSCRIPTIONS}/${other["id"]}`)).status).toBe(200);
  await partner.advance("PT9.999S");
  expect((await partner.ask("GET", path)).body["status"]).toBe("PENDING_AUTHORIZATION");
  await partner.advance("PT0.001S");
  expect((await partner.ask("GET", path)).body["status"]).toBe("ACCEPTED");
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery?.["attempts"][0].injected).toEqual(["event-before-commit"]);
});

test("a call that is reset before it is carried out has no effect, and works when it is repeated", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "reset-before", times: 1 });
  const lost = partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() });
  await expect(lost).rejects.toThrow("fetch failed");
  expect((await partner.ask("GET", "/sandbox/resources/subscriptions")).body["data"]).toEqual([]);
  expect((await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() })).status).toBe(201);
});

test("an error after the work is answered, and the work is done once", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "error", status: 500, after: true, times: 1 });
  const body = subscriptionBody();
  expect(await partner.ask("POST", SUBSCRIPTIONS, { body })).toMatchObject({
    status: 500,
    body: { error: "INTERNAL_ERROR" },
  });
  const { body: listed } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(listed["data"]).toHaveLength(1);
  const { body: requests } = await partner.ask("GET", "/sandbox/requests");
  expect(requests["data"]).toMatchObject([{ status: 500, injected: ["error"], entry: expect.any(Number) }]);
});

test("latency afterwards runs the call at once, and only its answer waits", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "latency", by: "PT0.3S", after: true, times: 1 });
  const answered: number[] = [];
  const slow = partner
    .ask("POST", SUBSCRIPTIONS, { body: subscriptionBody() })
    .then(({ status }) => answered.push(status));
  const made = async (): Promise<unknown[]> =>
    (await partner.ask("GET", "/sandbox/resources/subscriptions")).body["data"] as unknown[];
  let found = await made();
  while (found.length === 0 && answered.length === 0) found = await made();
  expect([found.length, answered]).toEqual([1, []]);
  await slow;
  expect(answered).toEqual([201]);
});

test.each([false, true])("a latency of no time takes no timer, after the call: %s", async (after) => {
  const timers: unknown[] = [];
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "latency", by: "PT0S", after });
  const hook = createHook({ init: (_id, type) => type === "Timeout" && timers.push(type) }).enable();
  const { status } = await partner.ask("GET", ACCOUNTS);
  hook.disable();
  expect([status, timers]).toEqual([200, []]);
});

test.each([
  [{ effect: "error", status: 429 }, "1"],
  [{ effect: "error", status: 429, retryAfter: 7 }, "7"],
  [{ effect: "error", status: 503 }, "5"],
  [{ effect: "error", status: 500 }, null],
  [{ effect: "error", status: 500, retryAfter: 2 }, "2"],
  [{ effect: "unavailable", retryAfter: 9 }, "9"],
])("%j is answered with Retry-After %j", async (fault, expected) => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", ...fault });
  expect((await partner.ask("GET", ACCOUNTS)).headers.get("retry-after")).toBe(expected);
});

test("a limit lasts from the call that it is for until its time is over, and no longer", async () => {
  await using partner = await openPartner();
  const limit = { effect: "error", status: 429, nth: 2, for: "PT1S" };
  await partner.sandbox.fault({ on: "api", operation: "listAccounts", ...limit });
  const statuses = async (): Promise<number[]> => [
    (await partner.ask("GET", ACCOUNTS)).status,
    (await partner.ask("GET", ACCOUNTS)).status,
  ];
  expect(await statuses()).toEqual([200, 429]);
  await partner.sandbox.advance("PT0.9S");
  expect(await statuses()).toEqual([429, 429]);
  await partner.sandbox.advance("PT0.1S");
  expect(await statuses()).toEqual([200, 200]);
});

test("an expired token is dead until a reset, and a new one works", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "token-expired", operation: "listAccounts", times: 1 });
  const refused = await partner.ask("GET", ACCOUNTS);
  expect(refused).toMatchObject({ status: 401, body: { error: "UNAUTHORIZED", details: [] } });
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect((await partner.ask("GET", ACCOUNTS)).status).toBe(401);
  const issued = await partner.ask("POST", "/oauth2/v2.0/token", {
    token: null,
    body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const token = issued.body["access_token"] as string;
  expect((await partner.ask("GET", ACCOUNTS, { token })).status).toBe(200);
  expect((await partner.ask("GET", "/sandbox/resources/accounts")).status).toBe(200);
  expect((await partner.ask("POST", "/sandbox/reset", { body: {} })).status).toBe(200);
  expect((await partner.ask("GET", ACCOUNTS)).status).toBe(200);
});

test("on the token endpoint an expired token is 401 once", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "api", effect: "token-expired", operation: "issueToken", times: 1 });
  const ask = () =>
    partner.ask("POST", "/oauth2/v2.0/token", {
      token: null,
      body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  expect(await ask()).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect((await ask()).status).toBe(200);
});

test("a fault selects calls by the number of their object, however often one of them is repeated", async () => {
  await using partner = await openPartner();
  const fault = { on: "api", effect: "error", status: 500, operation: "createSubscription" };
  await partner.sandbox.fault({ ...fault, objectNumber: 2, nth: 1 });
  const create = async (externalId: string): Promise<number> =>
    (await partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody({ externalId }) })).status;
  const statuses: number[] = [];
  for (const externalId of ["one", "one", "two", "two", "three"]) statuses.push(await create(externalId));
  expect(statuses.map((status) => status === 500)).toEqual([false, false, true, false, false]);
});
