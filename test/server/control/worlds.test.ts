import { createSubscription, openPartner, subscriptionBody, type Partner } from "../../partner.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { join } from "node:path";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { turns } from "../../turns.ts";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";

const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

async function makeWorld(partner: Partner, body: object = {}): Promise<SandboxObject> {
  const made = await partner.ask("POST", "/sandbox/worlds", { token: null, body });
  expect(made.status).toBe(201);
  return made.body;
}

function tokenOf(world: SandboxObject, company = "acme"): string {
  const companies = world["companies"] as SandboxObject[];
  return companies.find(({ id }) => id === company)?.["token"] as string;
}

test("a reset restores exactly the state of the start", async () => {
  await using partner = await openPartner();
  const digest = partner.sandbox.digest();
  const first = await createSubscription(partner);
  await partner.act("subscription.accept", { id: first["id"] });
  await partner.advance("P1M");
  await partner.ask("PUT", "/sandbox/clock", { body: { mode: "running" } });
  await partner.sandbox.reset();
  expect(partner.sandbox.digest()).toBe(digest);
  expect((await partner.ask("GET", "/sandbox/clock")).body).toEqual({
    mode: "frozen",
    now: "2026-11-20T12:00:00.000Z",
  });
  expect(await createSubscription(partner)).toEqual(first);
  expect(await partner.webhooks()).toEqual([]);
});

test("a new world has the fixtures, a clock and credentials of its own", async () => {
  await using partner = await openPartner();
  const world = await makeWorld(partner, {
    name: "mine",
    seed: 3,
    start: "2027-01-01T00:00:00Z",
    mode: "frozen",
  });
  expect(world["clock"]).toEqual({ mode: "frozen", now: "2027-01-01T00:00:00.000Z" });
  const [acme] = world["companies"] as SandboxObject[];
  expect(acme).toMatchObject({
    id: "acme",
    clientSecret: "acme-secret",
    webhookSecret: "acme-webhook-secret",
    accounts: expect.arrayContaining(["11111111-1111-4111-8111-111111111111"]) as string[],
  });
  expect(acme?.["token"]).not.toBe("acme-token");
  expect(acme?.["clientId"]).not.toBe("acme");
});

test("omitted settings have the values of the server", async () => {
  await using partner = await openPartner({ assumptions: { "cancellation.delay": "PT7S" } });
  const world = await makeWorld(partner);
  expect(world["clock"]).toEqual({ mode: "frozen", now: "2026-11-20T12:00:00.000Z" });
  const asked = { token: tokenOf(world) };
  const { body } = await partner.ask("GET", "/sandbox/assumptions", asked);
  const listed = (body["data"] as SandboxObject[]).find(({ id }) => id === "cancellation.delay");
  expect(listed).toMatchObject({ default: "PT5S", value: "PT7S" });
});

test("a world that sets one assumption takes the others from the server", async () => {
  await using partner = await openPartner({
    assumptions: { "cancellation.delay": "PT7S", "refund.delay": "PT8S" },
  });
  const made = await partner.ask("POST", "/sandbox/worlds", {
    body: { assumptions: { "refund.delay": "PT9S" } },
  });
  const { body } = await partner.ask("GET", "/sandbox/assumptions", { token: tokenOf(made.body) });
  expect(body["data"]).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: "cancellation.delay", value: "PT7S" }),
      expect.objectContaining({ id: "refund.delay", value: "PT9S" }),
    ]),
  );
});

test("two worlds do not see each other, and their clocks move apart", async () => {
  await using partner = await openPartner();
  const token = tokenOf(await makeWorld(partner));
  const there = await partner.ask("POST", SUBSCRIPTIONS, { token, body: subscriptionBody() });
  expect(there.status).toBe(201);
  const path = `${SUBSCRIPTIONS}/${there.body["id"] as string}`;
  expect((await partner.ask("GET", path)).status).toBe(404);
  await partner.ask("POST", "/sandbox/clock/advance", { token, body: { by: "P1D" } });
  expect((await partner.ask("GET", "/sandbox/clock", { token })).body["now"]).toBe(
    "2026-11-21T12:00:00.000Z",
  );
  expect((await partner.ask("GET", "/sandbox/clock")).body["now"]).toBe("2026-11-20T12:00:00.000Z");
});

test("worlds with the same seed have the same ids", async () => {
  await using partner = await openPartner();
  const token = tokenOf(await makeWorld(partner, { seed: 7 }));
  const there = await partner.ask("POST", SUBSCRIPTIONS, { token, body: subscriptionBody() });
  expect(there.body).toEqual(await createSubscription(partner));
});

