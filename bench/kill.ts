import { createServer } from "node:http";
import { HEADERS, sandbank } from "./peers.ts";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { startServer } from "./server.ts";
import { tmpdir } from "node:os";

/**
 * Kills a loaded server with SIGKILL, by default fifty times, and compares it with its answers. Every answered payout
 * must still be there, its key must give the same answer again, and the books must balance. In the end its timer must
 * have settled each payout, and a webhook must have announced it.
 *
 * node kill.ts [kills]
 */
const KILLS = Number(process.argv[2] ?? 50);
const PARTNERS = 8;
const PAYOUTS = "/order/v1/banking/order-payouts";

const folder = mkdtempSync(join(tmpdir(), "sandbank-kill-"));
const told = new Set<string>();
const receiver = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    const { event, code } = JSON.parse(body) as { event: string; code: string };
    if (event === "ORDER-PAYOUT.PAID") told.add(code);
    response.end('{"returnCode":"OK"}');
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const { port } = receiver.address() as { port: number };
const program = sandbank(
  "--data",
  join(folder, "data.json"),
  "--webhook-url",
  `http://127.0.0.1:${port}/`,
  "--log-level",
  "warn",
);

/** The answer to each key that the partner has received. */
const answered = new Map<string, string>();
let number = 0;
let checked = 0;
for (let kill = 0; kill < KILLS; kill++) {
  const server = await startServer(program);
  await check(server.url);
  const load = new AbortController();
  const partners = Array.from({ length: PARTNERS }, () => pay(server.url, load.signal));
  await new Promise((resolve) => {
    setTimeout(resolve, 10 + Math.random() * 400);
  });
  await server.stop();
  load.abort();
  await Promise.all(partners);
  process.stderr.write(`\r${kill + 1} kills, ${answered.size} payouts answered`);
}
const server = await startServer(program);
await check(server.url);
await post(server.url, "/sandbox/clock/advance", { by: "PT1H" });
const payouts = await list(server.url);
const unpaid = payouts.filter(
  ({ status, externalId }) => status !== "PAID" && answered.has(String(externalId)),
);
const untold = [...answered.keys()].filter((key) => !told.has(key));
await server.stop();
receiver.close();
receiver.closeAllConnections();
rmSync(folder, { recursive: true });
const found = {
  kills: KILLS,
  answered: answered.size,
  checked,
  unpaid: unpaid.length,
  untold: untold.length,
};
process.stdout.write(`\n${JSON.stringify(found)}\n`);
process.exitCode = unpaid.length + untold.length > 0 ? 1 : 0;

async function pay(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const key = `payout-${number++}`;
    try {
      const { status, text } = await order(url, key);
      if (status === 201) answered.set(key, text);
      else throw new Error(`${status} ${text}`);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function order(url: string, key: string) {
  const body = JSON.stringify({
    externalId: key,
    accountId: "11111111-1111-4111-8111-111111111111",
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "0.01" },
    description: "one of many",
  });
  const answer = await fetch(url + PAYOUTS, {
    method: "POST",
    headers: { ...HEADERS, "idempotency-key": key },
    body,
  });
  const isReplay = answer.headers.get("idempotency-replayed") === "true";
  return { status: answer.status, text: await answer.text(), isReplay };
}

/** Throws if the server contradicts an earlier answer. */
async function check(url: string): Promise<void> {
  const kept = new Set((await list(url)).map(({ externalId }) => String(externalId)));
  for (const key of answered.keys()) if (!kept.has(key)) throw new Error(`${key} was answered, but is lost`);
  for (const [key, text] of [...answered].slice(-20)) {
    const again = await order(url, key);
    if (again.text !== text || !again.isReplay)
      throw new Error(`${key} has another answer now: ${again.text}`);
    checked++;
  }
  const ledger = (await (await fetch(`${url}/sandbox/ledger`)).json()) as { balanced: boolean };
  if (!ledger.balanced) throw new Error("the books do not balance");
}

async function list(url: string): Promise<Record<string, unknown>[]> {
  const answer = await fetch(`${url}/sandbox/resources/payouts`);
  return ((await answer.json()) as { data: Record<string, unknown>[] }).data;
}

async function post(url: string, path: string, body: object): Promise<void> {
  const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}
