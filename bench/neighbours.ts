import { createServer } from "node:http";
import { HEADERS, sandbank, SUBSCRIPTIONS } from "./peers.ts";
import { once } from "node:events";
import { startServer } from "./server.ts";
import { subscriptionBody } from "./bodies.ts";

/**
 * Measures the cost of ten bad worlds for a good world on the same server. The figure is the time of a list of accounts
 * in the good world, first alone and then next to the bad worlds. They advance by years, send webhooks to a receiver
 * that hangs, and read their timelines, recordings, collections and webhooks all the time.
 */
const BAD_WORLDS = 10;
const SUBSCRIPTIONS_EACH = Number(process.argv[2] ?? 300);
const MEASURED_MS = Number(process.argv[3] ?? 20) * 1_000;

interface World {
  readonly token: string;
}

// A receiver that never answers.
const receiver = createServer(() => undefined).listen(0, "127.0.0.1");
await once(receiver, "listening");
const { port } = receiver.address() as { port: number };
const server = await startServer(sandbank("--assume", "webhook.timeout=PT5S"));

async function ask(token: string, method: string, path: string, body?: unknown): Promise<string> {
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(server.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: text }),
  });
  return answer.text();
}

async function makeWorld(name: string): Promise<World> {
  const webhookUrl = `http://127.0.0.1:${port}/`;
  const made = await ask("acme-token", "POST", "/sandbox/worlds", { name, webhookUrl, mode: "frozen" });
  const { companies } = JSON.parse(made) as { companies: { token: string }[] };
  return { token: companies[0]?.token ?? "" };
}

const READS = [
  "/sandbox/timeline?last=999999999",
  "/sandbox/recording",
  "/sandbox/resources/subscriptions",
  "/sandbox/deliveries?last=999999999",
];

async function misbehave({ token }: World, isOver: () => boolean): Promise<void> {
  for (let number = 0; number < SUBSCRIPTIONS_EACH; number++) {
    const made = await ask(token, "POST", SUBSCRIPTIONS, subscriptionBody(`s-${number}`));
    const { id } = JSON.parse(made) as { id: string };
    await ask(token, "POST", "/sandbox/acts/subscription.accept", { id });
  }
  while (!isOver()) {
    await ask(token, "POST", "/sandbox/clock/advance", { by: "P1Y", wait: false });
    await Promise.all(READS.map((path) => ask(token, "GET", path)));
  }
}

async function measure({ token }: World, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    await ask(token, "GET", "/order/v1/banking/accounts");
    took.push(performance.now() - began);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  return took.toSorted((one, other) => one - other);
}

function report(what: string, took: readonly number[]): void {
  const at = (share: number): string =>
    `${Math.round(took[Math.floor(took.length * share)] ?? Number.NaN)} ms`;
  const all = [`p50 ${at(0.5)}`, `p99 ${at(0.99)}`, `max ${at(0.9999)}`].join(", ");
  process.stdout.write(`${what}: ${all} (${took.length} requests)\n`);
}

const good = await makeWorld("good");
const aloneUntil = Date.now() + MEASURED_MS / 4;
report("alone", await measure(good, () => Date.now() > aloneUntil));
const until = Date.now() + MEASURED_MS;
const isOver = (): boolean => Date.now() > until;
const bad = await Promise.all(Array.from({ length: BAD_WORLDS }, (_, index) => makeWorld(`bad ${index}`)));
const misbehaviour = bad.map((world) => misbehave(world, isOver).catch(() => undefined));
report(`next to ${BAD_WORLDS} bad worlds`, await measure(good, isOver));
await server.stop();
receiver.closeAllConnections();
receiver.close();
await Promise.all(misbehaviour);
