import { expect, test } from "vitest";
import type { SandboxObject } from "../../src/server/access/sandbox-interface.ts";
import { ACME_ACCOUNT, type Partner, openPartner } from "../partner.ts";
import { stateLibrary } from "../../src/contracts/states/state-library.ts";
import { copyFileSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

const states = (await stateLibrary()).all();

function enter(partner: Partner, state: string, params: object = {}) {
  return partner.ask("POST", "/sandbox/pact/states", {
    token: null,
    body: { action: "setup", state, params },
  });
}

function leave(partner: Partner, state: string) {
  return partner.ask("POST", "/sandbox/pact/states", { token: null, body: { action: "teardown", state } });
}

async function list(partner: Partner, collection: string): Promise<SandboxObject[]> {
  return (await partner.ask("GET", `/sandbox/resources/${collection}`)).body["data"] as SandboxObject[];
}

test("the package has more than twenty provider states", () => {
  expect(states.length).toBeGreaterThan(20);
});

test.each(states)("the state $name is entered and returns the values that it lists", async (state) => {
  await using partner = await openPartner();
  const entered = await enter(partner, state.name);
  expect(entered.status).toBe(200);
  expect(Object.keys(entered.body).sort()).toEqual([...state.returns].sort());
  for (const value of Object.values(entered.body)) expect(value).toEqual(expect.any(String));
});

test.each(states.filter(({ params }) => Object.keys(params).length > 0))(
  "the state $name is entered with params of one's own",
  async (state) => {
    await using partner = await openPartner();
    const params = Object.fromEntries(
      Object.entries(state.params).map(([name, { schema }]) => [name, valueOf(schema)]),
    );
    const { status, body } = await enter(partner, state.name, params);
    expect([status, JSON.stringify(body)]).toEqual([200, expect.any(String)]);
    expect(body).toMatchObject(
      Object.fromEntries(Object.entries(params).filter(([name]) => state.returns.includes(name))),
    );
  },
);

/** A value that its schema allows, other than the default where there is a choice. */
function valueOf(schema: unknown): unknown {
  const { enum: words, pattern, format } = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(words)) return words.at(-1);
  if (format === "uuid") return ACME_ACCOUNT;
  if (format === "uri") return "http://mine.example/webhooks";
  return pattern === undefined ? "of-my-own" : "17.31";
}

test("params go into the state, and what it returns leads to the object", async () => {
  await using partner = await openPartner();
  const { body } = await enter(partner, "a subscription was accepted", {
    externalId: "mine",
    frequency: "WEEKLY",
  });
  const path = `/order/v1/banking/subscriptions/${body["subscriptionId"] as string}`;
  expect((await partner.ask("GET", path)).body).toMatchObject({
    status: "ACCEPTED",
    externalId: "mine",
    frequencyType: "WEEKLY",
  });
});

test("the first state of an interaction starts from the fixtures, those that follow are added", async () => {
  await using partner = await openPartner();
  await enter(partner, "a payout was paid");
  await enter(partner, "a payout failed");
  expect(await list(partner, "payouts")).toHaveLength(2);
  await leave(partner, "a payout was paid");
  await leave(partner, "a payout failed");
  expect(await list(partner, "payouts")).toEqual([]);
  await enter(partner, "an order was paid");
  expect(await list(partner, "orders")).toHaveLength(1);
});

test("without a teardown an interaction ends with the first request to the world", async () => {
  await using partner = await openPartner();
  await enter(partner, "a payout was paid");
  await partner.ask("POST", "/order/v1/webhook/rotate-secret");
  await enter(partner, "an order was paid");
  expect(await list(partner, "payouts")).toEqual([]);
  await enter(partner, "an order was paid");
  expect(await list(partner, "orders")).toHaveLength(1);
});

test("a request that only reads, or is refused, ends an interaction too", async () => {
  await using partner = await openPartner();
  for (const token of ["acme-token", null]) {
    await enter(partner, "a payout was paid");
    await partner.ask("GET", "/order/v1/banking/accounts", { token });
    await enter(partner, "an order was paid");
    expect(await list(partner, "payouts")).toEqual([]);
  }
});

test("the empty state is the fixtures as they are", async () => {
  await using partner = await openPartner();
  await partner.ask("POST", "/order/v1/webhook/rotate-secret");
  expect(await enter(partner, "")).toMatchObject({ status: 200, body: {} });
  expect((await partner.ask("GET", "/order/v1/webhook")).body).toMatchObject({
    secret: "acme-webhook-secret",
  });
});

