import { expect, test } from "vitest";
import { operations } from "../../src/simulator/api/operations.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario, runScenarios } from "../../src/scenarios/run.ts";
import type { ScenarioResult } from "../../src/scenarios/result.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import type { OpenWorld } from "../../src/scenarios/world.ts";
import { systemWall, turns } from "../../src/base/wall.ts";
import { type CounterWorld, openCounterWorld } from "./counter-service.ts";

function scenarioOf(steps: string, top = "name: n"): Scenario {
  const { scenarios, mistakes } = parseScenario(`${top}\nsteps:\n${steps}`, "a.yaml", {
    bodies: {},
  });
  expect(mistakes.map(formatMistake)).toEqual([]);
  return scenarios[0] as Scenario;
}

async function run(
  steps: string,
  top?: string,
  seed?: number,
): Promise<{ result: ScenarioResult; world: CounterWorld }> {
  const worlds: CounterWorld[] = [];
  const openWorld: OpenWorld = (options) => {
    const world = openCounterWorld(options);
    worlds.push(world);
    return Promise.resolve(world);
  };
  const options = { openWorld, ...(seed !== undefined && { seed }) };
  const result = await runScenario(scenarioOf(steps, top), options);
  return { result, world: worlds[0] as CounterWorld };
}

async function failureOf(steps: string): Promise<NonNullable<ScenarioResult["failure"]>> {
  const { result } = await run(steps);
  expect(result.status).toBe("failed");
  return result.failure as NonNullable<ScenarioResult["failure"]>;
}

const story = `
  - call: POST /counters
    body: { name: gym }
    save: counter
    expect: { status: 201, body: { id: { $regex: "^gym-" }, value: 0 } }
  - act: account.deposit
    on: \${counter.id}
    with: { amount: "5" }
    expect: { body: { value: 5 } }
  - plan: payout.settlement
    on: \${counter}
    outcomes: [ERROR]
    save: plan
    expect: { body: { on: "\${counter.id}" } }
  - fault: { on: webhook, effect: drop, object: "\${counter.id}" }
  - advance: PT30S
  - call: GET /counters/{id}
    path: { id: "\${counter.id}" }
    expect: { status: 200, headers: { X-KIND: counter }, body: { value: 5 } }
  - expect:
      webhooks: [{ event: SUBSCRIPTION.ACCEPTED }, { event: SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED, data: { value: 5 } }]
      deliveries: { $unordered: [{ event: SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED, attempts: { $length: 1 } }], $length: 2 }
      resource:
        - { collection: accounts, id: "\${counter.id}", is: { owner: acme-token } }
        - { collection: accounts, id: nobody, is: { $absent: true } }
        - { collection: accounts, is: [{ value: 5 }] }
      ledger: balanced
      happened: [{ what: clock.moved }]
`;

test("a scenario with every verb passes, and its world is closed", async () => {
  const { result, world } = await run(story);
  expect(result.failure).toBeUndefined();
  expect(result).toMatchObject({ name: "n", file: "a.yaml", status: "passed", digest: "digest of 2" });
  expect(result.steps.map(({ title, status }) => `${status} ${title}`)).toEqual([
    "passed call POST /counters",
    "passed act account.deposit",
    "passed plan payout.settlement ERROR",
    "passed fault drop on webhook",
    "passed advance by PT30S",
    "passed call GET /counters/{id}",
    "passed expect webhooks, deliveries, resource, ledger, happened",
  ]);
  expect(world.disposed).toBe(true);
});

