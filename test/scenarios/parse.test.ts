import { expect, test } from "vitest";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import { context } from "./context.ts";

function mistakesIn(text: string, params?: { [name: string]: unknown }): string[] {
  const { scenarios, mistakes } = parseScenario(text, "a.yaml", { ...context, ...(params && { params }) });
  expect(scenarios.length === 0).toBe(mistakes.length > 0);
  return mistakes.map(formatMistake);
}

/** The mistakes in a scenario whose steps these are; the first line of `steps` is line 3. */
function mistakesInSteps(...steps: string[]): string[] {
  return mistakesIn(["name: n", "steps:", ...steps.map((step) => `  - ${step}`)].join("\n"));
}

function scenariosOf(text: string, params?: { [name: string]: unknown }): readonly Scenario[] {
  const { scenarios, mistakes } = parseScenario(text, "a.yaml", { ...context, ...(params && { params }) });
  expect(mistakes).toEqual([]);
  return scenarios;
}

const story = `# yaml-language-server: $schema=../schemas/scenario.schema.json
name: The platform resends a charge until it settles
seed: 7
start: 2026-11-20T09:00:00-03:00
assumptions: { charge.resend-delay: PT20M }
steps:
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: gym-1 }
    save: sub
    expect: { status: 201, body: { status: PENDING_AUTHORIZATION } }
  - act: subscription.accept
    on: \${sub.id}
  - call: createScheduledPayment
    path: { id: "\${sub.id}" }
    body: { externalId: charge-1, dueDate: "2026-11-25", amount: { currency: BRL, value: "59.90" } }
    save: charge
  - plan: scheduled-payment.settlement
    on: \${charge.id}
    outcomes: [SETTLEMENT_ERROR, SETTLEMENT_ERROR, SETTLED]
  - receiver: { answers: [500, 200] }
  - fault: { on: webhook, event: SUBSCRIPTION.*, effect: duplicate, times: 1 }
  - advance: { to: "2026-11-25T21:00:00-03:00" }
  - expect:
      webhooks:
        - { event: SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED, data: { settlementErrorRetryAttempt: 2 } }
      resource: { collection: scheduled-payments, id: "\${charge.id}", is: { status: CANCELED } }
      ledger: balanced
`;

test("a file with every verb is read, each step with its place", () => {
  const [scenario] = scenariosOf(story);
  expect(scenario).toMatchObject({
    seed: 7,
    start: "2026-11-20T09:00:00-03:00",
    combination: {},
    params: {},
  });
  expect(scenario?.steps.map(({ verb, number, line, column }) => [verb, number, line, column])).toEqual([
    ["call", 1, 7, 5],
    ["act", 2, 11, 5],
    ["call", 3, 13, 5],
    ["plan", 4, 17, 5],
    ["receiver", 5, 20, 5],
    ["fault", 6, 21, 5],
    ["advance", 7, 22, 5],
    ["expect", 8, 23, 5],
  ]);
});

test("a fixture replaces $use, and fields next to $use replace its fields", () => {
  const [scenario] = scenariosOf(`name: n
steps:
  - call: createSubscription
    body: { $use: subscription.yearly, externalId: gym-1, startDate: "2027-01-01", debtor: { $absent: true } }
`);
  expect(scenario?.steps[0]).toMatchObject({
    body: { frequencyType: "ANNUAL", externalId: "gym-1", startDate: "2027-01-01" },
  });
  expect(scenario?.steps[0]).not.toHaveProperty("body.debtor");
});

test("a matrix gives one scenario for each combination, the last name varying fastest", () => {
  const scenarios = scenariosOf(`name: n
seed: \${matrix.seed}
matrix: { outcome: [REJECTED, ERROR], seed: [1, 2] }
steps:
  - plan: subscription.authorization
    outcomes: ["\${matrix.outcome}"]
`);
  expect(scenarios.map(({ name, seed, steps }) => [name, seed, steps[0]])).toMatchObject([
    ["n [outcome=REJECTED, seed=1]", 1, { outcomes: ["REJECTED"] }],
    ["n [outcome=REJECTED, seed=2]", 2, { outcomes: ["REJECTED"] }],
    ["n [outcome=ERROR, seed=1]", 1, { outcomes: ["ERROR"] }],
    ["n [outcome=ERROR, seed=2]", 2, { outcomes: ["ERROR"] }],
  ]);
});

test("a matrix may list its combinations, and the name may distinguish them itself", () => {
  const scenarios = scenariosOf(`name: "\${matrix.act} at once"
matrix:
  - { act: order.pay, status: PAID }
  - { act: order.expire, status: EXPIRED }
steps:
  - { act: "\${matrix.act}", on: x, expect: { body: { status: "\${matrix.status}" } } }
`);
  expect(scenarios.map(({ name }) => name)).toEqual(["order.pay at once", "order.expire at once"]);
});

