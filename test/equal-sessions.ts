import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import type { AddressInfo } from "node:net";
import { createEgress } from "../src/simulator/webhooks/egress-guard.ts";
import { openSandbox } from "../src/library/sandbox.ts";
import { assertDefined } from "../src/simulator/engine/assertion.ts";
import { localWorlds } from "../src/scenarios/world.ts";
import { networkTransport, type Transport } from "../src/simulator/webhooks/transport.ts";
import { once } from "node:events";
import { parseScenario } from "../src/scenarios/parse.ts";
import { payoutBody, subscriptionBody } from "./partner.ts";
import { runScenario } from "../src/scenarios/run.ts";
import type { Sandbox } from "../src/server/access/sandbox-interface.ts";
import { scenarioContext } from "../src/scenarios/context.ts";
import { seededChance } from "../src/simulator/engine/random.ts";
import { transportTo } from "../src/simulator/webhooks/in-process.ts";
import { turns } from "./turns.ts";

type Fault = Readonly<Record<string, unknown>>;

/** Faults that depend on the order of attempts and of their outcomes. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  none: [],
  duplicate: [{ effect: "duplicate", copies: 2, probability: 0.5 }],
  "duplicate-late": [{ effect: "duplicate-late", after: "PT5M", probability: 0.5 }],
  "duplicate-concurrent": [{ effect: "duplicate-concurrent", copies: 2, times: 3 }],
  reorder: [{ effect: "reorder", window: "PT2M", probability: 0.5 }],
  "drop-first": [{ effect: "drop-first", attempts: 2, times: 3 }],
  "bad-signature": [{ effect: "bad-signature", probability: 0.4 }],
  "reset-after-request": [{ effect: "reset-after-request", times: 4, probability: 0.6 }],
  "interleave-retry": [{ effect: "interleave-retry", times: 2 }],
  outage: [{ effect: "outage", between: ["2026-11-20T09:00:00-03:00", "2026-11-20T09:04:00-03:00"] }],
  several: [
    { effect: "duplicate", copies: 1, probability: 0.5 },
    { effect: "drop", attempt: 2, times: 2 },
    { effect: "old-secret", probability: 0.3 },
  ],
};

/** A receiver behind a transport. It answers by the bytes of the body, after some turns of the event loop. */
interface Surroundings {
  readonly webhookUrl: string;
  readonly transport: Transport;
  /** Sends the calls of the session. */
  readonly fetch: (sandbox: Sandbox) => Promise<(path: string, init: RequestInit) => Promise<Response>>;
}

type Delay = () => number;

const statusOf = (length: number): number => (length % 3 === 0 ? 500 : 200);

/** Gives each webhook to a function of this process; attempts that belong together are under way together. */
async function inProcess(delay: Delay): Promise<Surroundings> {
  const transport = transportTo({
    receive: async ({ body }) => {
      await turns(delay());
      const headers = { connection: "close", "transfer-encoding": "chunked" };
      return { status: statusOf(Buffer.byteLength(body)), headers, body: "{}" };
    },
  });
  return {
    webhookUrl: "http://127.0.0.1:9/hook",
    transport: async (requests) => (await Promise.all(requests.map((one) => transport([one])))).flat(),
    fetch: async (sandbox) => (path, init) => sandbox.fetch(path, init),
  };
}