test("a failed expectation reports the difference, its place and the timeline before it", async () => {
  const failure = await failureOf(`
  - { call: POST /counters, body: {}, save: c }
  - call: GET /counters/{id}
    path: { id: "\${c.id}" }
    expect: { body: { value: 7, owner: acme-token } }
  - { call: GET /counters }
`);
  expect(failure).toEqual({
    step: 2,
    title: "call GET /counters/{id}",
    line: 5,
    column: 5,
    message: "body.value: expected 7, found 0",
    differences: [{ path: "body.value", expected: 7, actual: 0 }],
    answer: { status: 200, body: { id: "x-1", owner: "acme-token", value: 0 } },
    before: [{ at: "2026-11-20T12:00:00.000Z", what: "SUBSCRIPTION.ACCEPTED", objectId: "x-1" }],
    why: {
      objectId: "x-1",
      causes: [{ at: "2026-11-20T12:00:00.000Z", what: "SUBSCRIPTION.ACCEPTED", objectId: "x-1" }],
    },
  });
});

test("another status than expected is reported with the reason that the answer gives", async () => {
  const failure = await failureOf("  - { call: GET /counters, as: null, expect: { status: 200 } }\n");
  expect(failure.message).toMatch(
    /^status: expected 200, found 401\. call GET \/counters was answered with 401: ./,
  );
});

test("a missing webhook is explained by the object that it names, or that the last step was about", async () => {
  const steps = `
  - { call: POST /counters, body: { name: gym }, save: gym }
  - { call: POST /counters, body: { name: pool }, save: pool }
  - { advance: PT1S }
`;
  const named = await failureOf(
    `${steps}  - expect: { webhooks: [{ event: ORDER-PAYIN.ERROR, data: { id: "\${gym.id}" } }] }\n`,
  );
  expect(named.why?.objectId).toBe("gym-1");
  const unnamed = await failureOf(`${steps}  - expect: { webhooks: [{ event: ORDER-PAYIN.ERROR }] }\n`);
  expect(unnamed.why?.objectId).toBe("pool-2");
});

test("the steps after a failed one are not run", async () => {
  const { result } = await run("  - call: GET /counters/none\n  - { call: POST /counters, body: {} }\n");
  expect(result.steps.map(({ status }) => status)).toEqual(["failed", "skipped"]);
});

test("an answer of 4xx fails a step without an expectation, with the message of the answer", async () => {
  expect(await failureOf("  - { act: order.pay, on: nobody }\n")).toMatchObject({
    message: "act order.pay was answered with 409: Illegal act; id: there is no such counter.",
  });
  const { result } = await run("  - { act: order.pay, on: nobody, expect: { status: 409 } }\n");
  expect(result.status).toBe("passed");
});

test("an answer that never comes has the status null", async () => {
  expect(await failureOf("  - call: POST /hang-up\n")).toMatchObject({
    message: "call POST /hang-up got no answer: socket hang up.",
  });
  expect((await run("  - { call: POST /hang-up, expect: { status: null } }\n")).result.status).toBe("passed");
});

test("a value that is missing in the saved answer fails the step and lists the existing fields", async () => {
  const failure = await failureOf(`
  - { call: POST /counters, body: {}, save: c }
  - { call: "GET /counters/\${c.uid}" }
`);
  expect(failure.message).toBe("`${c.uid}` has no value: `c` has no `uid`. Did you mean `id`?");
});

test("webhooks are those since the last check, and an empty list expects none", async () => {
  const { result } = await run(`
  - { call: POST /counters, body: {}, expect: { webhooks: [{ event: SUBSCRIPTION.ACCEPTED }] } }
  - expect: { webhooks: [] }
  - { call: POST /counters, body: {} }
  - expect: { webhooks: { $length: 1 } }
`);
  expect(result.failure).toBeUndefined();
  expect(await failureOf("  - { call: POST /counters, body: {}, expect: { webhooks: [] } }\n")).toMatchObject(
    {
      differences: [{ path: "webhooks", expected: [] }],
    },
  );
});

test("the receiver answers as scripted", async () => {
  const { result } = await run(`
  - receiver: { answers: [500, timeout] }
  - { call: POST /counters, body: {} }
  - { call: POST /counters, body: {} }
  - { call: POST /counters, body: {} }
  - expect: { deliveries: [{ attempts: [{ status: 500 }] }, { attempts: [{ status: null }] }, { status: delivered }] }
`);
  expect(result.failure).toBeUndefined();
});