const state = `state: a subscription waits
params:
  frequency: { default: MONTHLY, schema: { enum: [MONTHLY, WEEKLY] } }
steps:
  - call: createSubscription
    body: { frequencyType: "\${params.frequency}" }
    save: sub
returns: { id: "\${sub.id}" }
`;

test("a state takes its params from the caller, or their defaults", () => {
  expect(scenariosOf(state)[0]).toMatchObject({
    name: "a subscription waits",
    params: { frequency: "MONTHLY" },
  });
  const [weekly] = scenariosOf(state, { frequency: "WEEKLY" });
  expect(weekly?.steps[0]).toMatchObject({ body: { frequencyType: "WEEKLY" } });
});

test("params that the state does not have, or does not take, are refused", () => {
  expect(mistakesIn(state, { frequncy: "WEEKLY" })).toEqual([
    "a.yaml:3:3: `frequncy` is not a param of this state. Did you mean `frequency`?",
  ]);
  expect(mistakesIn(state, { frequency: "DAILY" })[0]).toContain(
    "`frequency` must be one of MONTHLY, WEEKLY; found",
  );
});

test("every mistake of a file is reported, in order", () => {
  const mistakes = mistakesIn(`nam: n
start: 2026-11-20
assumptions: { charge.resnd-delay: PT1M, refund.delay: soon }
steps:
  - call: createSubscripton
  - act: subscription.acept
    on: \${sub.id}
  - plan: subscription.authorization
    outcomes: [ACEPTED]
  - cal: x
`);
  expect(mistakes).toEqual([
    "a.yaml:1:1: `name` is required.",
    "a.yaml:1:1: `nam` is not known here. Did you mean `name`?",
    'a.yaml:2:8: `start` must be now, or an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00; found "2026-11-20".',
    "a.yaml:3:16: There is no assumption `charge.resnd-delay`. Did you mean `charge.resend-delay`?",
    'a.yaml:3:56: The assumption refund.delay is an ISO 8601 duration of at most a hundred years such as PT5S; found "soon".',
    "a.yaml:5:11: There is no operation `createSubscripton`. Did you mean `createSubscription`?",
    "a.yaml:6:10: `subscription.acept` is not known here. Did you mean `subscription.accept`?",
    "a.yaml:7:9: Nothing is saved as `sub`. It can be `today` or `now`.",
    "a.yaml:9:16: `ACEPTED` is not known here. Did you mean `ACCEPTED`?",
    "a.yaml:10:5: The step has no verb; found `cal`. Did you mean `call`?",
  ]);
});

