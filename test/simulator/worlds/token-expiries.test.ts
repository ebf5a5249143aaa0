import { expect, onTestFinished, test } from "vitest";
import {
  accessTokens,
  ISSUED_TOKENS_MAX,
  issueToken,
} from "../../../src/simulator/platform/companies/access-token.ts";
import { companies } from "../../../src/simulator/platform/companies/company.ts";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { keepExpiry } from "../../../src/simulator/worlds/token-expiries.ts";
import { Worlds } from "../../../src/simulator/worlds/worlds.ts";

const START = Date.parse("2026-11-20T09:00:00-03:00");

function openWorld() {
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: async () => [],
    wallNow: () => START,
    defaults: { seed: 1, start: START, mode: "frozen", assumptions: {}, webhookUrl: null },
  });
  onTestFinished(() => worlds.close());
  return worlds.default;
}

const CAUSE = { by: "call", name: "issueToken" };

test("a company keeps its newest 10,000 issued tokens and the tokens of the fixtures", () => {
  const world = openWorld();
  const id = (number: number): string => `sbk_${String(number).padStart(40, "0")}`;
  const fixtures = Array.from(world.records.all(accessTokens), (token) => token.id);
  world.execute(CAUSE, (tx) => {
    for (let number = 1; number <= ISSUED_TOKENS_MAX; number++)
      tx.put(accessTokens, { id: id(number), companyId: "acme", scopes: [] });
  });
  world.execute(CAUSE, (tx) => {
    const acme = tx.get(companies, "acme");
    issueToken(tx, acme!, "");
  });
  const kept = Array.from(world.records.all(accessTokens), (token) => token.id);
  expect(kept).toHaveLength(fixtures.length + ISSUED_TOKENS_MAX);
  expect(kept).toEqual(expect.arrayContaining([...fixtures, id(2)]));
  expect(kept).not.toContain(id(1));
});

test("the expiries of removed tokens are removed, unless a snapshot may bring the tokens back", () => {
  const { records } = openWorld();
  const sizes = [[], [["s1", {}]] as const].map((snapshots) => {
    const expiries = new Map([["acme-token", START]]);
    for (let number = 0; number < 2_500; number++)
      keepExpiry(expiries, { token: `gone-${number}`, expiresAt: START }, records, new Map(snapshots));
    return [expiries.has("acme-token"), expiries.size < 1_000];
  });
  expect(sizes).toEqual([
    [true, true],
    [true, false],
  ]);
});
