import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Fails if sandbank needs more processor time than when `cost.json` was written. It measures an import of the built
 * package with a first sandbox and a first answer, further sandboxes, forks, requests, and runs of scenarios. Each
 * figure is divided by the figure of a loop in the same run that only Node executes. So it means the same on every
 * machine. Other programs slow the memory down for a moment, the loop more than a schedule. So each figure is that
 * of the cheapest of many short slices.
 *
 * node cost.ts          compares, and ends with 1 if a figure has grown by more than a third
 * node cost.ts --write  writes the figures of this run to cost.json
 */
/** One measurement in a process has this many slices. */
const SLICES = 16;
const SCHEDULES_PER_SLICE = 15;
const ROUNDS = 5;
/** Further rounds if a figure is too large: a busy machine needs longer to show its smallest figure. */
const MORE_ROUNDS = 10;
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

/** The measurements, each in a separate process, in milliseconds of processor time. */
const MEASURES: Readonly<Record<string, () => Promise<number>>> = {
  /** The cost of a test file before its first assertion. */
  "import, first sandbox and first answer": () =>
    spent(async () => {
      const sandbox = await (await library()).createSandbox({ start });
      await (await sandbox.fetch("/order/v1/banking/accounts", { headers })).text();
    }),
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
    return (await leastOf(async () => void (await tried(SCHEDULES_PER_SLICE)))) / SCHEDULES_PER_SLICE;
  },
  calibration: () => {
    calibrate(100);
    return leastOf(async () => calibrate(25));
  },
};

/** Prints the processor time of a process when it ends. */
const REPORT = `process.on("exit", () => { const { user, system } = process.cpuUsage(); process.stderr.write("\\n" + (user + system)); });`;

/** Measured as commands, without the start of Node itself. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "run of the scenarios of webhooks": ["dist/cli/main.js", "run", "scenarios/webhooks"],
  "start of the command line": ["dist/cli/main.js", "--version"],
};

if (mode === "--measure") {
  process.stdout.write(String(await MEASURES[name]?.()));
  process.exit(0);
}
const least: Record<string, number> = {};
const known = JSON.parse(mode === "--write" ? "{}" : readFileSync(file, "utf8")) as Record<string, number>;
for (let round = 0; round < ROUNDS; round++) measure();
if (mode === "--write") for (let round = 0; round < MORE_ROUNDS; round++) measure();
let tooLarge = grown();
for (let round = 0; round < MORE_ROUNDS && tooLarge.length > 0; round++) {
  measure();
  tooLarge = grown();
}
const ratios = ratiosOf(least);
for (const [what, ratio] of Object.entries(ratios)) {
  const change = known[what] === undefined ? "" : `${Math.round((ratio / known[what] - 1) * 100)} %`;
  const ms = (least[what] ?? 0).toFixed(2);
  process.stdout.write(
    `${what.padEnd(40)}${ms.padStart(9)} ms${String(ratio).padStart(9)}${change.padStart(8)}\n`,
  );
}
if (mode === "--write") writeFileSync(file, `${JSON.stringify(ratios, null, 2)}\n`);
for (const what of tooLarge)
  process.stderr.write(
    `Failed the check of costs: "${what}" takes ${ratios[what]} times the calibration, and took ${known[what]}. Make it cheaper, or write the new figures with node bench/cost.ts --write and say why.\n`,
  );
process.exitCode = tooLarge.length > 0 ? 1 : 0;

/** Measures everything once, so that a disturbance of the machine affects all figures. */
function measure(): void {
  for (const what of Object.keys(MEASURES)) {
    const args = [fileURLToPath(import.meta.url), "--measure", what];
    note(what, Number(execFileSync(process.execPath, args, { cwd: root })));
  }
  const empty = commandMs(["--eval", ""]);
  for (const [what, args] of Object.entries(COMMANDS)) note(what, commandMs(args) - empty);
}

function note(what: string, ms: number): void {
  if (!(ms > 0)) throw new Error(`Failed to measure: ${what} took ${ms} ms.`);
  least[what] = Math.min(least[what] ?? Infinity, ms);
}

function ratiosOf({ calibration = 1, ...others }: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(others).map(([what, ms]) => [what, Number((ms / calibration).toPrecision(3))]),
  );
}

function grown(): string[] {
  return Object.entries(ratiosOf(least)).flatMap(([what, ratio]) =>
    ratio > (known[what] ?? Infinity) * GROWTH_MAX ? [what] : [],
  );
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

/** Returns the milliseconds of one execution in a slice of `count`, after `warmUp` executions that do not count. */
async function each(
  count: number,
  work: (number: number) => Promise<unknown>,
  warmUp: number,
): Promise<number> {
  let number = 0;
  for (; number < warmUp; number++) await work(number);
  const slice = async (): Promise<void> => {
    for (const end = number + count; number < end; number++) await work(number);
  };
  return (await leastOf(slice)) / count;
}

/** Returns the milliseconds of the cheapest slice. */
async function leastOf(slice: () => Promise<unknown>): Promise<number> {
  let leastMs = Infinity;
  for (let count = 0; count < SLICES; count++) leastMs = Math.min(leastMs, await spent(slice));
  return leastMs;
}

async function spent(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Does the most frequent work of the sandbox with Node alone: maps, small objects, strings and JSON. */
function calibrate(rounds: number): number {
  let characters = 0;
  for (let round = 0; round < rounds; round++) {
    const records = new Map<string, object>();
    for (let number = 0; number < 1_000; number++)
      records.set(`record-${number}`, { id: `record-${number}`, round, list: [number, String(number)] });
    for (const record of records.values())
      characters += Object.keys(JSON.parse(JSON.stringify(record)) as object).length;
  }
  return characters;
}
