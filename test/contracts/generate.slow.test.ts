import { beforeAll, expect, test } from "vitest";
import { events } from "../../src/simulator/api/events.ts";
import type { Interaction, RulesByPlace } from "../../src/contracts/generation/pact-json.ts";
import type { VerificationReport } from "../../src/contracts/verification/report.ts";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { PACT_V4 } from "./pact-v4.ts";
import { join } from "node:path";
import { operationAt, operations } from "../../src/simulator/api/operations.ts";
import { sandbank } from "../cli/command.ts";
import { type Bugs, SECRET, buggyReceiver } from "../partners/buggy-receiver.ts";
import { tmpdir } from "node:os";

const TIMEOUT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), "pacts-"));
const PARTNER = join(folder, "partner-banking-service.json");
const RECEIVER = join(folder, "banking-service-webhooks-partner-receiver.json");

let interactions: readonly Interaction[] = [];

beforeAll(async () => {
  const { code, err } = await sandbank("contracts", "generate", "--out", folder);
  if (code !== 0) throw new Error(err);
  interactions = (JSON.parse(readFileSync(PARTNER, "utf8")) as { interactions: Interaction[] }).interactions;
}, TIMEOUT_MS);

test("every operation is in the pact, with the errors that all operations have", () => {
  const found = new Map<string, Set<number>>();
  for (const { operationId, status } of interactions.flatMap(calls)) {
    found.set(operationId, (found.get(operationId) ?? new Set()).add(status));
  }
  expect([...found.keys()].sort()).toEqual(Object.keys(operations).sort());
  for (const [operationId, { successStatus, access }] of Object.entries(operations)) {
    const expected = access === "company" ? [successStatus, 401, 403, 500] : [successStatus, 400, 401];
    expect([...(found.get(operationId) ?? [])]).toEqual(expect.arrayContaining(expected));
  }
});

test("every webhook event is a message whose description begins with it", () => {
  const messages = interactions.filter(({ type }) => type === "Asynchronous/Messages");
  const found = new Set(messages.map(({ description }) => /^[A-Z_.-]+/.exec(description)?.[0]));
  expect([...found].map(String).sort()).toEqual(Object.keys(events).sort());
});

test("descriptions are unique, and every interaction refers to its scenario", () => {
  const descriptions = interactions.map(({ description }) => description);
  expect(new Set(descriptions).size).toBe(descriptions.length);
  for (const { comments, providerStates } of interactions) {
    expect(comments.references["scenario"]?.["file"]).toMatch(/^scenarios\/.+\.yaml$/);
    expect(providerStates).toHaveLength(1);
  }
});

test.each(["PENDING", "REJECTED"])("a required field that is null is in the message: %s", (status) => {
  const messages = interactions
    .filter((one) => one.type === "Asynchronous/Messages")
    .filter(({ description }) => description.includes(`CANCELLATION.${status}`));
  expect(messages).toHaveLength(2);
  for (const { contents, matchingRules } of messages) {
    expect(contents.content).toMatchObject({ data: { cancellation: { canceledAt: null } } });
    expect(matchingRules["body"]?.["$.data.cancellation.canceledAt"]).toMatchObject({
      combine: "OR",
      matchers: [{ match: "null" }, { match: "regex" }],
    });
  }
});

test("no timestamp, id or amount of an example is expected as it is", () => {
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
    const [once, again] = [mkdtempSync(join(tmpdir(), "pacts-")), mkdtempSync(join(tmpdir(), "pacts-"))];
    const args = ["scenarios/refunds", "--consumer", "shop"];
    await sandbank("contracts", "generate", ...args, "--out", once);
    await sandbank("contracts", "generate", ...args, "--out", again);
    for (const name of ["shop-banking-service.json", "banking-service-webhooks-shop-receiver.json"]) {
      expect(readFileSync(join(again, name), "utf8")).toBe(readFileSync(join(once, name), "utf8"));
    }
  },
  TIMEOUT_MS,
);

async function verifyReceiver(bugs: Bugs) {
  await using receiver = await buggyReceiver(bugs);
  const args = ["contracts", "verify-receiver", receiver.url, folder, "--secret", SECRET];
  const { code, out } = await sandbank(...args, "--reporter", "json");
  const verdicts = (JSON.parse(out) as VerificationReport).pacts.flatMap((pact) => pact.interactions);
  const failed = verdicts.filter(({ verdict }) => verdict === "failed");
  return { code, count: verdicts.length, failed: failed.map(({ description }) => description) };
}

test(
  "a good receiver passes the pacts of the deliveries, each signed as it is sent",
  async () => {
    expect(await verifyReceiver({})).toEqual({ code: 0, count: 43, failed: [] });
  },
  TIMEOUT_MS,
);

