import { createHmac } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Fails if sandbank needs more processor time than when `cost.json` was written. It measures an import of the built
 * package with a first sandbox and a first answer, further sandboxes, forks, requests, and runs of scenarios. Each
 * figure is a ratio to work of Node and its packages that is measured in turn with it, so it means the same on every
 * machine. Other programs change the speed of a machine from moment to moment. So a slice of warm work is divided by
 * the slice of requests before it in the same process, and a start of a process by the start before it. The figure is
 * the median of the slices in a process, and the median of several processes.
 *
 * node cost.ts          compares, and ends with 1 if a figure has grown by more than a third
 * node cost.ts --write  writes the figures of this run to cost.json
 */
/** One measurement in a process has this many slices. */
const SLICES = 16;
const SCHEDULES_PER_SLICE = 15;
/** The requests of Node in a slice. They take about as long as a slice of sandbank. */
const NODE_REQUESTS = 1_000;
const ROUNDS = 3;
/** Further rounds if a figure is too large, or to write the figures. */
const MORE_ROUNDS = 6;
const GROWTH_MAX = 4 / 3;

const root = fileURLToPath(new URL("../", import.meta.url));
const file = new URL("cost.json", import.meta.url);
const [, , mode = "", name = ""] = process.argv;

const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const headers = { authorization: "Bearer acme-token" };
const start = "2026-11-20T09:00:00-03:00";

/** A subscription that is accepted, charged, paid and asked to be canceled. */
const FIVE_EVENTS = {
  name: "five events",
  start,
  assumptions: { "autopilot.cancellation.answer": "manual" },
  steps: [
    {
      call: "createSubscription",
      body: { $use: "subscription.monthly", externalId: "gym-${run}" },
      save: "subscription",
    },
    { act: "subscription.accept", on: "${subscription.id}" },
    {
      call: "createScheduledPayment",
      path: { id: "${subscription.id}" },
      body: { $use: "charge.first", externalId: "charge-${run}" },
    },
    { advance: "P6D" },
    {
      act: "subscription.request-cancellation",
      on: "${subscription.id}",
      with: { reason: "REQUESTED_BY_PAYER" },
    },
  ],
};

type Library = typeof import("../src/index.ts");
type Sandbox = Awaited<ReturnType<Library["createSandbox"]>>;

/** Milliseconds of processor time, and their ratio to the work of Node. */
interface Figure {
  readonly ms: number;
  readonly ratio: number;
}

/** The measurements of warm work, each in a separate process. */
const MEASURES: Readonly<Record<string, () => Promise<Figure>>> = {
  "further sandbox": async () => {
    const { createSandbox } = await library();
    return each(20, () => createSandbox({ start }), 20);
  },
  "fork of 2000 objects": async () => {
    const sandbox = await (await library()).createSandbox({ start });
    for (let number = 0; number < 2_000; number++) await create(sandbox, number);
    return each(40, () => sandbox.fork(), 5);
  },
  "GET subscription": async () => {
    const sandbox = await (await library()).createSandbox({ start });
    const { id } = (await (await create(sandbox, 0)).json()) as { id: string };
    const path = `${SUBSCRIPTIONS}/${id}`;
    return each(300, async () => (await sandbox.fetch(path, { headers })).text(), 1_000);
  },
  "POST subscription": async () => {
    const sandbox = await (await library()).createSandbox({ start });
    return each(100, async (number) => (await create(sandbox, number)).text(), 500);
  },
  /** The schedules have five events. The receiver is in this process and does nothing. */
  "explored schedule": async () => {
    const { explore } = await library();
    const receiver = (): Response => new Response('{"returnCode":"OK"}');
    const tried = (budget: number) =>
      explore({ scenario: FIVE_EVENTS, receiver, probe: () => ({ state: "the same" }), budget });
    await tried(30);
    return slices(SCHEDULES_PER_SLICE, async () => void (await tried(SCHEDULES_PER_SLICE)));
  },
};

/** Prints the processor time of a process when it ends. */
const REPORT = `process.on("exit", () => { const { user, system } = process.cpuUsage(); process.stderr.write("\\n" + (user + system)); });`;

const FIRST_ANSWER = `
  const { createSandbox } = await import("./dist/index.js");
  const sandbox = await createSandbox({ start: "${start}" });
  await (await sandbox.fetch("/order/v1/banking/accounts", { headers: { authorization: "Bearer acme-token" } })).text();
`;

/** Measured as processes, without the start of Node itself. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  /** The cost of a test file before its first assertion. */
  "import, first sandbox and first answer": ["--input-type=module", "--eval", FIRST_ANSWER],
  "run of the scenarios of webhooks": ["dist/cli/main.js", "run", "scenarios/webhooks"],
  "start of the command line": ["dist/cli/main.js", "--version"],
};

/** Imports packages of others. */
const NODE_IMPORTS = ["--input-type=module", "--eval", 'await import("undici"); await import("yaml");'];

