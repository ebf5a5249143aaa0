import { ACKNOWLEDGED } from "./bodies.ts";
import { createHmac } from "node:crypto";
import { createSandbox } from "../dist/index.js";
import { createServer } from "node:http";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { HEADERS } from "./peers.ts";
import { once } from "node:events";
import { Pool } from "undici";

/**
 * Measures the cost of a webhook to a receiver on a port, next to a loop of undici alone. The loop signs and posts the
 * same bytes, has as many requests in flight and keeps its connections. Each figure is the processor time of sender and
 * receiver in one process, in µs for each webhook. It is the least of several rounds, because noise only adds.
 *
 * The webhooks belong to payouts that timers settle in an advance. The same advance in a world without a webhook URL
 * shows the cost of the timers.
 *
 * node webhooks.ts [processes for each figure, default 3]
 */
const COUNT = 5_000;
/** V8 compiles the code in the first rounds. */
const ROUNDS = 5;
/** The connections of one world to one origin. */
const IN_FLIGHT = 32;

type Options = NonNullable<Parameters<typeof createSandbox>[0]>;
type Transport = NonNullable<Options["transport"]>;
type Sent = Pick<Parameters<Transport>[0][number], "headers" | "body">;

const MEASURES = {
  loop: measureLoop,
  "timers alone": () => measureAdvances({}),
  "with webhooks to a receiver in process": () => measureAdvances(inProcess()),
  "with webhooks to a receiver on a port": () =>
    withReceiver((webhookUrl) => measureAdvances({ webhookUrl })),
};

const measure = MEASURES[process.argv[2] as keyof typeof MEASURES];
if (measure !== undefined) {
  process.stdout.write(String(await measure()));
  process.exit(0);
}
const least: Record<string, number> = {};
for (let round = 0; round < Number(process.argv[2] ?? 3); round++)
  for (const name of Object.keys(MEASURES)) {
    const us = Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name]));
    least[name] = Math.min(least[name] ?? Infinity, us);
  }
const { loop = 0, "timers alone": timers = 0, "with webhooks to a receiver on a port": whole = 0 } = least;
for (const [name, us] of Object.entries(least))
  process.stdout.write(`${name.padEnd(40)}${us.toFixed(0).padStart(6)} µs\n`);
process.stdout.write(
  `loop / whole ${(loop / whole).toFixed(2)}, loop / webhook ${(loop / (whole - timers)).toFixed(2)}\n`,
);

/** Signs and posts the webhooks of one round again and again. */
async function measureLoop(): Promise<number> {
  const sent: Sent[] = [];
  await measureAdvances(inProcess(sent), 1);
  const secret = "the secret of the receiver";
  return await withReceiver(async (url) => {
    const pool = new Pool(url, { connections: IN_FLIGHT });
    let next = 0;
    const post = async (): Promise<void> => {
      while (next < sent.length) {
        const { headers, body } = sent[next++];
        const digest = createHmac("sha256", secret).update(body).digest("hex");
        const signed = { ...headers, "x-signature-sha256": `sha256=${digest}` };
        const answer = await pool.request({ path: "/", method: "POST", headers: signed, body });
        await answer.body.text();
      }
    };
    const us = await leastOf(ROUNDS, async () => {
      next = 0;
      await Promise.all(Array.from({ length: IN_FLIGHT }, post));
    });
    await pool.close();
    return us;
  });
}

/** Measures an advance that settles `COUNT` payouts. */
async function measureAdvances(options: Options, rounds = ROUNDS): Promise<number> {
  await using sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00", ...options });
  let made = 0;
  const create = async (): Promise<void> => {
    for (let count = 0; count < COUNT; count++) {
      const answer = await sandbox.fetch("/order/v1/banking/order-payouts", {
        method: "POST",
        headers: { ...HEADERS, "idempotency-key": `key-${++made}` },
        body: JSON.stringify({
          accountId: "11111111-1111-4111-8111-111111111111",
          externalId: `payout-${made}`,
          paymentMethod: "PIX",
          paymentData: { pixKey: "ok@pix.example" },
          amount: { currency: "BRL", value: "0.01" },
          description: "one of many",
        }),
      });
      if (!answer.ok) throw new Error(`Failed to create a payout: ${await answer.text()}`);
    }
  };
  return await leastOf(rounds, () => sandbox.advance("P1D"), create);
}

async function leastOf(
  rounds: number,
  work: () => Promise<unknown>,
  prepare?: () => Promise<void>,
): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    await prepare?.();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / COUNT);
  }
  return least;
}

/** A receiver that costs nothing and keeps its webhooks. */
function inProcess(sent: Sent[] = []): Options {
  const transport: Transport = async (requests) =>
    requests.map(({ headers, body }) => {
      sent.push({ headers, body });
      return ACKNOWLEDGED;
    });
  return { webhookUrl: "http://127.0.0.1:9/", transport };
}

async function withReceiver(work: (url: string) => Promise<number>): Promise<number> {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.end('{"returnCode":"OK"}'));
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as { port: number };
  const us = await work(`http://127.0.0.1:${port}/`);
  receiver.closeAllConnections();
  receiver.close();
  return us;
}
