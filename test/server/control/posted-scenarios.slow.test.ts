import { type Partner, detail, openPartner } from "../../partner.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { scenarioJobs } from "../../../src/scenarios/scenario-jobs.ts";
import { ScenarioLibrary } from "../../../src/scenarios/scenario-library.ts";

/** A server for the tests that leave nothing there that another one would see. */
let partner: Awaited<ReturnType<typeof openPartner>>;
beforeAll(async () => {
  partner = await openPartner();
});
afterAll(() => partner[Symbol.asyncDispose]());

const post = (partner: Partner, body: string) => partner.ask("POST", "/sandbox/scenarios", { body });

const withRegex = (pattern: string, text: string): string => `name: A pattern
steps:
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: ${text} }
    expect: { body: { externalId: { $regex: ${JSON.stringify(pattern)} } } }
`;

test("a pattern that takes JavaScript exponential time is matched, and the run ends", async () => {
  expect((await post(partner, withRegex("^(a+)+$", `${"a".repeat(60)}b`))).status).toBe(201);
  const run = await partner.ask("POST", "/sandbox/scenarios/A%20pattern/run");
  expect(run).toMatchObject({ status: 200, body: { status: "failed" } });
});

for (const pattern of ["^(?=a)(a+)+$", String.raw`(a+)+\1$`])
  test(`the pattern ${pattern}, which cannot be matched in linear time, is refused in a posted file`, async () => {
    const refused = await post(partner, withRegex(pattern, "a"));
    expect(refused.status).toBe(400);
    expect(detail(refused, "line 5, column 45")["description"]).toContain("must not contain lookaround");
  });

test("a pattern in the schema of a param is matched in linear time too", async () => {
  const state = (pattern: string): string => `state: a pattern
params: { word: { default: ${"a".repeat(60)}b, schema: { type: string, pattern: "${pattern}" } } }
steps: []
`;
  expect((await post(partner, state("^(a+)+$"))).status).toBe(400);
  expect((await post(partner, state("^(a+)+b$"))).status).toBe(201);
  expect(JSON.stringify((await post(partner, state("^(?=a)(a+)+$"))).body)).toContain(
    "must not contain lookaround",
  );
});

test("a posted file has no access to the disk", async () => {
  const answers = await Promise.all(
    ["/", "/etc", "/no-such-folder", "fixtures", "/etc/passwd"].map((folder) =>
      post(partner, `name: Fixtures\nfixtures: ${folder}\nsteps: []\n`),
    ),
  );
  const descriptions = answers.map((answer) => detail(answer, "line 2, column 1")["description"]);
  expect(new Set(descriptions)).toEqual(
    new Set([
      "A posted scenario has no access to files and uses the fixtures of the server. Leave `fixtures` out.",
    ]),
  );
});

const keys = Array.from({ length: 10_000 }, (_, index) => `key${index}`);

// Each takes well under a second, and took from fifteen seconds to minutes where the work grew with the square.
const LARGE: Readonly<Record<string, string>> = {
  "10,000 unknown keys": `name: a\nsteps: []\n${keys.map((key) => `${key}: 1`).join("\n")}\n`,
  "a body of 10,000 fields": `name: a\nsteps:\n  - call: createSubscription\n    body: { ${keys.map((key) => `${key}: 1`).join(", ")} }\n`,
  "10,000 unknown matchers": `name: a\nsteps:\n  - call: createSubscription\n    expect: { body: { ${keys.map((key) => `$${key}: 1`).join(", ")} } }\n`,
  "a matrix of 10,000 names": `name: a\nmatrix: { ${keys.map((key) => `${key}: [1]`).join(", ")} }\nsteps: []\n`,
  "10,000 equal keys": `name: a\nsteps: []\n${keys.map(() => "same: 1").join("\n")}\n`,
};

for (const [what, text] of Object.entries(LARGE))
  test(`${what} are checked`, { timeout: 60_000 }, async () => {
    expect([201, 400]).toContain((await post(partner, text)).status);
  });

test("while a posted scenario runs, other requests are answered between its steps", async () => {
  await using partner = await openPartner();
  const steps = keys.slice(0, 300).map(() => "  - { call: listAccounts }");
  expect((await post(partner, `name: Long\nsteps:\n${steps.join("\n")}\n`)).status).toBe(201);
  const order: string[] = [];
  const ran = partner.ask("POST", "/sandbox/scenarios/Long/run").then(() => order.push("scenario"));
  for (let count = 0; count < 20; count++) {
    expect((await partner.ask("GET", "/sandbox/health")).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  order.push("health");
  await ran;
  expect(order).toEqual(["health", "scenario"]);
});

test("posted scenarios are bounded in number and size, and the last one can still be replaced", async () => {
  const library = new ScenarioLibrary(scenarioJobs(openSandbox));
  const padding = `# ${"x".repeat(900_000)}\n`;
  const add = (name: string) => library.add(`name: ${name}\nsteps: []\n${padding}`);
  for (let count = 0; count < 17; count++) expect(await add(`s${count}`)).toHaveProperty("scenario");
  expect(await add("one more")).toHaveProperty("full");
  expect(await add("s16")).toHaveProperty("scenario");
});

test("while a large scenario is checked, other requests are answered", { timeout: 60_000 }, async () => {
  await using partner = await openPartner();
  const fields = Array.from({ length: 20_000 }, (_, index) => `      key${index}: 1`);
  const text = `name: a\nsteps:\n  - call: createSubscription\n    allowUnknown: true\n    body:\n${fields.join("\n")}\n`;
  const order: string[] = [];
  const posted = post(partner, text).then(({ status }) => order.push(`scenario ${status}`));
  for (let count = 0; count < 20; count++) {
    expect((await partner.ask("GET", "/sandbox/health")).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  order.push("health");
  await posted;
  expect(order).toEqual(["health", "scenario 201"]);
});
