import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { once } from "node:events";
import { serve } from "../cli/command.ts";
import { subscriptionBody } from "../partner.ts";

const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const BAD_WORLDS = 10;

const READS = [
  "/sandbox/timeline?last=999999999",
  "/sandbox/recording",
  "/sandbox/resources/subscriptions",
  "/sandbox/deliveries?last=999999999",
];

interface Receiver {
  readonly webhookUrl: string;
  readonly close: () => void;
}

async function listen(answer: RequestListener): Promise<Receiver> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { webhookUrl: `http://127.0.0.1:${port}/`, close };
}

// How long a good world waits is measured in bench/neighbours.ts.
test("one world goes on while ten others advance years, read everything and have receivers that hang", async () => {
  const hanging = await listen(() => undefined);
  const prompt = await listen((_request, response) => response.end('{"returnCode":"OK"}'));
  await using server = await serve("--frozen", "--start", "2026-11-20T09:00:00-03:00");

  async function ask(token: string, method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(server.url + path, { method, headers, ...sent });
    return { status: answer.status, text: await answer.text() };
  }

  async function makeWorld(name: string, { webhookUrl }: Receiver): Promise<string> {
    const { text } = await ask("acme-token", "POST", "/sandbox/worlds", { name, webhookUrl });
    return (JSON.parse(text) as { companies: [{ token: string }] }).companies[0].token;
  }

  async function createSubscription(token: string, externalId: string) {
    const made = await ask(token, "POST", SUBSCRIPTIONS, subscriptionBody({ externalId }));
    const { id } = JSON.parse(made.text) as { id: string };
    const accepted = await ask(token, "POST", "/sandbox/acts/subscription.accept", { id });
    return [made.status, accepted.status];
  }

  const over = new AbortController();
  async function misbehave(name: string): Promise<number> {
    const token = await makeWorld(name, hanging);
    for (let number = 0; number < 30; number++) await createSubscription(token, `${name} ${number}`);
    let rounds = 0;
    for (; rounds === 0 || !over.signal.aborted; rounds++) {
      await ask(token, "POST", "/sandbox/clock/advance", { by: "P1Y", wait: false });
      await Promise.all(READS.map((path) => ask(token, "GET", path)));
    }
    return rounds;
  }

  const bad = Array.from({ length: BAD_WORLDS }, (_, index) => misbehave(`bad ${index}`));
  const good = await makeWorld("good", prompt);
  for (let number = 0; number < 40; number++) {
    expect(await createSubscription(good, `good ${number}`)).toEqual([201, 200]);
    const advanced = await ask(good, "POST", "/sandbox/clock/advance", { by: "PT1M" });
    expect(advanced.status).toBe(200);
  }
  over.abort();
  expect(Math.min(...(await Promise.all(bad)))).toBeGreaterThan(0);
  hanging.close();
  prompt.close();
}, 180_000);