test("the token endpoint issues tokens of the world of the client", async () => {
  await using partner = await openPartner();
  const world = await makeWorld(partner);
  const [acme] = world["companies"] as SandboxObject[];
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: acme?.["clientId"] as string,
    client_secret: "acme-secret",
    scope: "api://app-order-prd",
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const issued = await partner.ask("POST", "/oauth2/v2.0/token", {
    token: null,
    headers,
    body: form.toString(),
  });
  const token = issued.body["access_token"] as string;
  const there = await partner.ask("POST", SUBSCRIPTIONS, { token, body: subscriptionBody() });
  expect((await partner.ask("GET", `${SUBSCRIPTIONS}/${there.body["id"] as string}`)).status).toBe(404);
});

test("a token that names its world decides over x-sandbox-world, and one of the fixtures goes where that says", async () => {
  await using partner = await openPartner();
  const tokens: string[] = [];
  for (const _world of ["w1", "w2"]) {
    const { body } = await partner.ask("POST", "/sandbox/worlds", { body: {} });
    tokens.push((body["companies"] as { token: string }[])[0]!.token);
  }
  const [ofFirst = "", ofSecond = ""] = tokens;
  const subscriptions = "/order/v1/banking/subscriptions";
  const made = await partner.ask("POST", subscriptions, { token: ofSecond, body: subscriptionBody() });
  const path = `${subscriptions}/${String(made.body["id"])}`;
  const statusOf = async (token: string, world: string): Promise<number> =>
    (await partner.ask("GET", path, { token, headers: { "x-sandbox-world": world } })).status;
  expect(await statusOf(ofSecond, "w1")).toBe(200);
  expect(await statusOf(ofFirst, "w2")).toBe(404);
  expect(await statusOf("acme-token", "w2")).toBe(200);
  expect(await statusOf("acme-token", "w1")).toBe(404);
});

test("a dropped world is gone with its credentials; the default one stays", async () => {
  await using partner = await openPartner();
  const world = await makeWorld(partner);
  const path = `/sandbox/worlds/${world["id"] as string}`;
  expect((await partner.ask("DELETE", path)).status).toBe(200);
  expect((await partner.ask("DELETE", path)).status).toBe(404);
  expect((await partner.ask("GET", "/sandbox/clock", { token: tokenOf(world) })).status).toBe(401);
  expect((await partner.ask("DELETE", "/sandbox/worlds/default")).status).toBe(400);
  expect((await partner.ask("GET", "/sandbox/worlds")).body["data"]).toHaveLength(1);
});

test.each([
  [{ seed: "x" }, "seed"],
  [{ mode: "fast" }, "mode"],
  [{ start: "yesterday" }, "start"],
  [{ assumptions: { "cancellation.dely": "PT1S" } }, "assumptions"],
  [{ assumptions: { "cancellation.delay": 5 } }, "assumptions"],
  [{ webhookUrl: "nowhere" }, "webhookUrl"],
  [{ sed: 1 }, "sed"],
])("a world of %j is refused by the field", async (body, field) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", "/sandbox/worlds", { body });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ details: [{ field }] });
});

test("restoring a snapshot removes everything that happened after it", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const snapshot = await partner.sandbox.snapshot();
  expect(snapshot).toEqual({ id: expect.any(String) as string, at: "2026-11-20T12:00:00.000Z" });
  const digest = partner.sandbox.digest();
  for (let round = 0; round < 2; round++) {
    await partner.act("subscription.reject", { id });
    await partner.advance("P1M");
    await partner.sandbox.restore(snapshot["id"]);
    expect(partner.sandbox.digest()).toBe(digest);
  }
  expect(await partner.act("subscription.accept", { id })).toMatchObject({ status: "ACCEPTED" });
  expect((await partner.ask("POST", "/sandbox/snapshots/none/restore")).status).toBe(404);
});

test("a restored world makes the attempts that were still pending", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500, 200]);
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const snapshot = await partner.sandbox.snapshot();
  await partner.sandbox.restore(snapshot["id"]);
  await partner.advance("PT1M");
  expect(await partner.sandbox.deliveries()).toMatchObject([{ status: "delivered", attempts: [{}, {}] }]);
});

test("a fork continues from the present state of its world, with its own credentials", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const fork = await partner.sandbox.fork();
  const token = tokenOf(fork);
  expect(token).not.toBe("acme-token");
  const path = `${SUBSCRIPTIONS}/${String(id)}`;
  expect((await partner.ask("GET", path, { token })).status).toBe(200);
  await partner.act("subscription.reject", { id });
  expect((await partner.ask("GET", path, { token })).body["status"]).toBe("PENDING_AUTHORIZATION");
  const later = await partner.ask("POST", "/sandbox/acts/subscription.accept", { token, body: { id } });
  expect(later.body["status"]).toBe("ACCEPTED");
});