/** Sends webhooks to a server, and calls to the sandbox's own. */
async function overSockets(delay: Delay): Promise<Surroundings> {
  const server = createServer((request, response) => {
    let length = 0;
    request.on("data", (chunk: Buffer) => (length += chunk.length));
    request.on("error", () => undefined);
    request.on("end", () => {
      response.sendDate = false;
      void turns(delay()).then(() => response.writeHead(statusOf(length)).end("{}"));
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    webhookUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    transport: networkTransport(createEgress()),
    fetch: async (sandbox) => {
      const { url } = await sandbox.listen();
      return (path, init) => fetch(url + path, init);
    },
  };
}

const READS = [
  "/sandbox/deliveries",
  "/sandbox/deliveries?wait=false",
  "/sandbox/timeline",
  "/sandbox/digest",
  "/sandbox/coverage",
  "/sandbox/recording",
  "/sandbox/resources/webhook-events",
  "/sandbox/requests?format=har",
  "/order/v1/webhook/events",
];

type Look = (sandbox: Sandbox, call: number) => Promise<unknown>;

/** Reads something else after each call. */
const readInTurn: Look = async (sandbox, call) => {
  const path = READS[call % READS.length] ?? "";
  await (await sandbox.fetch(path, { headers: { authorization: "Bearer acme-token" } })).text();
};

const askLibrary: Look = async (sandbox, call) => {
  if (call % 3 === 0) await sandbox.deliveries();
  if (call % 3 === 1) await sandbox.recording();
  sandbox.digest();
};

interface Course {
  readonly surroundings: (delay: Delay) => Promise<Surroundings>;
  /** The greatest delay of the receiver, in turns of the event loop. */
  readonly delayMax: number;
  readonly look?: Look;
}

interface Session {
  /** Every answer, in order. */
  readonly seen: readonly object[];
  readonly digest: string;
  readonly recording: string;
}

/** Makes serial calls without a pause. Returns the answers, the digest and the recording. */
async function session(
  faults: readonly Fault[],
  { surroundings: open, delayMax, look }: Course,
): Promise<Session> {
  const chance = seededChance(delayMax, "delays of the receiver");
  const { webhookUrl, transport, fetch: fetcherOf } = await open(() => chance.below(delayMax + 1));
  const start = "2026-11-20T09:00:00-03:00";
  const { sandbox } = await openSandbox({ seed: 11, start, webhookUrl, transport });
  await using _ = sandbox;
  const send = await fetcherOf(sandbox);
  const seen: object[] = [];
  let keys = 0;
  async function ask(method: string, path: string, body?: object): Promise<{ id: string }> {
    const headers = { authorization: "Bearer acme-token", "idempotency-key": `key-${++keys}` };
    const answer = await send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const comparable = (await answer.text())
      .replaceAll(/http:\/\/(?:127\.0\.0\.1:\d+|localhost)/g, "http://here")
      .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
      // The address of the calls, if they came over a socket.
      .replace(/^origin: .*\n/m, "");
    const isJson = answer.headers.get("content-type") === "application/json";
    const value: unknown = isJson ? JSON.parse(comparable) : comparable;
    seen.push({ call: `${method} ${path}`, status: answer.status, body: value });
    await look?.(sandbox, keys);
    return value as { id: string };
  }
  const payOut = (externalId: string) =>
    ask(
      "POST",
      "/order/v1/banking/order-payouts",
      payoutBody({ externalId, amount: { currency: "BRL", value: "1.00" }, description: externalId }),
    );
  for (const fault of faults) await ask("POST", "/sandbox/faults", { on: "webhook", ...fault });
  const ids: string[] = [];
  for (const externalId of ["a", "bb", "ccc", "dddd"]) {
    const { id } = await ask("POST", "/order/v1/banking/subscriptions", subscriptionBody({ externalId }));
    ids.push(id);
    await ask("POST", "/sandbox/acts/subscription.accept", { id, ...(ids.length > 2 && { wait: false }) });
    await payOut(externalId);
  }
  await ask("POST", "/order/v1/webhook/rotate-secret");
  for (const id of ids.slice(1, 3)) {
    const reason = "PAYER_DECEASED";
    await ask("POST", "/sandbox/acts/subscription.request-cancellation", { id, reason, wait: id === ids[1] });
  }
  await ask("GET", "/sandbox/deliveries");
  await payOut("eeeee");
  await ask("GET", "/order/v1/banking/accounts");
  await ask("POST", "/sandbox/clock/advance", { by: "PT10M" });
  await payOut("ffffff");
  await ask("POST", "/sandbox/clock/advance", { by: "P1D" });
  for (const path of ["faults", "timeline", "resources/webhook-events", "coverage", "recording"])
    await ask("GET", `/sandbox/${path}`);
  await ask("GET", "/order/v1/webhook/events");
  return { seen, digest: sandbox.digest(), recording: await sandbox.recording() };
}

export const COURSES: Readonly<Record<string, Course>> = {
  "in process, slow, with reads": { surroundings: inProcess, delayMax: 90, look: readInTurn },
  "over sockets, slow": { surroundings: overSockets, delayMax: 60 },
  "over sockets, prompt, with the library": { surroundings: overSockets, delayMax: 0, look: askLibrary },
};

interface Compared {
  readonly failure?: string | undefined;
  readonly digest: string;
  readonly seen?: readonly object[];
}

/**
 * Plays a session with a prompt receiver in this process, then in each course, then from its recording. All of them
 * should be as the first one.
 */
export async function comparedSessions(
  faults: readonly Fault[],
  courses: readonly string[],
): Promise<{ readonly found: readonly Compared[]; readonly expected: readonly Compared[] }> {
  const first = await session(faults, { surroundings: inProcess, delayMax: 0 });
  const { digest } = first;
  const found: Compared[] = [];
  const expected: Compared[] = [];
  for (const name of courses) {
    const course = assertDefined(COURSES[name], "a course");
    const played = await session(faults, course);
    // A reader is a partner too: the coverage counts its calls.
    const isComparable = course.look === undefined;
    found.push({ digest: played.digest, ...(isComparable && { seen: played.seen }) });
    expected.push({ digest, ...(isComparable && { seen: first.seen }) });
  }
  const { scenarios, mistakes } = parseScenario(first.recording, "recording.yaml", scenarioContext());
  const recorded = assertDefined(scenarios[0], `the recorded scenario: ${mistakes[0]?.message}`);
  const replayed = await runScenario(recorded, { openWorld: localWorlds(openSandbox) });
  found.push({ failure: replayed.failure?.message, digest: replayed.digest ?? "" });
  expected.push({ failure: undefined, digest });
  return { found, expected };
}