test("a scenario that scripts the receiver is skipped where webhooks go to the partner", async () => {
  const result = await runScenario(scenarioOf("  - receiver: { answers: [500] }\n"), {
    openWorld: (options) => Promise.resolve({ ...openCounterWorld(options), receiver: undefined }),
  });
  expect(result).toMatchObject({ status: "skipped", steps: [{ status: "skipped" }] });
});

test("a call is made as a company, with a token, or without one", async () => {
  const { result } = await run(`
  - { call: POST /counters, body: {}, as: globex, expect: { body: { owner: globex-token } } }
  - { call: POST /counters, body: {}, as: some-token, expect: { body: { owner: some-token } } }
  - { call: GET /counters, as: null, expect: { status: 401 } }
`);
  expect(result.failure).toBeUndefined();
});

test("the idempotency key is derived from the seed and differs for each step", async () => {
  const twice = "  - { call: createPayout, body: {} }\n  - { call: createPayout, body: {} }\n";
  const keys = async (seed: number): Promise<(string | undefined)[]> => {
    const { world } = await run(twice, "name: n\nseed: 1", seed);
    return world.requests.filter(({ path }) => path === operations.createPayout.path).map(({ key }) => key);
  };
  const [first, second] = await keys(7);
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  expect(second).not.toBe(first);
  expect(await keys(7)).toEqual([first, second]);
  expect(await keys(8)).not.toEqual([first, second]);
});

test("a key is sent as written, and none at all for null", async () => {
  const { world } = await run(
    "  - { call: createPayout, body: {}, key: k }\n  - { call: createPayout, body: {}, key: null }\n",
  );
  const sent = world.requests
    .filter(({ path }) => path === operations.createPayout.path)
    .map(({ key }) => key);
  expect(sent).toEqual(["k", undefined]);
});

test("a query, a form and a string are sent as the platform API requires", async () => {
  const { result, world } = await run(`
  - call: GET /counters
    query: { limit: 2, status: [A, B C] }
    expect: { body: { query: { limit: ["2"], status: [A, B C] } } }
  - call: issueToken
    body: { client_id: acme, scope: "a b" }
    expect: { body: { access_token: acme } }
  - { call: POST /oauth2/v2.0/token, headers: { content-type: text/plain }, body: "{broken" }
`);
  expect(result.failure).toBeUndefined();
  expect(
    world.requests.filter(({ path }) => path === operations.issueToken.path).map(({ body }) => body),
  ).toEqual(["client_id=acme&scope=a+b", "{broken"]);
});

test("dates follow the clock of the world", async () => {
  const { result } = await run(
    `
  - { call: POST /counters, body: { name: "\${today + P1D}" }, expect: { body: { id: 2026-11-21-1 } } }
  - { advance: PT60S, expect: { body: { to: "\${now}" } } }
`,
    'name: n\nstart: "2026-11-20T23:59:30-03:00"',
  );
  expect(result.failure).toBeUndefined();
  const { result: after } = await run(
    '  - advance: PT60S\n  - { call: POST /counters, body: { name: "${today}" }, expect: { body: { id: 2026-11-21-1 } } }\n',
    'name: n\nstart: "2026-11-20T23:59:30-03:00"',
  );
  expect(after.failure).toBeUndefined();
});

test("an advance that a limit stops fails the scenario", async () => {
  expect((await failureOf("  - advance: { until: idle }\n")).message).toContain('at the limit "timers"');
});

test("a state returns its values", async () => {
  const { result } = await run(
    '  - { call: POST /counters, body: {}, save: c }\nreturns: { id: "${c.id}", kind: counter }\n',
    "state: a counter",
  );
  expect(result.returns).toEqual({ id: "x-1", kind: "counter" });
});

