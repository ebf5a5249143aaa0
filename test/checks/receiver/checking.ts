import { SpentTime } from "../../../src/base/spent-time.ts";
import { Bench } from "../../../src/checks/receiver/bench.ts";
import { type CheckResult, catalogue, runChecks } from "../../../src/checks/receiver/run-checks.ts";
import { localClient } from "../../../src/server/control/local-client.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { observeCalls } from "../../../src/checks/receiver/observed-calls.ts";
import { EventSource } from "../../../src/checks/receiver/event-source.ts";
import { Probe } from "../../../src/checks/receiver/probe.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { type Bugs, SECRET, buggyHandler, buggyReceiver } from "../../partners/buggy-receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { defined } from "../../../src/simulator/engine/json.ts";
import { endpointHere, networkEndpoint } from "../../../src/checks/receiver/endpoint.ts";
import { Machine } from "../../partners/machine.ts";
import { readProbe } from "../../../src/partner/partner-state.ts";
import { systemWall } from "../../../src/base/wall.ts";

export const TIMEOUT_MS = 120_000;

/** All but the slow body, which takes seconds of real time and has its own test. */
export const ids = catalogue.map(({ id }) => id).filter((id) => id !== "X2");

/**
 * Without the checks that deliver dozens of events to compare states, most of the cost: duplicates and orders. They
 * are made for a good receiver, for one that accepts everything, and for each one whose bug they are about.
 */
export const cheap = ids.filter((id) => !/^[IE]\d/.test(id));

/** The checks that count the effects of events. */
export const EFFECTS = ["S13", "I1", "I2", "I3", "I5"];

interface Setting {
  readonly only?: readonly string[];
  readonly sees?: "status" | "probe" | "calls";
  readonly timeoutMs?: number;
  readonly requestsMax?: number;
  /** What the integration is about; default: everything. */
  readonly capabilities?: readonly string[];
  readonly isKilled?: boolean;
  readonly nextSecret?: string;
  readonly retiredSecret?: string;
}

async function openSource() {
  const sandbox = await createSandbox({
    seed: 7,
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: "http://receiver.example/webhooks",
    transport: transportTo(new ScriptedReceiver()),
  });
  const client = localClient(sandbox);
  const source = new EventSource(client, sandbox.company("acme"), 7);
  return { sandbox, source, [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose]() };
}

/** Checks a receiver of this process, without real time. */
export async function check(bugs: Bugs, setting: Setting = {}): Promise<CheckResult[]> {
  const { only = ids, sees = "probe", timeoutMs = 2_000, requestsMax = 2000 } = setting;
  const { isKilled = false, nextSecret, retiredSecret, capabilities = [] } = setting;
  await using opened = await openSource();
  using machine = new Machine(1, 7);
  const { wall } = machine;
  const url = "http://receiver.example/webhooks";
  const { receive, probe, process } = buggyHandler(bugs, (ms) => machine.sleep(ms));
  const endpoint = endpointHere({ receive, probe }, { url, timeoutMs, wall });
  const spent = new SpentTime(wall);
  const bench = new Bench({
    spent,
    wall,
    endpoint,
    url,
    secret: SECRET,
    ...defined({ nextSecret, retiredSecret }),
    source: opened.source,
    settleMs: SETTLE_MS,
    ...(sees === "probe" && {
      probe: new Probe({ wall, spent, read: endpoint.read!, settleMs: SETTLE_MS, isDefault: true }),
    }),
    timeoutMs,
    requestsMax,
    capabilities,
    ...(isKilled && { partner: process }),
    pauseMs: 0,
  });
  return await runChecks(bench, only);
}

const SETTLE_MS = 200;

/** Checks a receiver over sockets, in real time. */
export async function checkOverSockets(bugs: Bugs, setting: Setting = {}): Promise<CheckResult[]> {
  const { only = ids, sees = "probe", timeoutMs = 10_000, requestsMax = 2000 } = setting;
  await using opened = await openSource();
  await using calls = await observeCalls((await opened.sandbox.listen()).url, 0);
  await using receiver = await buggyReceiver({ ...bugs, ...(sees === "calls" && { sandboxUrl: calls.url }) });
  const wall = systemWall;
  const spent = new SpentTime(wall);
  const bench = new Bench({
    spent,
    wall,
    endpoint: networkEndpoint({ url: receiver.url, timeoutMs, wall }),
    url: receiver.url,
    secret: SECRET,
    source: opened.source,
    // A buggy receiver has done its work when it answers.
    settleMs: 0,
    ...(sees === "probe" && {
      probe: new Probe({
        spent,
        wall,
        read: () => readProbe(receiver.probeUrl, wall),
        settleMs: SETTLE_MS,
        isDefault: true,
      }),
    }),
    ...(sees === "calls" && { calls }),
    timeoutMs,
    requestsMax,
    pauseMs: 0,
  });
  return await runChecks(bench, only);
}

export function withVerdict(results: readonly CheckResult[], verdict: string): string[] {
  return results.filter((result) => result.verdict === verdict).map(({ id }) => id);
}

export const dense = (raw: Buffer): string => JSON.stringify(JSON.parse(raw.toString("utf8")));
