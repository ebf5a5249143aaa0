import { askPayout, PAYOUTS } from "../../simulator/platform/payouts/payout-requests.ts";
import { detail, openPartner, payoutBody, subscriptionBody } from "../../partner.ts";
import { expect, test } from "vitest";
import { type IncomingMessage, request } from "node:http";
import { once } from "node:events";

const ACCOUNTS = "/order/v1/banking/accounts";
const EVENTS = "/order/v1/webhook/events";

/** They passed silently, so that a misspelt filter listed everything. */
test.each([
  [`${ACCOUNTS}?lmit=1`, "unknown query parameters ignored: lmit", "lmit"],
  [`${ACCOUNTS}?limit=1&limit=2`, "repeated query parameters read once: limit", "limit"],
  [`${ACCOUNTS}?status=ACTIVE&status=ACTIVE`, "repeated query parameters read once: status", "status"],
  [
    `${EVENTS}?createdfrom=2026-11-20&cratedTo=x`,
    "unknown query parameters ignored: createdfrom, cratedTo",
    "cratedTo",
  ],
  [`${ACCOUNTS}?caf%C3%A9=1`, "unknown query parameters ignored: caf%C3%A9", "café"],
  [
    `${ACCOUNTS}?x=1&x=2&limit=3&limit=4`,
    "unknown query parameters ignored: x; repeated query parameters read once: limit",
    "x",
  ],
  ["/order/v1/webhook?verbose", "unknown query parameters ignored: verbose", "verbose"],
])("GET %s is answered with a warning, and refused where that is strict", async (path, warning, field) => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", path);
  expect([answered.status, answered.headers.get("x-sandbox-warning")]).toEqual([200, warning]);
  await using strict = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
  const refused = await strict.ask("GET", path);
  expect(refused.status).toBe(400);
  expect(detail(refused, field)["issue"]).toBe("NOT_ALLOWED");
});

test.each([`${ACCOUNTS}?limit=1&sort=asc`, `${ACCOUNTS}?`, ACCOUNTS, `${EVENTS}?createdFrom=2026-11-20`])(
  "GET %s has nothing to warn of",
  async (path) => {
    await using partner = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
    const answered = await partner.ask("GET", path);
    expect([answered.status, answered.headers.get("x-sandbox-warning")]).toEqual([200, null]);
  },
);

test("of a parameter that is repeated the first value counts", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("GET", `${ACCOUNTS}?limit=1&limit=50`);
  expect(body["data"]).toHaveLength(1);
});

test("an operation without a query warns too, together with unknown fields of its body", async () => {
  await using partner = await openPartner();
  const body = payoutBody({ colour: "red" });
  const answered = await partner.ask("POST", `${PAYOUTS}?dryRun=true`, { body, key: "k" });
  expect([answered.status, answered.headers.get("x-sandbox-warning")]).toEqual([
    201,
    "unknown fields ignored: colour; unknown query parameters ignored: dryRun",
  ]);
  expect((await askPayout(partner)).headers.get("x-sandbox-warning")).toBeNull();
});

test("a key that is sent twice is answered with a warning, and a key with a comma is not", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const warningOf = async (keys: readonly string[], externalId: string): Promise<string | null> => {
    const sent = request(url + PAYOUTS, {
      method: "POST",
      headers: [
        ...keys.flatMap((key) => ["idempotency-key", key]),
        "authorization",
        "Bearer acme-token",
        "host",
        "localhost",
      ],
    });
    sent.end(JSON.stringify(payoutBody({ externalId })));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    return String(answer.headers["x-sandbox-warning"] ?? "none");
  };
  expect(await warningOf(["K-1", "K-1"], "twice")).toBe(
    "repeated headers read as one value: idempotency-key",
  );
  expect(await warningOf(["K-1, K-1"], "comma")).toBe("none");
  const joined = await partner.ask("POST", PAYOUTS, {
    body: payoutBody({ externalId: "joined" }),
    key: "K, K",
  });
  expect(joined.headers.get("x-sandbox-warning")).toContain("idempotency-key");
});

test("a strict refusal names the parameter that was meant", async () => {
  await using partner = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
  const refused = await partner.ask("GET", `${ACCOUNTS}?lmit=1&status=OPEN`);
  expect(detail(refused, "lmit")["description"]).toBe(
    "The query parameter lmit is not known. Did you mean limit?",
  );
  expect(detail(refused, "status")["issue"]).toBe("INVALID");
});

/** Half of a character in the name of an unknown field, or in the cut of a long one, ended in a 500. */
test.each([
  ["half of a character", "\ud800", "%EF%BF%BD"],
  ["a character where it is cut", `${"x".repeat(99)}😀`, `${"x".repeat(99)}%EF%BF%BD`],
])("an unknown field with %s in its name causes a warning", async (_title, name, shown) => {
  await using partner = await openPartner();
  const answered = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    body: subscriptionBody({ [name]: 1 }),
  });
  expect(answered.status).toBe(201);
  expect(answered.headers.get("x-sandbox-warning")).toBe(`unknown fields ignored: ${shown}`);
});

test("the names of many unknown fields leave an answer that a client can read", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const names = Array.from({ length: 20 }, (_, index) => `${index}${"漢".repeat(98)}`);
  const response = await fetch(`${url}/order/v1/banking/subscriptions`, {
    method: "POST",
    headers: { authorization: "Bearer acme-token" },
    body: JSON.stringify(subscriptionBody(Object.fromEntries(names.map((name) => [name, 1])))),
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("x-sandbox-warning")).toContain("19%E6%BC%A2");
});