test("a world that does not open fails the scenario, with the reason", async () => {
  const result = await runScenario(scenarioOf("  - call: GET /counters\n"), {
    openWorld: () =>
      Promise.reject(new Error("Failed to reach http://localhost:1: refused. Start a server there.")),
  });
  expect(result).toMatchObject({
    status: "failed",
    failure: { step: 0, message: expect.stringContaining("Failed to reach") as string },
  });
});

test("scenarios run concurrently and are reported in their order", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const opened: string[] = [];
  const reported: string[] = [];
  const gates = new Map(names.map((name) => [name, Promise.withResolvers<void>()]));
  const running = runScenarios(
    names.map((name) => ({ ...scenarioOf("  - call: GET /counters\n    as: x\n"), name, fixtures: name })),
    {
      concurrency: 2,
      onResult: ({ name }) => reported.push(name),
      openWorld: async (options) => {
        const name = options.fixtures as string;
        opened.push(name);
        await gates.get(name)?.promise;
        return openCounterWorld(options);
      },
    },
  );
  expect(opened).toEqual(["a", "b"]);
  for (const name of ["b", "c", "d", "e", "a"]) gates.get(name)?.resolve();
  const results = await running;
  expect(results.map(({ name }) => name)).toEqual(names);
  expect(reported).toEqual(names);
});

test("a long advance shows the time of the world until it ends", async () => {
  const shown: (string | undefined)[] = [];
  const looked = Promise.withResolvers<void>();
  const openWorld: OpenWorld = async (options) => {
    const world = openCounterWorld(options);
    const fetch: CounterWorld["fetch"] = async (path, init) => {
      if (init?.body === JSON.stringify({ by: "P1D" })) await looked.promise;
      return world.fetch(path, init);
    };
    return { ...world, fetch, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  };
  const pauses: number[] = [];
  const pause = async (ms: number): Promise<void> => {
    pauses.push(ms);
    if (pauses.length > 2) looked.resolve();
    await turns();
  };
  const result = await runScenario(scenarioOf("  - advance: P1D"), {
    openWorld,
    wall: { ...systemWall, pause },
    onAdvance: (_, now) => shown.push(now),
  });
  expect(result.status).toBe("passed");
  expect(shown.slice(0, 2)).toEqual(["2026-11-20T12:00:00.000Z", "2026-11-20T12:00:00.000Z"]);
  expect(shown.at(-1)).toBe(undefined);
  expect(new Set(pauses)).toEqual(new Set([1_000]));
});

test("a world stays open until its last step has ended", async () => {
  const isClosed: boolean[] = [];
  const openWorld: OpenWorld = async (options) => {
    const world = openCounterWorld(options);
    const fetch: CounterWorld["fetch"] = (path, init) => {
      isClosed.push(world.disposed);
      return world.fetch(path, init);
    };
    return { ...world, fetch, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  };
  await runScenario(scenarioOf("  - call: GET /counters"), { openWorld });
  expect(isClosed).toEqual([false, false]);
});

test("an interruption ends a scenario, closes its world and skips the others", async () => {
  const controller = new AbortController();
  const worlds: CounterWorld[] = [];
  const openWorld: OpenWorld = async (options) => {
    const world = openCounterWorld(options);
    worlds.push(world);
    const fetch: CounterWorld["fetch"] = (path, init) => {
      if (init?.body !== JSON.stringify({ by: "P1D" })) return world.fetch(path, init);
      controller.abort();
      return Promise.withResolvers<Response>().promise;
    };
    return { ...world, fetch, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  };
  const quick = scenarioOf("  - call: GET /counters");
  const endless = scenarioOf("  - advance: P1D");
  const { signal } = controller;
  const results = await runScenarios([quick, endless, quick], { openWorld, signal, concurrency: 1 });
  expect(results.map(({ status, skipped }) => [status, skipped])).toEqual([
    ["passed", undefined],
    ["skipped", "The run was interrupted."],
    ["skipped", "The run was interrupted."],
  ]);
  expect(worlds.map(({ disposed }) => disposed)).toEqual([true, true]);
});
