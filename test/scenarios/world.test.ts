import { expect, test, onTestFinished, vi } from "vitest";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, openSandbox } from "../../src/library/sandbox.ts";
import { localWorlds, targetWorlds } from "../../src/scenarios/world.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import type { Sandbox } from "../../src/server/access/sandbox-interface.ts";

const STEPS = `steps:
  - call: listAccounts
    expect: { status: 200, body: { data: [{ id: { $any: uuid } }] } }
  - call: listAccounts
    as: umbrella
`;

/** The default start of a scenario, a Monday. */
const START = "2026-11-23T12:00:00.000Z";

/** A folder of fixtures with one company, which none of the shipped ones is. */
function fixturesOfUmbrella(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-fixtures-"));
  const [acme] = JSON.parse(readFileSync("fixtures/companies.json", "utf8")) as object[];
  const umbrella = { ...acme, id: "umbrella", clientId: "umbrella", token: "umbrella-token" };
  writeFileSync(join(folder, "companies.json"), JSON.stringify([umbrella]));
  writeFileSync(join(folder, "pix-keys.json"), "[]");
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

function scenarioOf(text: string) {
  const { scenarios, mistakes } = parseScenario(text, "a.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  return scenarios[0]!;
}

const ON_MONDAY = `steps:
  - call: GET /sandbox/clock
    expect: { body: { now: "${START}" } }
`;

async function nowOf(sandbox: Sandbox): Promise<unknown> {
  const response = await sandbox.fetch("/sandbox/clock");
  return ((await response.json()) as { now: unknown }).now;
}

test("a scenario calls as the companies of its own fixtures", async () => {
  using fixtures = fixturesOfUmbrella();
  const scenario = scenarioOf(`name: n\nfixtures: ${fixtures.folder}\n${STEPS}`);
  const { failure } = await runScenario(scenario, { openWorld: localWorlds(openSandbox) });
  expect(failure).toBeUndefined();
});

test("a scenario calls as the companies of the server that it runs against", async () => {
  using fixtures = fixturesOfUmbrella();
  await using server = await createSandbox({ fixtures: fixtures.folder });
  const { url } = await server.listen();
  const openWorld = targetWorlds(url);
  const { failure } = await runScenario(scenarioOf(`name: n\n${STEPS}`), { openWorld });
  expect(failure).toBeUndefined();
});

test("a scenario brings its own fixtures to a server, and its recording plays again", async () => {
  using fixtures = fixturesOfUmbrella();
  await using server = await createSandbox();
  const { url } = await server.listen();
  const scenario = scenarioOf(`name: n\nfixtures: ${fixtures.folder}\n${STEPS}`);
  const openWorld = targetWorlds(url, { keep: "all" });
  const { failure } = await runScenario(scenario, { openWorld });
  expect(failure).toBeUndefined();
  const answer = await server.fetch("/sandbox/recording", { headers: { "x-sandbox-world": "w1" } });
  const again = await runScenario(scenarioOf(await answer.text()), { openWorld: localWorlds(openSandbox) });
  expect(again.failure).toBeUndefined();
});

test("an opening scenario calls as the companies of the sandbox's fixtures", async () => {
  using fixtures = fixturesOfUmbrella();
  const file = join(fixtures.folder, "opening.yaml");
  writeFileSync(file, `name: n\n${STEPS}`);
  await using sandbox = await createSandbox({ fixtures: fixtures.folder, scenario: file });
  expect((await sandbox.ledger())["balanced"]).toBe(true);
});

test("a scenario without a start begins at a fixed working day", async () => {
  const openWorld = localWorlds(openSandbox);
  const { failure } = await runScenario(scenarioOf(`name: n\n${ON_MONDAY}`), { openWorld });
  expect(failure).toBeUndefined();
});

test("a scenario without a start begins at that day against a running server too", async () => {
  await using server = await createSandbox();
  const { url } = await server.listen();
  const openWorld = targetWorlds(url);
  const { failure } = await runScenario(scenarioOf(`name: n\n${ON_MONDAY}`), { openWorld });
  expect(failure).toBeUndefined();
});

test("an opening scenario without a start begins at that day", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-opening-"));
  const file = join(folder, "opening.yaml");
  writeFileSync(file, `name: n\n${ON_MONDAY}`);
  await using sandbox = await createSandbox({ scenario: file });
  rmSync(folder, { recursive: true });
  expect(await nowOf(sandbox)).toBe(START);
});

test("a provider state without a start begins at that day where the world runs on the current time", async () => {
  await using sandbox = await createSandbox();
  const state = { state: "an account is closed", action: "setup", params: {} };
  const response = await sandbox.fetch("/sandbox/pact/states", {
    method: "POST",
    body: JSON.stringify(state),
  });
  expect(response.status).toBe(200);
  expect(await nowOf(sandbox)).toBe(START);
});

test("start: now is the current time", async () => {
  const now = "2027-03-01T12:00:00.000Z";
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.parse(now) });
  onTestFinished(() => void vi.useRealTimers());
  const returns = 'returns: { now: "${clock.now}" }\n';
  const scenario = scenarioOf(
    `name: n\nstart: now\nsteps:\n  - call: GET /sandbox/clock\n    save: clock\n${returns}`,
  );
  const result = await runScenario(scenario, { openWorld: localWorlds(openSandbox) });
  expect(result.returns).toEqual({ now });
});