test.each<readonly [string, Bugs, string]>([
  ["accepts everything", { verifies: () => true }, "signed with another secret is turned away"],
  [
    "verifies what it parsed and wrote again",
    { verified: (raw) => JSON.stringify(JSON.parse(raw.toString("utf8"))) },
    "spelt with a blank after every comma and colon is acknowledged",
  ],
  [
    "decodes the body as Latin-1",
    { verified: (raw) => raw.toString("latin1") },
    "spelt with characters beyond ASCII is acknowledged",
  ],
  [
    "trims the body",
    { verified: (raw) => raw.toString("utf8").trim() },
    "spelt with a line break at the end is acknowledged",
  ],
  [
    "skips verification without a header",
    { verifies: (header, right) => header === undefined || header === `sha256=${right}` },
    "without a signature is turned away",
  ],
  [
    "breaks on a short signature",
    {
      verifies: (header, right) => {
        if (header === "sha256=abc") throw new RangeError("byte length");
        return header === `sha256=${right}`;
      },
    },
    "with a signature of three digits is turned away",
  ],
  ["takes an empty secret for one", { secrets: [SECRET, ""] }, "signed with an empty secret is turned away"],
  ["answers 409 to a duplicate", { duplicateStatus: 409 }, "that comes again is acknowledged"],
])(
  "a receiver that %s fails them",
  async (_, bugs, failing) => {
    const { code, failed } = await verifyReceiver(bugs);
    expect(failed).toContain(`ORDER-PAYOUT.PAID ${failing}`);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

/** An interaction as JSON that a test changes. */
// oxlint-disable-next-line typescript/no-explicit-any -- each change reaches into another part of it
type Changeable = any;

const CHANGES: Readonly<Record<string, (interaction: Changeable) => void>> = {
  "another status": ({ response }) => (response.status = 418),
  "a field that does not exist": ({ response }) => (response.body.content.total = 3),
  "a status that no payout has": ({ response }) =>
    (response.matchingRules.body["$.status"] = {
      combine: "AND",
      matchers: [{ match: "regex", regex: "^X$" }],
    }),
  "another state": ({ providerStates }) => (providerStates[0].name = "A scenario that does not exist"),
  "another step": ({ providerStates }) => (providerStates[0].params.beforeStep = 99),
};

test(
  "a generated interaction that was changed to expect something else fails",
  async () => {
    const pact = JSON.parse(readFileSync(PARTNER, "utf8")) as { interactions: Interaction[] };
    const original = pact.interactions.find(({ description }) => description.includes("payout: 201"));
    const changed = Object.entries(CHANGES).map(([description, change]) => {
      const interaction: Changeable = { ...structuredClone(original), description };
      change(interaction);
      return interaction;
    });
    const file = join(mkdtempSync(join(tmpdir(), "pacts-")), "changed.json");
    writeFileSync(file, JSON.stringify({ ...pact, interactions: [original, ...changed] }));
    const { code, out } = await sandbank("contracts", "verify", file, "--reporter", "json");
    const verdicts = (JSON.parse(out) as VerificationReport).pacts.flatMap((one) => one.interactions);
    const passed = verdicts.filter(({ verdict }) => verdict === "passed");
    expect(passed.map(({ description }) => description)).toEqual([original?.description]);
    expect(verdicts).toHaveLength(1 + changed.length);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

test("every file has the shape of version 4 of the format", () => {
  const validate = new Ajv2020({ strict: false }).compile(PACT_V4);
  for (const file of [PARTNER, RECEIVER]) {
    validate(JSON.parse(readFileSync(file, "utf8")));
    expect(validate.errors).toBeNull();
  }
});

test.each([
  [["verify-receiver", "http://127.0.0.1:1/", RECEIVER], "Failed to reach http://127.0.0.1:1/"],
  [["verify-receiver", "nowhere"], "URL must be an absolute http or https URL"],
  [["generate", "nowhere"], "there is no such file"],
  [["generate", "scenarios/states/account-is-closed.yaml"], "contain no call of the platform API"],
])(
  "contracts %j is not run: exit 2",
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

test(
  "a receiver with another secret is reported once, with its cause",
  async () => {
    await using receiver = await buggyReceiver({});
    const { code, out } = await sandbank(
      "contracts",
      "verify-receiver",
      receiver.url,
      folder,
      "--secret",
      "wrong",
    );
    expect(code).toBe(1);
    expect(out.match(/Name the secret with --secret/g)).toHaveLength(1);
    expect(out.match(/status: expected 200, was 401/g)).toHaveLength(1);
    expect(out).toMatch(/The same cause in \d\d more:/);
  },
  TIMEOUT_MS,
);