const wrongSteps: [string, string, string][] = [
  [
    "a name that is saved only later",
    "{ act: order.pay, on: '${o.id}', save: o }",
    "`o` is saved only at line 3.",
  ],
  [
    "a name that expressions have for themselves",
    "{ call: listAll, save: today }",
    "`today` cannot be a name for a saved answer",
  ],
  ["a path parameter that is missing", "{ call: getSubscription }", "The path parameter `id` is missing"],
  [
    "a path parameter that is unknown",
    "{ call: getSubscription, path: { id: 1, ID: 2 } }",
    "`ID` is not a path parameter",
  ],
  ["a body on a GET", "{ call: GET /x, body: {} }", "which has no body"],
  ["a path without a method", "{ call: /order/v1 }", "Write a method and a path"],
  ["two verbs", "{ call: GET /x, act: order.pay, on: x }", "found `call` and `act`"],
  ["an act about nothing", "{ act: order.pay }", "does not name its object"],
  [
    "a field that the act does not take",
    "{ act: order.pay, on: x, with: { amont: 1 } }",
    "Did you mean `amount`?",
  ],
  ["a field that the act needs", "{ act: account.deposit, on: x }", "`with` is required."],
  [
    "an outcome of another plan",
    "{ plan: claim.answer, outcomes: [SETTLED] }",
    "It can be `COMPLETED` or `DENIED`.",
  ],
  ["an effect that is unknown", "{ fault: { on: webhook, effect: duplicat } }", "Did you mean `duplicate`?"],
  ["an effect of the other side", "{ fault: { on: api, effect: drop } }", "`drop` is not known here."],
  [
    "a field of another effect",
    "{ fault: { on: webhook, effect: duplicate, by: PT1S } }",
    "takes copies and gap",
  ],
  ["a field that the effect needs", "{ fault: { on: webhook, effect: delay } }", "`by` is required."],
  [
    "an operation in a fault",
    "{ fault: { on: api, effect: reset, operation: getSub } }",
    'no operation "getSub"',
  ],
  ["a duration in words", "{ advance: 3 days }", "an ISO 8601 duration such as"],
  [
    "an advance in two ways",
    "{ advance: { by: P1D, until: idle } }",
    "must have exactly one of by, to, until",
  ],
  ["a receiver's word", "{ receiver: { answers: [timout] } }", "Did you mean `timeout`?"],
  ["a receiver's status", "{ receiver: { answers: [99] } }", "`answers[0]` must be at least 100; found 99."],
  ["a matcher", "{ expect: { webhooks: [{ id: { $anny: string } }] } }", "Did you mean `$any`?"],
  ["a type of $any", "{ expect: { webhooks: [{ id: { $any: strng } }] } }", "Did you mean `string`?"],
  [
    "a regular expression",
    "{ expect: { webhooks: [{ id: { $regex: '(' } }] } }",
    "must be a regular expression",
  ],
  [
    "a matcher with fields",
    "{ expect: { webhooks: { $length: 1, id: 2 } } }",
    "`id` cannot be combined with the matcher `$length`",
  ],
  ["a bound without an order", "{ expect: { webhooks: [{ at: { $gt: soon } }] } }", '"soon" has no order.'],
  ["a collection", "{ expect: { resource: { collection: order, is: {} } } }", "Did you mean `orders`?"],
  ["a resource without `is`", "{ expect: { resource: { collection: orders } } }", "`is` is required."],
  ["the answer of no call", "{ expect: { status: 200 } }", "`status` is not known here."],
  ["a ledger that is not balanced", "{ expect: { ledger: balance } }", "Did you mean `balanced`?"],
  ["an expression without an end", "{ call: 'GET /x/${sub.id' }", "has no closing }."],
  ["an expression that cannot be read", "{ call: 'GET /x/${a b}' }", "cannot be read."],
  ["a date with a wrong duration", "{ call: 'GET /x/${today + 3D}' }", "`3D` is not an ISO 8601 duration."],
  ["a matrix value", "{ call: 'GET /x/${matrix.x}' }", "Nothing is saved as `matrix.x`."],
  [
    "a fixture",
    "{ call: createSubscription, body: { $use: subscription.montly } }",
    "Did you mean `subscription.monthly`?",
  ],
  ["fixtures that use each other", "{ call: createSubscription, body: { $use: circle.one } }", "uses itself"],
  ["a step that is a word", "advance", 'found "advance"'],
  ["an empty step", "{}", "The step is empty."],
];

test.each(wrongSteps)("a mistake is found before anything runs: %s", (_, step, message) => {
  const mistakes = mistakesInSteps(step);
  expect(mistakes.join("\n")).toContain(message);
  for (const mistake of mistakes) expect(mistake).toMatch(/^a\.yaml:3:\d+: /);
});

test("a name that is saved twice is a mistake, at the second place", () => {
  expect(mistakesInSteps("{ call: GET /x, save: a }", "{ call: GET /y, save: a }")).toEqual([
    "a.yaml:4:27: `a` is saved at line 3 already. Choose another name.",
  ]);
});

test("a step's own expect can read what the step saves", () => {
  expect(
    mistakesInSteps('{ call: GET /x, save: a, expect: { webhooks: [{ data: { id: "${a.id}" } }] } }'),
  ).toEqual([]);
});

test("a mistake in one combination of the matrix names the combination", () => {
  const mistakes = mistakesIn(`name: n
matrix: { outcome: [REJECTED, NOPE] }
steps:
  - { plan: subscription.authorization, outcomes: ["\${matrix.outcome}"] }
`);
  expect(mistakes).toEqual([
    "a.yaml:4:52: `NOPE` is not known here. It can be `ACCEPTED`, `REJECTED` or `ERROR`. (Here outcome=NOPE.)",
  ]);
});

test("a matrix with too many combinations is refused", () => {
  const values = JSON.stringify(Array.from({ length: 40 }, (_, index) => index));
  const mistakes = mistakesIn(`name: n\nmatrix: { a: ${values}, b: ${values} }\nsteps: []\n`);
  expect(mistakes[0]).toContain("more than 1000 combinations");
});

test("an expression without quotes inside braces gets the hint to quote it", () => {
  expect(mistakesInSteps("{ act: order.pay, on: ${o.id} }")[0]).toContain("has to be in quotes");
});

test("a file that is not YAML or not a scenario is reported with its place", () => {
  expect(mistakesIn("name: n\nsteps:\n\t- x\n")).toEqual([
    "a.yaml:3:1: This is not YAML: Tabs are not allowed as indentation.",
  ]);
  expect(mistakesIn("name: n\nname: m\nsteps: []\n")[0]).toContain(
    "a.yaml:2:1: The key `name` is written twice",
  );
  expect(mistakesIn("name: n\nsteps: []\n---\nname: m\n")[0]).toContain("a.yaml:3:1: A second document");
  expect(mistakesIn("")[0]).toContain("the file is empty");
  expect(mistakesIn("- a\n")[0]).toContain('found ["a"]');
});
