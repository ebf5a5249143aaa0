import { once } from "node:events";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "@modelcontextprotocol/client";
import { createSandbox } from "../../src/library/sandbox.ts";
import { buggyReceiver, SECRET } from "../partners/buggy-receiver.ts";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { operations } from "../../src/simulator/api/operations.ts";
import { acts, effects } from "../../src/scenarios/vocabulary.ts";
import { sandbankProcess } from "./command.ts";

interface Session extends AsyncDisposable {
  readonly client: Client;
  /** What a tool answers; rejects with its sentence where it failed. */
  readonly use: (name: string, input?: Record<string, unknown>) => Promise<never>;
}

async function connect(...flags: readonly string[]): Promise<Session> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["src/cli/main.ts", "mcp", ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  return {
    client,
    use: async (name, input = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      if (isError === true) throw new Error(text);
      return JSON.parse(text) as never;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

let session: Session;

beforeAll(async () => {
  session = await connect();
});

afterAll(() => session[Symbol.asyncDispose]());

test("an agent's user picks a prompt, which names only tools that there are", async () => {
  const { client } = session;
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["integrate", "debug-webhook", "write-scenario"]);
  const { tools } = await client.listTools();
  const known = new Set(tools.map(({ name }) => name));
  for (const { name, arguments: args = [] } of prompts) {
    const given = Object.fromEntries(args.map((arg) => [arg.name, `the ${arg.name}`]));
    const { messages } = await client.getPrompt({ name, arguments: given });
    const [{ content } = { content: undefined }] = messages;
    const text = content?.type === "text" ? content.text : "";
    for (const value of Object.values(given)) expect(text).toContain(value);
    const named = Array.from(
      text.matchAll(/`([a-z]+_[a-z]+|why|call|act|plan|fault|describe)`/g),
      ([, tool]) => tool,
    );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((tool) => !known.has(tool ?? ""))).toEqual([]);
  }
});

interface Answer {
  readonly status: number;
  readonly warning?: string;
  readonly body: { readonly id: string; readonly qrcodeImageBase64: string };
}

test("an agent finds the tools with the words of the platform, and where a client can call", async () => {
  const { tools } = await session.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "describe",
    "call",
    "act",
    "plan",
    "fault",
    "advance",
    "reset",
    "clock",
    "resources",
    "deliveries",
    "requests",
    "why",
    "run_scenario",
    "check_receiver",
    "explore",
  ]);
  const schemaOf = (name: string) => JSON.stringify(tools.find((tool) => tool.name === name)?.inputSchema);
  for (const operation of Object.keys(operations)) expect(schemaOf("call")).toContain(`"${operation}"`);
  for (const act of acts.keys()) expect(schemaOf("act")).toContain(`"${act}"`);
  for (const effect of effects.keys()) expect(schemaOf("fault")).toContain(`"${effect}"`);
  const instructions = session.client.getInstructions() ?? "";
  const [, url = ""] = /platform at (http:\S+)\.\n/.exec(instructions) ?? [];
  const headers = { authorization: "Bearer acme-token" };
  expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
});

test("an agent uses the platform: a subscription, a payer, a plan, a fault, time, and why it is as it is", async () => {
  const { use } = session;
  await use("reset");
  const body = { $use: "subscription.monthly", externalId: "gym-1", colour: "green" };
  const sub = (await use("call", { call: "createSubscription", body })) as Answer;
  expect(sub).toMatchObject({ status: 201, body: { status: "PENDING_AUTHORIZATION" } });
  expect(sub.warning).toContain("colour");
  expect(sub.body.qrcodeImageBase64).toMatch(/^.{100}… \(\d+ characters\)$/);
  const refused = (await use("call", { call: "createSubscription", body: {} })) as Answer;
  expect(refused.status).toBe(400);
  expect(await use("fault", { on: "webhook", effect: "duplicate", times: 1 })).toMatchObject({
    inForce: true,
  });
  expect(await use("fault", { remove: true })).toEqual({ dropped: 1 });
  expect(await use("act", { act: "subscription.accept", on: sub.body.id })).toMatchObject({
    status: "ACCEPTED",
  });
  await use("plan", { plan: "scheduled-payment.settlement", outcomes: ["SETTLEMENT_ERROR", "SETTLED"] });
  const charge = (await use("call", {
    call: "createScheduledPayment",
    path: { id: sub.body.id },
    body: { $use: "charge.first", dueDate: "${today + P5D}" },
  })) as Answer;
  expect(charge.status).toBe(200);
  const { happened } = (await use("advance", { by: "P6D" })) as { happened: readonly unknown[] };
  expect(happened.length).toBeGreaterThan(3);
  expect(await use("resources", { collection: "scheduled-payments" })).toMatchObject({
    data: [{ status: "CANCELED" }, { status: "COMPLETED" }],
  });
  expect(JSON.stringify(await use("why", { id: charge.body.id }))).toContain(
    "plan scheduled-payment.settlement",
  );
  expect(await use("deliveries", { object: sub.body.id })).toHaveProperty("data");
  expect(await use("requests", { operation: "createSubscription", status: "4xx" })).toMatchObject({
    data: [{ operationId: "createSubscription", status: 400 }],
  });
  expect(await use("clock")).toHaveProperty("now");
});

