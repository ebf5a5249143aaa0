import { createServer } from "node:http";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

/**
 * A partner's system as a process of its own, which pays orders out: it finds the sandbox in `SANDBANK_URL`, keeps its
 * data in the file of its second argument, and has the bug that its third argument names.
 */
const [, , port = "", file = "", bug = "none"] = process.argv;
const { SANDBANK_URL = "" } = process.env;

interface Data {
  orders: Record<string, { state: string; key: string }>;
  handled: string[];
  received: number;
}

const empty = (): Data => ({ orders: {}, handled: [], received: 0 });
const load = (): Data => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Data;
  } catch {
    return empty();
  }
};
// A file that is written in place is empty for a moment, and a kill may come then.
const store = (): void => {
  writeFileSync(`${file}.new`, JSON.stringify(data));
  renameSync(`${file}.new`, file);
};
const data = load();
let inMemory = 0;

async function pay(order: string): Promise<number> {
  const known = (data.orders[order] ??= { state: "new", key: `key-${order}` });
  if (known.state !== "new") return 200;
  if (bug !== "stores late") store();
  const key = bug === "stores late" ? `key-${process.pid}-${++inMemory}` : known.key;
  let answer = await send(order, key);
  if (answer.status === 401) {
    await renew();
    answer = await send(order, key);
  }
  if (!answer.ok) return 503;
  known.state = "sent";
  if (bug === "stores late") setTimeout(store, 50);
  else store();
  return 200;
}

let token = "acme-token";

async function renew(): Promise<void> {
  const answer = await fetch(`${SANDBANK_URL}/oauth2/v2.0/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
  });
  token = ((await answer.json()) as { access_token: string }).access_token;
}

function send(order: string, key: string): Promise<Response> {
  return fetch(`${SANDBANK_URL}/order/v1/banking/order-payouts`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify({
      externalId: order,
      accountId: "11111111-1111-4111-8111-111111111111",
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "100.00" },
      description: "An order",
    }),
  });
}

async function hear(body: string): Promise<void> {
  const { id, code, event } = JSON.parse(body) as { id: string; code: string; event: string };
  const key = `${event} ${id}`;
  if (data.handled.includes(key)) return;
  if (bug === "marks first") {
    data.handled.push(key);
    store();
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const order = data.orders[code];
  if (order !== undefined) order.state = "paid";
  data.received += 1;
  if (bug !== "marks first") data.handled.push(key);
  if (bug === "answers first") setTimeout(store, 50);
  else store();
}

const server = createServer((request, response) => {
  void (async () => {
    const body = await text(request);
    if (request.url === "/webhooks") await hear(body);
    if (request.url === "/reset") Object.assign(data, empty());
    if (request.url === "/reset") store();
    const status = request.url === "/orders" ? await pay((JSON.parse(body) as { order: string }).order) : 200;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(data));
  })().catch(() => response.writeHead(503).end());
});
server.listen(Number(port), "127.0.0.1");
process.stdout.write(`listens on ${port}\n`);