test("worlds made without a seed have one of their own, the same in every run, and so ids of their own", async () => {
  const drawn = async (): Promise<{ seeds: unknown[]; ids: unknown[] }> => {
    await using partner = await openPartner();
    const worlds = [
      await makeWorld(partner),
      await makeWorld(partner),
      await makeWorld(partner, { seed: 7 }),
    ];
    const listed = (await partner.ask("GET", "/sandbox/worlds")).body["data"] as SandboxObject[];
    expect(listed.slice(1).map(({ seed }) => seed)).toEqual(worlds.map(({ seed }) => seed));
    const ids: unknown[] = [(await createSubscription(partner))["id"]];
    for (const world of worlds) {
      const asked = { token: tokenOf(world), body: subscriptionBody() };
      ids.push((await partner.ask("POST", SUBSCRIPTIONS, asked)).body["id"]);
    }
    return { seeds: listed.map(({ seed }) => seed), ids };
  };
  const first = await drawn();
  expect(first.seeds).toEqual([7, expect.any(Number), expect.any(Number), 7]);
  expect(new Set(first.seeds).size).toBe(3);
  expect(new Set(first.ids).size).toBe(3);
  expect(first.ids[0]).toBe(first.ids[3]);
  expect(await drawn()).toEqual(first);
});

test("a fork keeps the records and draws new ids from a seed of its own, or from the one that is given", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const fork = await partner.sandbox.fork();
  const same = await partner.sandbox.fork({ seed: 7 });
  expect([same["seed"], fork["seed"] === 7]).toEqual([7, false]);
  const next = async (token: string): Promise<unknown> => {
    expect((await partner.ask("GET", `${SUBSCRIPTIONS}/${String(id)}`, { token })).status).toBe(200);
    const body = subscriptionBody({ externalId: "next" });
    return (await partner.ask("POST", SUBSCRIPTIONS, { token, body })).body["id"];
  };
  const own = await next(tokenOf(fork));
  const ofOrigin = await next("acme-token");
  expect([own === ofOrigin, await next(tokenOf(same))]).toEqual([false, ofOrigin]);
  const wrong = await partner.ask("POST", "/sandbox/fork", { body: { seed: "7" } });
  expect(wrong.body["details"]).toMatchObject([
    { field: "seed", description: 'seed must be a whole number from 0 to 4294967295; found "7".' },
  ]);
});

test.each([
  ["GET", "/sandbox/resources/subscriptions/ID", undefined],
  ["POST", "/sandbox/acts/subscription.accept", { id: "ID" }],
  ["POST", "/sandbox/plans", { plan: "subscription.authorization", on: "ID", outcomes: ["ACCEPTED"] }],
])("%s %s without a token says that the object belongs to another world", async (method, path, body) => {
  await using partner = await openPartner();
  const token = tokenOf(await makeWorld(partner));
  const made = await partner.ask("POST", SUBSCRIPTIONS, { token, body: subscriptionBody() });
  const named = JSON.stringify({ path, body }).replace("ID", String(made.body["id"]));
  const asked = JSON.parse(named) as { path: string; body?: object };
  const messageWith = async (of: string | null) => {
    const answer = await partner.ask(method, asked.path, { token: of, ...asked });
    return answer.status === 404 ? String(answer.body["message"]) : answer.status;
  };
  const hint = "This object belongs to another world. Send the token of that world.";
  expect(await messageWith(null)).toMatch(new RegExp(`\\. ${hint}$`));
  expect(await messageWith("acme-token")).not.toContain(hint);
  expect(await messageWith(token)).toBeLessThan(300);
});

test("a misspelt act on an object of the default world says nothing of other worlds", async () => {
  await using partner = await openPartner();
  await makeWorld(partner);
  const { id } = await createSubscription(partner);
  const { body } = await partner.ask("POST", "/sandbox/acts/subscription.acept", {
    token: null,
    body: { id },
  });
  expect(body["message"]).toBe('There is no act "subscription.acept". Did you mean subscription.accept?');
});

test("a new world with the webhook URL null sends each webhook to the URL of its object", async () => {
  await using partner = await openPartner();
  const made = await partner.ask("POST", "/sandbox/worlds", { body: { webhookUrl: null } });
  const [{ token }] = made.body["companies"] as [{ token: string }];
  const { body } = await partner.ask("GET", "/sandbox/settings", { token });
  expect(body["webhookUrl"]).toBe(null);
});

