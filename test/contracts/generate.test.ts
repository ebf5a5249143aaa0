import { beforeAll, expect, test } from "vitest";
import { events } from "../../src/interface/events.ts";
import type { Interaction, RulesByPlace } from "../../src/contracts/generation/pact-json.ts";
import type { VerificationReport } from "../../src/contracts/verification/report.ts";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operationAt } from "../../src/contracts/operation-at.ts";
import { operations } from "../../src/interface/operations.ts";
import { sandbank } from "../cli/command.ts";
import { SECRET, zooReceiver } from "./zoo.ts";
import { tmpdir } from "node:os";

const TIMEOUT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), "pacts-"));
const PARTNER = join(folder, "partner-banking-service.json");
const RECEIVER = join(folder, "banking-service-webhooks-partner-receiver.json");

let interactions: readonly Interaction[] = [];

beforeAll(async () => {
  const { code, err } = await sandbank("contracts", "generate", "--out", folder);
  if (code !== 0 || err !== "") throw new Error(err);
  interactions = (JSON.parse(readFileSync(PARTNER, "utf8")) as { interactions: Interaction[] }).interactions;
}, TIMEOUT_MS);

test(
  "every pact that is generated from what ships is kept by the sandbox, says the official verifier",
  async () => {
    const { code, out } = await sandbank("contracts", "verify", PARTNER, "--reporter", "json");
    const { pacts } = JSON.parse(out) as VerificationReport;
    const verdicts = pacts.flatMap((pact) => pact.interactions);
    expect(verdicts.filter(({ verdict }) => verdict !== "passed")).toEqual([]);
    expect(verdicts).toHaveLength(interactions.length);
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "a pact does not hang on the ids of one world: another seed keeps it too",
  async () => {
    const { code, out } = await sandbank("contracts", "verify", PARTNER, "--seed", "4242");
    expect(out.split("\n").filter((line) => line.includes("✗"))).toEqual([]);
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test("every operation is told, and the errors that it has in common with all", () => {
  const told = new Map<string, Set<number>>();
  for (const { operationId, status } of interactions.flatMap(calls)) {
    told.set(operationId, (told.get(operationId) ?? new Set()).add(status));
  }
  expect([...told.keys()].sort()).toEqual(Object.keys(operations).sort());
  for (const [operationId, { successStatus, authenticated }] of Object.entries(operations)) {
    const expected = authenticated ? [successStatus, 401, 403, 500] : [successStatus, 400, 401];
    expect([...(told.get(operationId) ?? [])]).toEqual(expect.arrayContaining(expected));
  }
});

test("every webhook event is told as a message whose description begins with it", () => {
  const messages = interactions.filter(({ type }) => type === "Asynchronous/Messages");
  const told = new Set(messages.map(({ description }) => /^[A-Z_.-]+/.exec(description)?.[0]));
  expect([...told].map(String).sort()).toEqual(Object.keys(events).sort());
});

test("descriptions are unique, and every interaction leads back to its scenario", () => {
  const descriptions = interactions.map(({ description }) => description);
  expect(new Set(descriptions).size).toBe(descriptions.length);
  for (const { comments, providerStates } of interactions) {
    expect(comments.references["scenario"]?.["file"]).toMatch(/^scenarios\/.+\.yaml$/);
    expect(providerStates).toHaveLength(1);
  }
});

test("no timestamp, id or amount of an example is expected to come again", () => {
  for (const interaction of interactions) {
    const rules = bodyRules(interaction);
    const frozen = Object.entries(rules).filter(([, { matchers }]) =>
      matchers.some((matcher) => matcher["match"] === "equality"),
    );
    const places = frozen.map(([place]) => place);
    expect(places.filter((place) => place !== "$.event" && place !== "$.error")).toEqual([]);
  }
});

test(
  "the same scenarios give the same bytes",
  async () => {
    const again = mkdtempSync(join(tmpdir(), "pacts-"));
    const args = ["scenarios/payouts", "scenarios/refunds", "--consumer", "shop"];
    await sandbank("contracts", "generate", ...args, "--out", folder);
    await sandbank("contracts", "generate", ...args, "--out", again);
    for (const name of ["shop-banking-service.json", "banking-service-webhooks-shop-receiver.json"]) {
      expect(readFileSync(join(again, name), "utf8")).toBe(readFileSync(join(folder, name), "utf8"));
    }
  },
  TIMEOUT_MS,
);

test(
  "a good receiver keeps the pacts of the deliveries, each signed on its way",
  async () => {
    await using receiver = await zooReceiver();
    const args = ["contracts", "verify-receiver", receiver.url, RECEIVER, "--secret", SECRET];
    const { code, out } = await sandbank(...args);
    expect(out).toContain("27 passed.");
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test.each([
  [
    "accepts everything",
    { judge: () => true },
    ["signed with another secret is turned away", "without a signature"],
  ],
  [
    "verifies what it parsed and wrote again as Python does",
    { verified: (raw: Buffer) => JSON.stringify(JSON.parse(raw.toString("utf8")), null, 1) },
    ["ORDER-PAYOUT.PAID: A payout was paid"],
  ],
])(
  "a receiver that %s does not",
  async (_, bugs, failing) => {
    await using receiver = await zooReceiver(bugs);
    const args = ["contracts", "verify-receiver", receiver.url, RECEIVER, "--secret", SECRET];
    const { code, out } = await sandbank(...args);
    const failed = out.split("\n").filter((line) => line.includes("✗"));
    for (const one of failing) expect(failed.join("\n")).toContain(one);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

test.each([
  [["verify-receiver", "http://127.0.0.1:1/", RECEIVER], "Failed to reach http://127.0.0.1:1/"],
  [["verify-receiver", "nowhere"], "URL must be an absolute http or https URL"],
  [["generate", "nowhere"], "there is no such file"],
  [["generate", "scenarios/states/account-is-closed.yaml"], "make no call of the interface"],
])(
  "contracts %j could not be tried: exit 2",
  async (args, sentence) => {
    const { code, err } = await sandbank("contracts", ...args);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  },
  TIMEOUT_MS,
);

function calls(interaction: Interaction) {
  if (interaction.type !== "Synchronous/HTTP") return [];
  const operation = operationAt(interaction.request);
  return operation === undefined
    ? []
    : [{ operationId: operation.operationId, status: interaction.response.status }];
}

function bodyRules(interaction: Interaction) {
  const rules =
    interaction.type === "Synchronous/HTTP" ? interaction.response.matchingRules : interaction.matchingRules;
  return (rules?.["body"] ?? {}) as RulesByPlace;
}