test.each<readonly [string, Record<string, unknown>, string]>([
  ["act", { act: "subscription.acept", on: "x" }, "Did you mean `subscription.accept`?"],
  ["act", { act: "subscription.accept", on: "11111111-1111-4111-8111-111111111112" }, "404: "],
  ["call", { call: "createPayout", body: { $use: "payout.pixx" } }, "There is no fixture `payout.pixx`."],
  ["fault", { on: "webhook", effect: "duplicat" }, "Did you mean `duplicate`?"],
  ["advance", { by: "tomorrow" }, "`by` must be an ISO 8601 duration such as PT5M"],
  ["fault", { on: "webhook", effect: "dup" }, "Did you mean `duplicate`?"],
  [
    "call",
    { call: "createPayout", body: { $use: "payout" } },
    "`payout` is a group of fixtures. Name one of them: `payout.",
  ],
  ["run_scenario", { name: "payouts/paid-by-kei" }, "Did you mean `payouts/paid-by-key`?"],
  ["describe", { what: "acts", name: "refund.settl" }, "Did you mean `refund.settle`?"],
  [
    "run_scenario",
    { text: "name: a\nsteps:\n  - call: listAcounts\n" },
    "scenario.yaml:3:11: There is no operation",
  ],
  ["run_scenario", {}, "Give exactly one of file, text and name."],
  ["run_scenario", { file: "no-such.yaml" }, "there is no such file"],
  ["run_scenario", { text: "name: x\nfixtures: /etc\nsteps: []\n" }, "Leave `fixtures` out"],
  ["explore", { file: "no-such.yaml", receiver: "http://127.0.0.1:9/" }, "no-such.yaml"],
  ["check_receiver", { url: "http://127.0.0.1:9/" }, "Failed to check http://127.0.0.1:9/"],
])("%s with %j fails with a sentence", async (name, input, sentence) => {
  await expect(session.use(name, input)).rejects.toThrow(sentence);
});

test("the list of requests is short, and one request is shown whole by its id", async () => {
  const { use } = session;
  await use("reset");
  await use("call", { call: "createPayout", body: {} });
  const { data, total } = (await use("requests")) as { data: { id: string }[]; total: number };
  expect(total).toBe(1);
  expect(Object.keys(data[0] ?? {})).toEqual([
    "id",
    "at",
    "method",
    "path",
    "operationId",
    "company",
    "status",
    "injected",
  ]);
  expect(await use("requests", { id: data[0]?.id })).toMatchObject({
    requestBody: "{}",
    responseBody: expect.stringContaining("INVALID_REQUEST") as string,
  });
});

test("a call of an unknown company says which companies there are", async () => {
  const { status, hint } = (await session.use("call", { call: "listAccounts", as: "nobody" })) as Answer & {
    readonly hint: string;
  };
  expect(status).toBe(401);
  expect(hint).toMatch(/^`as` names no company, so `nobody` was sent as a token\. .*`acme`/);
});

test("an agent lists the shipped scenarios, and runs one by its listed name", async () => {
  const listed = (await session.use("describe", { what: "scenarios" })) as { name: string; title: string }[];
  const found = listed.find(({ name }) => name === "payouts/paid-by-key");
  expect(found?.title).not.toBe("");
  expect(await session.use("run_scenario", { name: "payouts/paid-by-key" })).toMatchObject({ failed: 0 });
});

