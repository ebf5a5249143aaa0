import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { join } from "node:path";
import { openPartner } from "../partner.ts";
import { sandbank, serve } from "../cli/command.ts";
import { tmpdir } from "node:os";

/** Scenarios that are not in the package: a partner's own, generated from and verified in a folder of its own. */
const TIMEOUT_MS = 60_000;

const SCENARIO = `name: A payout of our own
start: 2020-02-28T09:00:00-03:00
steps:
  - call: createPayout
    body: { $use: payout.pix, externalId: own-1 }
    save: payout
    expect: { status: 201, body: { status: PENDING } }
  - expect: { webhooks: [] }
  - call: createPayout
    body: { $use: payout.pix, externalId: own-2, amount: { currency: BRL, value: "-1" } }
    expect: { body: { error: INVALID_REQUEST } }
  - call: getAccountBalance
    path: { accountId: 11111111-1111-4111-8111-111111111111 }
  - advance: PT2S
`;

const STATE = `state: a payout of our own exists
params: { externalId: { default: own-7 } }
returns: { payoutId: "\${payout.id}" }
steps:
  - call: createPayout
    body: { $use: payout.pix, externalId: "\${params.externalId}" }
    save: payout
  - advance: PT2S
`;

function project() {
  const folder = mkdtempSync(join(tmpdir(), "own-"));
  mkdirSync(join(folder, "scenarios"));
  writeFileSync(join(folder, "package.json"), "{}");
  const scenario = join(folder, "scenarios", "payout.yaml");
  const state = join(folder, "scenarios", "payout-exists.yaml");
  writeFileSync(scenario, SCENARIO);
  writeFileSync(state, STATE);
  const out = join(folder, "pacts");
  return { folder, scenario, state, out, partner: join(out, "partner-banking-service.json") };
}

test(
  "pacts of a partner's own scenarios pass without naming the scenarios again; those of receivers are skipped",
  async () => {
    const { folder, out, partner } = project();
    const made = await sandbank("contracts", "generate", join(folder, "scenarios"), "--out", out);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(partner, "utf8")).toContain('"file": "scenarios/payout.yaml"');
    const { code, out: report, err } = await sandbank("contracts", "verify", out);
    expect(report).toContain("✓ create a banking payout: 201 (A payout of our own, step 1)");
    expect(report).toContain("✓ ORDER-PAYOUT.PAID: A payout was paid");
    expect(report).toMatch(/^4 passed\.$/m);
    expect(err).toMatch(/^Skipped: .*receiver\.json is about a webhook receiver/);
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "so do those of scenarios in a folder that is no project, which the pact names",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "loose-"));
    mkdirSync(join(folder, "mine"));
    writeFileSync(join(folder, "mine", "payout.yaml"), SCENARIO);
    const out = join(folder, "pacts");
    await sandbank("contracts", "generate", join(folder, "mine"), "--out", out);
    expect(readFileSync(join(out, "partner-banking-service.json"), "utf8")).toContain('"../mine"');
    const { code, out: report } = await sandbank("contracts", "verify", out);
    expect(report).toMatch(/^4 passed\.$/m);
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "pacts in which a receiver is called are not verified against the sandbox: exit 2",
  async () => {
    const { scenario, out } = project();
    await sandbank("contracts", "generate", scenario, "--out", out);
    const receivers = join(out, "banking-service-webhooks-partner-receiver.json");
    const { code, err } = await sandbank("contracts", "verify", receivers);
    expect(err).toContain("verify it with contracts verify-receiver URL");
    expect(code).toBe(2);
  },
  TIMEOUT_MS,
);

test(
  "other files of the folder are not changed",
  async () => {
    const { scenario, out } = project();
    mkdirSync(out);
    copyFileSync("package.json", join(out, "other.json"));
    await sandbank("contracts", "generate", scenario, "--out", out);
    expect(readFileSync(join(out, "other.json"), "utf8")).toBe(readFileSync("package.json", "utf8"));
  },
  TIMEOUT_MS,
);

test("a server enters the states of --states, and does not start with an invalid file", async () => {
  const { state } = project();
  await using server = await serve("--states", state);
  const body = JSON.stringify({ action: "setup", state: "a payout of our own exists" });
  const entered = await fetch(`${server.url}/sandbox/pact/states`, { method: "POST", body });
  expect(await entered.json()).toEqual({ payoutId: expect.any(String) });
  const wrong = await sandbank("serve", "--port", "0", "--states", "nowhere");
  expect(wrong.err).toContain("Failed to read provider states from nowhere");
  expect(wrong.code).toBe(2);
});

test("scenarios that were posted to a server are states there, each before its steps too", async () => {
  await using partner = await openPartner();
  for (const text of [SCENARIO, STATE])
    expect((await partner.sandbox.fetch("/sandbox/scenarios", { method: "POST", body: text })).status).toBe(
      201,
    );
  const setup = (state: string, params: object) =>
    partner.ask("POST", "/sandbox/pact/states", { token: null, body: { action: "setup", state, params } });
  const own = await setup("a payout of our own exists", { externalId: "posted" });
  expect(own).toMatchObject({ status: 200, body: { payoutId: expect.any(String) } });
  const { body: listed } = await partner.ask("GET", "/sandbox/pact/states");
  expect(JSON.stringify(listed)).toContain("a payout of our own exists");
  await partner.ask("GET", "/order/v1/banking/accounts");
  expect(await setup("A payout of our own", { beforeStep: 6 })).toMatchObject({ status: 200, body: {} });
  const payouts = await partner.ask("GET", "/sandbox/resources/payouts");
  expect(payouts.body["data"]).toMatchObject([{ externalId: "own-1" }]);
});

test("a scenario with a start is entered at that time, and the world's own time is restored afterwards", async () => {
  await using partner = await openPartner({ start: "2026-11-20T09:00:00-03:00", mode: "running" });
  await partner.sandbox.fetch("/sandbox/scenarios", { method: "POST", body: SCENARIO });
  const state = "A payout of our own";
  const ask = (action: string) =>
    partner.ask("POST", "/sandbox/pact/states", {
      token: null,
      body: { action, state, params: { beforeStep: 5 } },
    });
  const clock = async () => (await partner.ask("GET", "/sandbox/clock")).body;
  await ask("setup");
  expect(await clock()).toEqual({ mode: "frozen", now: "2020-02-28T12:00:00.000Z" });
  await ask("teardown");
  expect(await clock()).toMatchObject({ mode: "running", now: expect.stringMatching(/^2026-11-20T12:00:0/) });
});

test.each([
  [{ beforeStep: 0 }, "a whole number from 1 to 6"],
  [{ beforeStep: 7 }, "a whole number from 1 to 6"],
  [{ beforeStep: "1" }, "a whole number from 1 to 6"],
  [{ beforeStep: 1, more: 1 }, "takes one param"],
])("a scenario entered with %j is refused", async (params, sentence) => {
  await using partner = await openPartner();
  await partner.sandbox.fetch("/sandbox/scenarios", { method: "POST", body: SCENARIO });
  const body = { action: "setup", state: "A payout of our own", params };
  const refused = await partner.ask("POST", "/sandbox/pact/states", { token: null, body });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain(sentence);
});