if (mode === "--measure") {
  process.stdout.write(JSON.stringify(await MEASURES[name]?.()));
  process.exit(0);
}
const measured = new Map<string, Figure[]>();
const known = JSON.parse(mode === "--write" ? "{}" : readFileSync(file, "utf8")) as Record<string, number>;
for (let round = 0; round < ROUNDS; round++) measure();
if (mode === "--write") for (let round = 0; round < MORE_ROUNDS; round++) measure();
let tooLarge = grown();
for (let round = 0; round < MORE_ROUNDS && tooLarge.length > 0; round++) {
  measure(tooLarge);
  tooLarge = grown();
}
const usual = new Map(Array.from(measured, ([what, figures]) => [what, medianOf(figures)]));
for (const [what, { ms, ratio }] of usual) {
  const change = known[what] === undefined ? "" : `${Math.round((ratio / known[what] - 1) * 100)} %`;
  process.stdout.write(
    `${what.padEnd(40)}${ms.toFixed(2).padStart(9)} ms${String(ratio).padStart(9)}${change.padStart(8)}\n`,
  );
}
if (mode === "--write") {
  const ratios = Object.fromEntries(Array.from(usual, ([what, { ratio }]) => [what, ratio]));
  writeFileSync(file, `${JSON.stringify(ratios, null, 2)}\n`);
}
for (const what of tooLarge)
  process.stderr.write(
    `Failed the check of costs: "${what}" takes ${usual.get(what)?.ratio} times the work of Node, and took ${known[what]}. Make it cheaper, or write the new figures with node bench/cost.ts --write and say why.\n`,
  );
process.exitCode = tooLarge.length > 0 ? 1 : 0;

/** Measures each of these once. */
function measure(names: readonly string[] = [...Object.keys(COMMANDS), ...Object.keys(MEASURES)]): void {
  for (const what of names) {
    const command = COMMANDS[what];
    if (command === undefined) {
      const args = [fileURLToPath(import.meta.url), "--measure", what];
      note(what, JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" })) as Figure);
    } else {
      const empty = commandMs(["--eval", ""]);
      const imports = commandMs(NODE_IMPORTS) - empty;
      const ms = commandMs(command) - empty;
      note(what, { ms, ratio: Number((ms / imports).toPrecision(3)) });
    }
  }
}

function note(what: string, figure: Figure): void {
  if (!(figure.ratio > 0)) throw new Error(`Failed to measure: ${what} took ${figure.ms} ms.`);
  measured.set(what, [...(measured.get(what) ?? []), figure]);
}

function grown(): string[] {
  return Array.from(measured, ([what, figures]) =>
    medianOf(figures).ratio > (known[what] ?? Infinity) * GROWTH_MAX ? [what] : [],
  ).flat();
}

function commandMs(args: readonly string[]): number {
  const hook = ["--import", `data:text/javascript,${encodeURIComponent(REPORT)}`];
  const { status, stderr } = spawnSync(process.execPath, [...hook, ...args], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`Failed to measure: ${args.join(" ")} ended with ${status}.\n${stderr}`);
  return Number(stderr.trim().split("\n").at(-1)) / 1_000;
}

function library(): Promise<Library> {
  return import(new URL("dist/index.js", `file://${root}`).href) as Promise<Library>;
}

function create(sandbox: Sandbox, number: number): Promise<Response> {
  const body = JSON.stringify({
    accountId: "11111111-1111-4111-8111-111111111111",
    type: "AUTHORIZATION_QRCODE",
    externalId: `subscription-${number}`,
    webhookUrl: "http://127.0.0.1:9/webhooks",
    frequencyType: "MONTHLY",
    startDate: "2026-11-20",
    debtor: { name: "Dora Devedora", document: { type: "CPF", number: "52998224725" } },
  });
  return sandbox.fetch(SUBSCRIPTIONS, { method: "POST", headers, body });
}

/** Measures executions in slices of `count`, after `warmUp` executions that do not count. */
async function each(
  count: number,
  work: (number: number) => Promise<unknown>,
  warmUp: number,
): Promise<Figure> {
  let number = 0;
  for (; number < warmUp; number++) await work(number);
  return slices(count, async () => {
    for (const end = number + count; number < end; number++) await work(number);
  });
}

/** Measures slices of `count` executions and slices of requests of Node in turn. Returns the median for one execution. */
async function slices(count: number, slice: () => Promise<void>): Promise<Figure> {
  await askNode();
  const all: Figure[] = [];
  for (let round = 0; round < SLICES; round++) {
    const node = (await spent(askNode)) / NODE_REQUESTS;
    const ms = (await spent(slice)) / count;
    all.push({ ms, ratio: Number((ms / node).toPrecision(3)) });
  }
  return medianOf(all);
}

function medianOf(figures: readonly Figure[]): Figure {
  const sorted = figures.toSorted((one, other) => one.ratio - other.ratio);
  return sorted[Math.floor(sorted.length / 2)]!;
}

async function spent(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Does the most frequent work of the sandbox with Node alone: requests, JSON, maps, digests and answers. */
async function askNode(): Promise<void> {
  const records = new Map<string, object>();
  for (let number = 0; number < NODE_REQUESTS; number++) {
    const sent = {
      id: `record-${number}`,
      amounts: [number, String(number)],
      owner: { name: "Dora Devedora" },
    };
    const init = {
      method: "POST",
      headers: { ...headers, "x-number": String(number) },
      body: JSON.stringify(sent),
    };
    const request = new Request("http://127.0.0.1/records", init);
    const record = JSON.parse(await request.text()) as typeof sent;
    const digest = createHmac("sha256", request.headers.get("authorization") ?? "")
      .update(record.id)
      .digest("hex");
    records.set(record.id, { ...record, digest });
    await new Response(JSON.stringify(records.get(record.id)), { status: 201, headers: init.headers }).text();
  }
}
