/**
 * A receiver of webhooks with plain Node. It appends each event to a file before it answers. It needs Node 22.18 or newer:
 * Node 20 does not run TypeScript (ERR_UNKNOWN_FILE_EXTENSION). There, run it with `npx tsx receiver.ts`.
 *
 * HOST                         its address; default: 127.0.0.1. For a sandbox in a container: 0.0.0.0
 * PORT                         its port; default: 4011
 * SANDBANK_WEBHOOK_SECRET      the secret of the signatures
 * SANDBANK_WEBHOOK_SECRET_OLD  the previous secret during a rotation; otherwise empty
 * RECEIVER_FILE                the file of events; default: only in memory
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The content of an event: the status of an object at a time. */
interface Fact {
  readonly id: string;
  readonly status: string;
  readonly at: string;
}

interface Event {
  readonly event: string;
  readonly type?: string;
  readonly occurredAt?: string;
  readonly updatedAt?: string;
  readonly refundId?: string;
  readonly data?: Record<string, unknown>;
}

const BODY_MAX_BYTES = 4_000_000;
const OPEN = new Set(["INITIAL", "PENDING", "PENDING_AUTHORIZATION", "CREATED", "SCHEDULED", "ACCEPTED"]);
const secrets = ["SANDBANK_WEBHOOK_SECRET", "SANDBANK_WEBHOOK_SECRET_OLD"].flatMap(
  (name) => process.env[name] || [],
);

const handled = new Set<string>();
const objects = new Map<string, Fact & { readonly rank: string }>();
const path = process.env["RECEIVER_FILE"];
if (path !== undefined && existsSync(path))
  readFileSync(path, "utf8").split("\n").filter(Boolean).forEach(apply);
const file = path === undefined ? undefined : openSync(path, "a");

/** Compares the digest of the received bytes in constant time. An empty secret is refused: anyone could sign with it. */
function isSigned(body: Buffer, header = ""): boolean {
  const given = Buffer.from(header);
  const matches = secrets.map((secret) => {
    const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return matches.includes(true);
}

/** A refund and a cancellation are separate objects, next to their order or subscription. */
function factsOf({ type, refundId, occurredAt, updatedAt, data, ...rest }: Event): Fact[] {
  const at = occurredAt ?? updatedAt;
  const {
    id,
    status,
    updatedAt: changedAt = at,
    cancellation,
  } = (data ?? rest) as Partial<Event & Fact> & {
    readonly cancellation?: Partial<Fact>;
  };
  const found = [
    type === "REFUND" ? { id: refundId, status, at } : { id, status, at: changedAt },
    ...(cancellation === undefined ? [] : [{ id: cancellation.id, status: cancellation.status, at }]),
  ];
  return found.filter((fact): fact is Fact =>
    Object.values(fact).every((value) => typeof value === "string"),
  );
}

/** Stores the status of an event, unless a newer status is known. */
function apply(line: string): void {
  const event = JSON.parse(line) as Event;
  handled.add(keyOf(event));
  for (const fact of factsOf(event)) {
    // If two events have the same time, the final status is the later one.
    const rank = `${fact.at} ${OPEN.has(fact.status) ? 0 : 1} ${event.event}`;
    if ((objects.get(fact.id)?.rank ?? "") < rank) objects.set(fact.id, { ...fact, rank });
  }
}

/** Two deliveries with the same key are one event. */
function keyOf(event: Event): string {
  return [event.event, ...factsOf(event).flatMap(({ id, status, at }) => [id, status, at])].join(" ");
}

function take(body: Buffer, signature: string | undefined): number {
  if (!isSigned(body, signature)) return 401;
  const event = parse(body.toString());
  if (event === undefined) return 400;
  if (handled.has(keyOf(event))) return 200;
  const line = JSON.stringify(event);
  if (file !== undefined) {
    writeSync(file, `${line}\n`);
    fsyncSync(file);
  }
  apply(line);
  return 200;
}

function parse(text: string): Event | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Event)
      : undefined;
  } catch {
    return undefined;
  }
}

function reset(): void {
  handled.clear();
  objects.clear();
  if (file !== undefined) ftruncateSync(file);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
  const { method, url, headers } = request;
  if (method === "GET" && url === "/state") {
    const known = [...objects.values()].map(({ id, status, at }) => [id, { status, at }]);
    return [200, { objects: Object.fromEntries(known) as object }];
  }
  if (url !== "/webhooks" && url !== "/reset") return [404, {}];
  if (method !== "POST") return [405, {}];
  const body = await bodyOf(request);
  if (body === undefined) return [413, {}];
  if (url === "/reset") {
    reset();
    return [200, {}];
  }
  const status = take(body, headers["x-signature-sha256"] as string | undefined);
  return [status, status === 200 ? { returnCode: "SUCCESS" } : {}];
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await answer(request);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  respond(request, response).catch(() => response.destroy());
});
const host = process.env["HOST"] || "127.0.0.1";
server.listen(Number(process.env["PORT"] ?? 4011), host, () => {
  const { port } = server.address() as AddressInfo;
  console.log(`receiver listening on http://${host}:${port}/webhooks`);
});
process.on("SIGTERM", () => {
  if (file !== undefined) closeSync(file);
  process.exit(0);
});
