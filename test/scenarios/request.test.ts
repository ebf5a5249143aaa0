import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import { openSandbox } from "../../src/library/sandbox.ts";
import { type IncomingMessage, createServer } from "node:http";
import { type ScenarioResult, failureLines } from "../../src/scenarios/result.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { type ScenarioWorld, localWorlds } from "../../src/scenarios/world.ts";
import { once } from "node:events";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";

/** The partner's system: it stores members, and what webhooks say about them. */
let members: { [name: string]: { state: string } } = {};
const seen: { method: string | undefined; type: string | undefined; body: string }[] = [];

const server = createServer((request, response) => {
  void (async () => {
    const body = await bodyOf(request);
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (request.url === "/webhooks") {
      const { data } = JSON.parse(body) as { data: { externalId: string } };
      members[data.externalId] = { state: "active" };
      return answer(200, {});
    }
    if (request.url === "/slow") return;
    if (request.url === "/endless") {
      const piece = Buffer.alloc(1 << 20, 32);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      more();
      return void response.on("drain", more);
    }
    if (request.url === "/moved") return void response.writeHead(302, { location: "/members" }).end();
    if (request.url === "/text") return void response.end("plain");
    if (request.method === "GET") return answer(200, members);
    seen.push({ method: request.method, type: request.headers["content-type"], body });
    const { name } = JSON.parse(body) as { name?: string };
    return name === undefined ? answer(400, { message: "A name is missing." }) : answer(201, { id: 7, name });
  })();
});
let base = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  members = {};
  seen.length = 0;
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function run(text: string, run?: string, receiver = `${base}/webhooks`): Promise<ScenarioResult> {
  const { scenarios, mistakes } = parseScenario(text, "a.yaml", scenarioContext());
  expect(mistakes.map(formatMistake)).toEqual([]);
  return runScenario(scenarios[0]!, {
    openWorld: localWorlds(openSandbox, { webhookUrl: receiver }),
    ...(run !== undefined && { run }),
  });
}

function linesOf({ failure }: ScenarioResult): string {
  return failure === undefined ? "" : failureLines({ ...failure, before: [] }).join("\n");
}

test("a request goes to the partner's system, and its answer is saved and checked", async () => {
  const result = await run(`name: n
steps:
  - request: POST ${base}/members
    headers: { x-test: 1 }
    body: { name: "Dora \${run}" }
    save: member
    expect: { status: 201, body: { name: Dora r1 } }
  - request: POST ${base}/members
    body: { name: "\${member.id}" }
    expect: { status: 201, body: { name: 7 } }
`);
  expect(linesOf(result)).toBe("");
  expect(seen[0]).toEqual({ method: "POST", type: "application/json", body: '{"name":"Dora r1"}' });
});

test("${run} is r1 unless the run has another name", async () => {
  const text = `name: n\nsteps:\n  - request: POST ${base}/members\n    body: { name: "\${run}" }\n    expect: { body: { name: r4 } }\n`;
  expect((await run(text, "r4")).status).toBe("passed");
  expect((await run(text)).status).toBe("failed");
});

test("an answer of 400 and more fails the step where no status is expected", async () => {
  const step = `  - request: POST ${base}/members\n    body: {}\n`;
  expect(linesOf(await run(`name: n\nsteps:\n${step}`))).toContain(
    `request POST ${base}/members was answered with 400: A name is missing.`,
  );
  const expecting = (expected: string): Promise<ScenarioResult> =>
    run(`name: n\nsteps:\n${step}    expect: ${expected}\n`);
  expect((await expecting("{ status: 400 }")).status).toBe("passed");
  for (const expected of [
    "{ body: { message: A name is missing. } }",
    "{ headers: { content-type: application/json } }",
  ])
    expect(linesOf(await expecting(expected))).toContain("was answered with 400: A name is missing.");
});

test("a refused connection, and an answer that does not come in time, fail the step", async () => {
  const refused = await run(
    `name: n\nsteps:\n  - request: GET http://127.0.0.1:1/\n    expect: { status: 200 }\n`,
  );
  expect(linesOf(refused)).toContain("got no answer: connect ECONNREFUSED 127.0.0.1:1");
  const slow = await run(`name: n\nsteps:\n  - request: GET ${base}/slow\n    timeout: PT0.05S\n`);
  expect(linesOf(slow)).toContain("got no answer: none came within 50 ms");
});

test("an answer without end fails the step at its limit", async () => {
  const endless = await run(`name: n\nsteps:\n  - request: GET ${base}/endless\n`);
  expect(linesOf(endless)).toContain("the body of the answer is longer than 16777216 bytes");
  const probed = await run(`name: n\nsteps: []\nprobe: { url: "${base}/endless", state: {} }\n`);
  expect(linesOf(probed)).toContain("the body of the answer is longer than 16777216 bytes");
});

test("a redirect is an answer and is not followed", async () => {
  const text = `name: n\nsteps:\n  - request: GET ${base}/moved\n    expect: { status: 302, headers: { location: /members } }\n`;
  expect(linesOf(await run(text))).toBe("");
});

const LIFE = `steps:
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: "gym-\${run}" }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
`;

