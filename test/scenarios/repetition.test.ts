import { expect, test } from "vitest";
import { openSandbox } from "../../src/library/sandbox.ts";
import { type ScenarioResult, failureLines } from "../../src/scenarios/result.ts";
import { type OpenWorld, localWorlds } from "../../src/scenarios/world.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";

type Client = (request: Request) => Promise<Response>;

async function run(steps: string, client?: Client): Promise<string> {
  const { scenarios, mistakes } = parseScenario(`name: n\nsteps:\n${steps}`, "a.yaml", scenarioContext());
  expect(mistakes.map(formatMistake)).toEqual([]);
  const open = localWorlds(openSandbox);
  const openWorld: OpenWorld = async (options) => ({
    ...(await open(options)),
    ...(client && { partner: { client } }),
  });
  const { failure }: ScenarioResult = await runScenario(scenarios[0]!, { openWorld });
  return failure === undefined ? "" : failureLines({ ...failure, before: [] }).join("\n");
}

/** A client that fails so often first, and what it was sent. */
function failing(times: number, failure: () => Response): { client: Client; sent: string[] } {
  const sent: string[] = [];
  const client: Client = async (request) => {
    sent.push(`${request.method} ${request.url} ${await request.text()}`);
    return sent.length <= times ? failure() : Response.json({ id: sent.length });
  };
  return { client, sent };
}

const REQUEST = "  - request: POST partner:/payouts\n    body: { amount: '1.00' }\n";
const EXPECT_TIME = (time: string): string =>
  `  - call: GET /sandbox/clock\n    expect: { body: { now: "${time}" } }\n`;

test.each([
  ["5xx", () => new Response("", { status: 503 })],
  ["no answer", () => Response.error()],
])("a request that gets %s is sent again as it was, after the clock has moved", async (_, failure) => {
  const { client, sent } = failing(2, failure);
  const steps = `${REQUEST}    repeat: { times: 2, every: PT10M }\n${EXPECT_TIME("2026-11-23T12:20:00.000Z")}`;
  expect(await run(steps, client)).toBe("");
  expect(sent).toEqual(Array(3).fill('POST partner:/payouts {"amount":"1.00"}'));
});

test("a request that fails to the end fails the step, and one without `repeat` at once", async () => {
  const always = failing(99, () => new Response("", { status: 500 }));
  expect(await run(`${REQUEST}    repeat: { times: 3 }\n`, always.client)).toContain("was answered with 500");
  expect(always.sent).toHaveLength(4);
  for (const step of [REQUEST, `${REQUEST}    repeat: 0\n`]) {
    const once = failing(1, () => new Response("", { status: 500 }));
    expect(await run(step, once.client)).toContain("was answered with 500");
    expect(once.sent).toHaveLength(1);
  }
});

test("a 4xx is an answer, and an expected failure is not repeated", async () => {
  const refused = failing(1, () => new Response("", { status: 422 }));
  expect(await run(`${REQUEST}    repeat: { times: 3 }\n`, refused.client)).toContain("with 422");
  expect(refused.sent).toHaveLength(1);
  const expected = failing(1, () => new Response("", { status: 503 }));
  const step = `${REQUEST}    repeat: { times: 3 }\n    expect: { status: 503 }\n`;
  expect(await run(step, expected.client)).toBe("");
  expect(expected.sent).toHaveLength(1);
});

test("another failure than the one that is expected is repeated", async () => {
  let count = 0;
  const client: Client = async () => new Response("", { status: count++ === 0 ? 503 : 422 });
  const step = `${REQUEST}    repeat: { times: 3 }\n    expect: { status: 422 }\n`;
  expect([await run(step, client), count]).toEqual(["", 2]);
});

test("a client of this process that throws answers 500, and without one the step says what to write", async () => {
  const thrown = await run(REQUEST, async () => {
    throw new Error("no database");
  });
  expect(thrown).toContain('was answered with 500: "Error: no database (repetition.test.ts:');
  expect(await run(REQUEST)).toMatch(/No system answers `partner:\/payouts`: .* Write the whole URL/);
});

const PAYOUTS = (count: number): string =>
  `  - expect: { resource: { collection: payouts, is: { $length: ${count} } } }\n`;
const payout = (fault: string, retry: string): string =>
  `  - fault: { on: api, operation: createPayout, times: 1, ${fault} }
  - call: createPayout
    body: { $use: payout.pix }
    retry: ${retry}
`;

test.each([
  ["effect: reset", "same-key", 1],
  ["effect: reset", "new-key", 2],
  ["effect: reset-before", "new-key", 1],
  ["effect: unavailable", "same-key", 1],
  ["effect: error, status: 429", "same-key", 1],
  ["effect: error, status: 500, after: true", "same-key", 1],
  ["effect: error, status: 500, after: true", "new-key", 2],
  ["effect: token-expired", "same-key", 1],
])("a call that meets %s is repeated with %s, and makes %i payouts", async (fault, retry, count) => {
  expect(await run(payout(fault, retry) + PAYOUTS(count))).toBe("");
});

test("a call is not repeated unless it says so, and never after another 4xx", async () => {
  expect(await run(payout("effect: unavailable", "none"))).toContain("was answered with 503");
  expect(await run(payout("effect: error, status: 409", "same-key"))).toContain("was answered with 409");
});

test("`repeat` is 0 or how often", () => {
  const { mistakes } = parseScenario(
    `name: n\nsteps:\n${REQUEST}    repeat: twice\n`,
    "a.yaml",
    scenarioContext(),
  );
  expect(mistakes.map(formatMistake).join("\n")).toMatch(/repeat/);
});
