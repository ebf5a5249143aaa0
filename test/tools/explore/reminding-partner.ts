import { createServer } from "node:http";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

/**
 * A partner's system that reminds of each order a day later, by a timer. It keeps its orders in the file of its second
 * argument; with the bug `forgets` a reminder is forgotten when the process ends.
 */
const [, , port = "", file = "", bug = "none"] = process.argv;
const DAY_MS = 86_400_000;

interface Order {
  readonly orderedAt: string;
  remindedAt: string | null;
}

function load(): Record<string, Order> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, Order>;
  } catch {
    return {};
  }
}

function store(): void {
  writeFileSync(`${file}.new`, JSON.stringify(orders));
  renameSync(`${file}.new`, file);
}

function remindOf(order: Order): void {
  const dueMs = Date.parse(order.orderedAt) + DAY_MS;
  const remind = (): void => {
    // What a file has is real time, as what a database sets.
    const wall = (): Date => statSync(file).mtime;
    order.remindedAt = (bug === "database" ? wall() : new Date()).toISOString();
    store();
  };
  setTimeout(remind, Math.max(2, dueMs - Date.now()));
}

const orders = load();
if (bug !== "forgets")
  for (const order of Object.values(orders)) if (order.remindedAt === null) remindOf(order);

async function payOut(order: string): Promise<number> {
  const { status } = await fetch(`${process.env["SANDBANK_URL"]}/order/v1/banking/order-payouts`, {
    method: "POST",
    headers: {
      authorization: "Bearer acme-token",
      "content-type": "application/json",
      "idempotency-key": order,
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
  return status;
}

const server = createServer((request, response) => {
  void (async () => {
    const body = await text(request);
    const send = (status: number, value: unknown): unknown =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.url !== "/orders") return send(200, orders[request.url?.slice(1) ?? ""] ?? {});
    const { order } = JSON.parse(body) as { order: string };
    if (orders[order] === undefined) {
      orders[order] = { orderedAt: new Date().toISOString(), remindedAt: null };
      remindOf(orders[order]);
      store();
    }
    return send((await payOut(order)) < 300 ? 201 : 503, {});
  })().catch(() => response.writeHead(503).end());
});
server.listen(Number(port), "127.0.0.1");