test("a state draws no ids: the same state gives the same values again", async () => {
  await using partner = await openPartner();
  const first = await enter(partner, "an order was refunded");
  await leave(partner, "an order was refunded");
  expect((await enter(partner, "an order was refunded")).body).toEqual(first.body);
});

test("provider states are entered separately in each world", async () => {
  await using partner = await openPartner();
  const made = await partner.ask("POST", "/sandbox/worlds", { body: { name: "other" } });
  const { token = "" } = (made.body["companies"] as { token: string }[])[0] ?? {};
  const body = { action: "setup", state: "a payout was paid" };
  await partner.ask("POST", "/sandbox/pact/states", { token, body });
  expect(await list(partner, "payouts")).toEqual([]);
});

test.each([
  [{ state: "a payout paid" }, "state", 'Did you mean "a payout was paid"'],
  [{ state: "subscription accepted" }, "state", '"a subscription was accepted"'],
  [{ state: "zzzz" }, "state", "sandbank contracts states lists all"],
  [
    { state: "a payout was paid", params: { amunt: "1.00" } },
    "params",
    "`amunt` is not a param of this state. Did you mean `amount`?",
  ],
  [{ state: "a payout was paid", params: { amount: "12" } }, "params", "`amount` must match pattern"],
  [{ state: "a subscription was accepted", params: { frequency: "DAILY" } }, "params", "frequency"],
  [
    { state: "a payout was paid", params: { amount: "100000.01" } },
    "state",
    "was not reached: step 1 (call createPayout)",
  ],
  [{ state: 7 }, "state", "state must be a text; found 7."],
  [{ state: null }, "state", "state must be a text; found null."],
  [{ state: "a payout was paid", params: [] }, "params", "params must be an object"],
  [{ state: "a payout was paid", action: "begin" }, "action", 'found "begin"'],
])("%j is refused at %s with a sentence to act on", async (body, field, sentence) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", "/sandbox/pact/states", { token: null, body });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ error: "INVALID_REQUEST", details: [{ field }] });
  expect(JSON.stringify(refused.body["details"]).replaceAll('\\"', '"')).toContain(sentence);
});

test("a state found in a folder of one's own is entered too", async () => {
  await using partner = await openPartner({ states: ["test/contracts/own-states"] });
  const { body } = await enter(partner, "a payout of one cent waits");
  expect(body).toEqual({ amount: "0.01" });
});

test("two states of the same name, and a state with a matrix, are mistakes of their files", async () => {
  const copy = join(mkdtempSync(join(tmpdir(), "states-")), "again.yaml");
  copyFileSync("scenarios/states/payout-was-paid.yaml", copy);
  await expect(stateLibrary([copy])).rejects.toThrow("Choose another name");
  await stateLibrary(["scenarios/states/payout-was-paid.yaml"]);
  await expect(stateLibrary(["test/contracts/wrong-states"])).rejects.toThrow("A state has no matrix");
  await expect(stateLibrary(["nowhere"])).rejects.toThrow("there is no such file or folder");
});

test("while a state is entered its webhooks do not leave the process", async () => {
  const urls: string[] = [];
  await using partner = await openPartner({
    transport: async ([request]) => {
      urls.push(request?.url ?? "");
      throw new Error("no receiver is called");
    },
  });
  const { status, body } = await enter(partner, "an event was not delivered");
  expect(status).toBe(200);
  expect(body["eventId"]).toEqual(expect.any(String));
  expect(urls).toEqual([]);
});

test("names in the query that are no fields of the request are params", async () => {
  await using partner = await openPartner();
  const query = "state=an%20account%20has%20a%20balance&action=setup&deposit=10.00";
  const { status } = await partner.ask("POST", `/sandbox/pact/states?${query}`, { token: null });
  expect(status).toBe(200);
  const { body } = await partner.ask("GET", "/sandbox/ledger");
  expect(JSON.stringify(body)).toContain('"10.00"');
});

test("an unknown field, and a list of states without a state, are refused", async () => {
  await using partner = await openPartner();
  const ask = (body: object) => partner.ask("POST", "/sandbox/pact/states", { token: null, body });
  const state = "an account has a balance";
  expect(await ask({ states: [state] })).toMatchObject({
    status: 400,
    body: {
      details: [{ field: "states", description: expect.stringContaining("Send one request for each") }],
    },
  });
  expect(await ask({ state, parms: {} })).toMatchObject({
    status: 400,
    body: { details: [{ field: "parms", description: expect.stringContaining("Did you mean params?") }] },
  });
  // The verifier of Ruby sends both.
  expect(await ask({ consumer: "shop", state, states: [state] })).toMatchObject({ status: 200 });
});
