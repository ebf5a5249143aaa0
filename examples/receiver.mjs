// A small webhook receiver. It verifies the signature over the raw bytes, handles each event once, keeps the newest
// status of each object, and acknowledges and prints the event. GET /state shows its state: the probe of
// `sandbank receiver check`. HOST (default 127.0.0.1, or 0.0.0.0 for a sandbox in a container) is its address, and PORT
// (default 4011) its port. WEBHOOK_SECRET is the secret of the signatures.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET ?? "acme-webhook-secret";
// A real receiver stores this in its database. A retry and a duplicate have the same bytes as the first attempt.
const handled = new Set();
const objects = new Map();

/** Handles a webhook and returns the HTTP status of the answer. */
function handle(body, signature) {
  if (!isGenuine(body, signature)) return 401;
  const text = body.toString();
  const event = parse(text);
  if (event === undefined) return 400;
  const { status } = event.data ?? event;
  console.log(handled.has(text) ? `${event.event} once more` : `${event.event} ${status}`);
  if (!handled.has(text)) keepNewest(event);
  handled.add(text);
  return 200;
}

/** Events can come in any order: an older event does not replace a newer status. */
function keepNewest({ event, occurredAt, updatedAt = occurredAt, data = {}, ...rest }) {
  const { id, status = event } = { ...rest, ...data };
  const at = `${data.updatedAt ?? updatedAt} ${event}`;
  if ((objects.get(id)?.at ?? "") < at) objects.set(id, { at, status });
}

function isGenuine(body, signature = "") {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const server = createServer((request, response) => {
  if (request.method === "GET" && request.url === "/state") {
    const known = Array.from(objects, ([id, { status }]) => [id, status]);
    return void response.end(JSON.stringify(Object.fromEntries(known)));
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const status = handle(Buffer.concat(chunks), request.headers["x-signature-sha256"]);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ returnCode: status === 200 ? "SUCCESS" : "REFUSED" }));
  });
});

const host = process.env.HOST || "127.0.0.1";
server.listen(Number(process.env.PORT ?? 4011), host, () => {
  console.log(`receiver listening on http://${host}:${server.address().port}/webhooks`);
});