test("settings of a world can change, and a reset restores those of the start", async () => {
  await using partner = await openPartner({ assumptions: { "claim.completion-period": "P15D" } });
  const { body: before } = await partner.ask("GET", "/sandbox/settings");
  expect(before).toEqual({
    seed: 7,
    start: "2026-11-20T12:00:00.000Z",
    assumptions: { "claim.completion-period": "P15D" },
    webhookUrl: "http://receiver.example/webhooks",
  });
  const changed = await partner.ask("PATCH", "/sandbox/settings", {
    body: { webhookUrl: "http://other.example/hooks", assumptions: { "cancellation.delay": "PT7S" } },
  });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      webhookUrl: "http://other.example/hooks",
      assumptions: { "claim.completion-period": "P15D", "cancellation.delay": "PT7S" },
    },
  });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery?.["url"]).toBe("http://other.example/hooks");
  await partner.sandbox.reset();
  expect((await partner.ask("GET", "/sandbox/settings")).body).toEqual(before);
});

test.each([
  [{ webhookUrl: "other.example" }, /webhookUrl must be .*other\.example/],
  [
    { assumptions: { "claim.completion-perid": "P8D" } },
    /claim\.completion-perid.*Did you mean claim\.completion-period/,
  ],
  [{ seed: 3 }, /seed/],
])("wrong settings %j are refused and change nothing", async (body, sentence) => {
  await using partner = await openPartner();
  const digest = partner.sandbox.digest();
  const { status, body: refusal } = await partner.ask("PATCH", "/sandbox/settings", { body });
  expect(status).toBe(400);
  expect(JSON.stringify(refusal)).toMatch(sentence);
  expect(partner.sandbox.digest()).toBe(digest);
});

test("a world with a request that is not answered is not idle", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await using partner = await openPartner({ worldIdle: "PT1M" });
  const { body: made } = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  const headers = { "x-sandbox-world": String(made["id"]) };
  const { body } = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    body: subscriptionBody(),
    headers,
  });
  partner.receiver.hold();
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { headers, body: { id: body["id"] } });
  const advance = partner.ask("POST", "/sandbox/clock/advance", { headers, body: { by: "PT1H" } });
  await turns(5);
  vi.advanceTimersByTime(120_000);
  await partner.ask("POST", "/sandbox/worlds", { body: {} });
  partner.receiver.script([]);
  expect((await advance).body).not.toHaveProperty("stoppedBy");
  expect((await partner.ask("GET", "/sandbox/clock", { headers })).status).toBe(200);
  vi.advanceTimersByTime(120_000);
  await partner.ask("POST", "/sandbox/worlds", { body: {} });
  expect((await partner.ask("GET", "/sandbox/clock", { headers })).status).toBe(400);
});

test.each([
  ["without a data file an unused world is dropped after an hour", false, 400],
  ["with a data file an unused world stays", true, 200],
])("%s", async (_, isKept, status) => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await using partner = await openPartner(
    isKept ? { data: join(mkdtempSync(join(tmpdir(), "sandbank-worlds-")), "data.json") } : {},
  );
  const { body: made } = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  vi.advanceTimersByTime(2 * 3_600_000);
  // A new world drops the idle ones.
  await partner.ask("POST", "/sandbox/worlds", { body: {} });
  const headers = { "x-sandbox-world": String(made["id"]) };
  expect((await partner.ask("GET", "/sandbox/clock", { headers })).status).toBe(status);
});

test("a reset names the settings that it drops, and keeps them if asked", async () => {
  await using partner = await openPartner();
  const reset = async (body?: object) =>
    (await partner.ask("POST", "/sandbox/reset", { body })).body["dropped"];
  const change = async (): Promise<void> => {
    const settings = { webhookUrl: null, assumptions: { "cancellation.delay": "PT7S" } };
    await partner.ask("PATCH", "/sandbox/settings", { body: settings });
    await partner.act("webhook.set-url", { url: "http://receiver.example/acme" });
  };
  const dropped = {
    assumptions: { "cancellation.delay": "PT7S" },
    webhookUrl: null,
    webhookUrls: { acme: "http://receiver.example/acme" },
  };
  expect(await reset()).toEqual({});
  await change();
  expect(await reset({})).toEqual(dropped);
  await change();
  expect(await reset({ keep: ["settings"] })).toEqual({});
  const kept = await partner.ask("GET", "/sandbox/settings");
  expect(kept.body).toMatchObject({ webhookUrl: null, assumptions: { "cancellation.delay": "PT7S" } });
  const { body: webhook } = await partner.ask("GET", "/order/v1/webhook");
  expect(webhook["url"] ?? webhook).toBe("http://receiver.example/acme");
  expect(await reset(), "a later reset drops them").toEqual(dropped);
  expect((await partner.ask("POST", "/sandbox/reset", { body: { keep: ["all"] } })).status).toBe(400);
});