test("tools have no lists of types, and only the reset is destructive", async () => {
  const { tools } = await session.client.listTools();
  expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toContain('"type":[');
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint !== false);
  expect(destructive.map(({ name }) => name)).toEqual(["reset"]);
});

test("every word that describe lists can be described", async () => {
  const { tools } = await session.client.listTools();
  const properties = tools.find(({ name }) => name === "describe")?.inputSchema.properties ?? {};
  const what = properties["what"] as unknown as { enum: readonly string[] };
  expect(what.enum).toContain("operations");
  for (const kind of what.enum) {
    const [first] = (await session.use("describe", { what: kind })) as readonly (
      string | Record<string, string>
    )[];
    const name = typeof first === "string" ? first : Object.values(first ?? {})[0];
    expect(await session.use("describe", { what: kind, name })).toBeDefined();
  }
  const payout = await session.use("describe", { what: "operations", name: "createPayout" });
  expect(payout).toMatchObject({ method: "POST", requestSchema: { type: "object" } });
});

test("scenarios run, with their report as the answer", async () => {
  const text = "name: a\nsteps:\n  - call: listAccounts\n    expect: { status: 201 }\n";
  expect(await session.use("run_scenario", { text })).toMatchObject({
    failed: 1,
    scenarios: [{ failure: { message: "status: expected 201, found 200" } }],
  });
  expect(await session.use("run_scenario", { file: ACCEPTED })).toMatchObject({ passed: 1 });
});

const ACCEPTED = "scenarios/subscriptions/accepted.yaml";

test("receivers are checked, with the report as the answer", async () => {
  await using receiver = await buggyReceiver({ dedup: "none" });
  const input = { url: receiver.url, probe: receiver.probeUrl, secret: SECRET, only: ["I1"] };
  expect(await session.use("check_receiver", input)).toMatchObject({
    verdict: "failed",
    checks: [{ id: "I1", verdict: "fail" }],
  });
});

test("a receiver is explored, with the report as the answer", async () => {
  await using receiver = await buggyReceiver({ dedup: "none", secrets: [SECRET, "acme-webhook-secret"] });
  // Every run leaves its records in this receiver, so that they cannot be compared.
  const exploring = { file: ACCEPTED, receiver: receiver.url, probe: receiver.probeUrl, depth: 1 };
  expect(await session.use("explore", exploring)).toMatchObject({
    verdict: "not-tried",
    reason: expect.stringContaining("the runs are not kept apart") as string,
  });
});

test("with --target the tools act on a running sandbox, and leave its world there", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  {
    await using targeted = await connect("--target", url);
    await targeted.use("call", { call: "createPayout", body: { $use: "payout.pix" } });
  }
  const payouts = await sandbox.fetch("/sandbox/resources/payouts");
  expect(await payouts.json()).toMatchObject({ data: [{ externalId: "payout-1" }] });
});

test("a target that is not there or has no such world is refused: exit 2", async () => {
  const nowhere = await sandbankProcess("mcp", "--target", "http://127.0.0.1:9");
  expect(nowhere).toMatchObject({ code: 2, out: "" });
  expect(nowhere.err).toContain("Failed to reach http://127.0.0.1:9");
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const { code, err } = await sandbankProcess("mcp", "--target", url, "--world", "w9");
  expect({ code, err }).toEqual({
    code: 2,
    err: `There is no world "w9" at ${url}. Only default is known.\n`,
  });
});

test("requests that came before the end of standard input are answered, also without a last line break", async () => {
  const child = spawn(process.execPath, ["src/cli/main.ts", "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
  const clientInfo = { name: "test", version: "1" };
  const calls = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "advance", arguments: { by: "P400D" } } },
    { id: 3, method: "tools/call", params: { name: "clock", arguments: {} } },
  ];
  child.stdin.end(calls.map((one) => JSON.stringify({ jsonrpc: "2.0", ...one })).join("\n"));
  const [out] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const answers = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result?: object });
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
  expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  expect(child.exitCode).toBe(0);
});