test("the state of a probe is checked after the last step, with expressions in values and keys", async () => {
  const probe = (state: string): string => `name: n
probe:
  url: ${base}/members
  settle: PT0.02S
  state: { "gym-\${run}": { state: ${state} } }
${LIFE}`;
  expect(linesOf(await run(probe("active")))).toBe("");
  members = {};
  const failed = await run(probe("waiting"));
  expect(failed.failure).toMatchObject({ step: 3, title: "probe", line: 3 });
  expect(failed.failure?.differences).toEqual([
    { path: 'probe["gym-r1"].state', expected: "waiting", actual: "active" },
  ]);
});

test("the state of a probe is the whole state, without what is ignored", async () => {
  members["gym-old"] = { state: "gone" };
  const probe = `name: n\nprobe:\n  url: ${base}/members\n  settle: PT0.02S\n  state: { gym-r1: { state: active } }\n`;
  expect((await run(probe + LIFE)).failure?.differences).toEqual([
    { path: 'probe["gym-old"]', expected: undefined, actual: { state: "gone" } },
  ]);
  const ignoring = probe.replace("state: {", `ignore: ["$['gym-old']"]\n  state: {`);
  expect(linesOf(await run(ignoring + LIFE))).toBe("");
});

test("a probe names events and objects of the world", async () => {
  const text = `name: n
probe:
  url: ${base}/members
  settle: PT0.02S
  state: { "\${world.events.1.data.externalId}": { state: "active" } }
${LIFE}`;
  expect(linesOf(await run(text))).toBe("");
});

test("a probe that is no JSON, or is not there, fails with what was found", async () => {
  const probe = (path: string): string =>
    `name: n\nprobe: { url: "${base}${path}", settle: PT0.02S, state: {} }\n${LIFE}`;
  expect(linesOf(await run(probe("/text")))).toContain("the answer is not JSON");
  expect(linesOf(await run(probe("/moved")))).toContain("it was answered with 302");
});

test("a state cannot be checked where the built-in receiver got the webhooks", async () => {
  const { scenarios } = parseScenario(
    `name: n\nprobe: { url: "${base}/members", state: {} }\n${LIFE}`,
    "a.yaml",
    scenarioContext(),
  );
  const result = await runScenario(scenarios[0]!, { openWorld: localWorlds(openSandbox) });
  expect(linesOf(result)).toContain("Name your receiver with --receiver");
});

test.each([
  ["steps:\n  - request: members\n", "3:14: `request` must be a method and a URL"],
  ["steps:\n  - request: GET http://127.0.0.1/\n    body: {}\n", "is a GET, which has no body."],
  [
    "steps:\n  - request: GET http://127.0.0.1/\n    timeout: PT1H\n",
    "must be ten minutes at most; found PT1H.",
  ],
  ["probe: { url: members }\nsteps: []\n", "`members` is not a URL."],
  ['probe: { url: "http://127.0.0.1/", ignore: [seenAt] }\nsteps: []\n', "`seenAt` is not a JSONPath"],
  ["probe: { state: {} }\nsteps: []\n", "`state` needs `url`"],
  ['probe: { url: "http://127.0.0.1/${nobody.id}" }\nsteps: []\n', "Nothing is saved as `nobody`"],
  ["steps:\n  - call: listAccounts\n    save: run\n", "`run` cannot be a name for a saved answer"],
])("a wrong request or probe is a mistake of the file: %j", (text, message) => {
  const { mistakes } = parseScenario(`name: n\n${text}`, "a.yaml", scenarioContext());
  expect(mistakes.map(formatMistake).join("\n")).toContain(message);
});

test("a scenario that was posted to a server sends no requests", () => {
  const text = `name: n\nprobe: { url: "http://127.0.0.1/" }\nsteps:\n  - request: GET http://127.0.0.1/\n`;
  const { mistakes } = parseScenario(text, "a.yaml", { ...scenarioContext(), isPosted: true });
  expect(mistakes.map(({ line, message }) => [line, message.slice(0, 33)])).toEqual([
    [2, "A posted scenario cannot send req"],
    [4, "A posted scenario cannot send req"],
  ]);
});

test("a request waits until the partner's system runs, also a request that is sent once more", async () => {
  const { scenarios } = parseScenario(
    `name: twice\nsteps: [{ request: "POST ${base}/members", body: { name: Ana } }]`,
    "a.yaml",
    scenarioContext(),
  );
  const isAnswered = Promise.withResolvers<void>();
  const seenBefore: number[] = [];
  const partner: ScenarioWorld["partner"] = {
    ready: async () => {
      const isFirst = seenBefore.push(seen.length) === 1;
      if (isFirst) return;
      await isAnswered.promise;
      seenBefore.push(seen.length);
    },
    answered: async () => isAnswered.resolve(),
    alsoSent: (send) => send(),
  };
  const openWorld = localWorlds(openSandbox);
  const { status } = await runScenario(scenarios[0]!, {
    openWorld: async (options) => ({ ...(await openWorld(options)), partner }),
  });
  expect(status).toBe("passed");
  expect([...seenBefore, seen.length]).toEqual([0, 0, 1, 2]);
});
