import type { AddressInfo, Socket } from "node:net";
import { createHmac, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { turns } from "../../turns.ts";

/** The secret that these receivers verify with. */
export const SECRET = "zoo-secret";

/** What may be wrong with a receiver; default: nothing. */
export interface Bugs {
  /** Which bytes are verified. */
  readonly verified?: (raw: Buffer) => Buffer | string;
  /** How a signature is verified in place of the right way. */
  readonly verifies?: (header: string | undefined, right: string) => boolean;
  readonly secrets?: readonly string[];
  readonly redirect?: string;
  /** How late it answers. Real time, because answering late is what the check measures. */
  readonly delayMs?: number;
  readonly badStatus?: number;
  readonly badBody?: (right: string) => string;
  readonly goodBody?: string;
  /** What an event has to look like; throws or answers false. */
  readonly accepts?: (event: Readonly<Record<string, unknown>>, raw: Buffer) => boolean;
  readonly duplicateStatus?: number;
  /** How duplicates are recognised; none means that each one is handled. */
  readonly dedup?: "none" | "racy" | "by-bytes" | "before-work";
  readonly bodyMaxBytes?: number;
  readonly partialBodies?: boolean;
  /** The last event to arrive wins. */
  readonly lastWins?: boolean;
  readonly actsFirst?: boolean;
  /** Calls the sandbox there for every event it handles. */
  readonly sandboxUrl?: string;
  /** Reports in the header what it did. */
  readonly reports?: boolean;
  readonly acksFailures?: boolean;
  /** Keeps which events it handled in the memory of its process, and everything else in a file. */
  readonly forgetsInKill?: boolean;
  /** Closes a connection that is used for a second request; not a bug, since HTTP allows it. */
  readonly singleUse?: boolean;
}

/** What such a receiver remembers, as its probe shows it. */
interface Memory {
  readonly processed: Record<string, number>;
  readonly objects: Record<string, { readonly event: string; readonly at: string }>;
}

/** Starts a receiver with some bugs. */
export async function buggyReceiver(bugs: Bugs = {}) {
  const memory: Memory = { processed: {}, objects: {} };
  const handled = new Set<string>();
  const used = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    if (bugs.singleUse === true && used.has(request.socket)) return void request.socket.destroy();
    used.add(request.socket);
    receive(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500).end("Internal Server Error");
    });
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/state") return void response.end(JSON.stringify(memory));
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (bugs.redirect !== undefined) return void response.writeHead(302, { location: bugs.redirect }).end();
    const raw = await bodyOf(request, bugs.partialBodies === true);
    if (raw.length > (bugs.bodyMaxBytes ?? 2 ** 21)) return void response.writeHead(413).end();
    if (bugs.delayMs !== undefined) await pause(bugs.delayMs);
    if (bugs.actsFirst === true) remember(JSON.parse(raw.toString("utf8")) as Event);
    const header = request.headers["x-signature-sha256"] as string | undefined;
    const bytes = bugs.verified?.(raw) ?? raw;
    const secrets = bugs.secrets ?? [SECRET];
    const digests = secrets.map((secret) => createHmac("sha256", secret).update(bytes).digest("hex"));
    const verifies = bugs.verifies ?? isRight;
    if (!digests.some((digest) => verifies(header, digest))) {
      const body = bugs.badBody?.(digests[0]!) ?? "no";
      return void response.writeHead(bugs.badStatus ?? 401).end(body);
    }
    await handle(raw, response);
  }

  async function handle(raw: Buffer, response: ServerResponse): Promise<void> {
    let event: Event;
    try {
      event = JSON.parse(raw.toString("utf8")) as Event;
    } catch (error) {
      if (bugs.accepts !== undefined) throw error;
      return void response.writeHead(400).end();
    }
    if (bugs.accepts?.(event, raw) === false) return void response.writeHead(422).end("not known");
    const key = bugs.dedup === "by-bytes" ? raw.toString("utf8") : JSON.stringify([event.event, idOf(event)]);
    const isKnown = bugs.dedup !== "none" && handled.has(key);
    if (isKnown) {
      answer(response, bugs.duplicateStatus ?? 200, "duplicate");
      return;
    }
    if (bugs.dedup === "racy") await turns(40);
    handled.add(key);
    const isDone = await work(event);
    if (!isDone && bugs.dedup !== "before-work") handled.delete(key);
    if (!isDone && bugs.acksFailures !== true) return void response.writeHead(503).end();
    remember(event);
    answer(response, 200, "processed");
  }

  /** Pays out a cent for every event, as the work that must not be done twice. */
  async function work(event: Event): Promise<boolean> {
    if (bugs.sandboxUrl === undefined) return true;
    const body = {
      externalId: `pay-${idOf(event)}-${memory.processed[idOf(event)] ?? 0}`,
      accountId: "11111111-1111-4111-8111-111111111111",
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "0.01" },
      description: "Cashback",
    };
    const sent = await fetch(`${bugs.sandboxUrl}/order/v1/banking/order-payouts`, {
      method: "POST",
      headers: { authorization: "Bearer acme-token", "idempotency-key": crypto.randomUUID() },
      body: JSON.stringify(body),
    });
    return sent.ok;
  }

  function remember(event: Event): void {
    const id = idOf(event);
    memory.processed[id] = (memory.processed[id] ?? 0) + 1;
    const at = `${event.updatedAt ?? event.occurredAt ?? ""} ${event.event}`;
    const known = memory.objects[id];
    if (bugs.lastWins === true || known === undefined || known.at < at)
      memory.objects[id] = { event: event.event, at };
  }

  function answer(response: ServerResponse, status: number, outcome: string): void {
    const headers = {
      "content-type": "application/json",
      ...(bugs.reports === true && { "x-sandbox-outcome": outcome }),
    };
    response.writeHead(status, headers).end(bugs.goodBody ?? '{"returnCode":"OK"}');
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, "close");
  };
  const process = {
    start: async () => {},
    kill: async () => {
      if (bugs.forgetsInKill === true) handled.clear();
    },
  };
  return {
    url: `${origin}/webhooks`,
    probeUrl: `${origin}/state`,
    process,
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Event = Readonly<Record<string, unknown>> & {
  readonly event: string;
  readonly id?: string;
  readonly data?: { readonly id: string };
  readonly updatedAt?: string;
  readonly occurredAt?: string;
};

function idOf({ id, data }: Event): string {
  return id ?? data?.id ?? "";
}

function isRight(header: string | undefined, right: string): boolean {
  const digest = /^sha256=([0-9a-f]{64})$/.exec(header ?? "")?.[1];
  return digest !== undefined && timingSafeEqual(Buffer.from(digest), Buffer.from(right));
}

async function bodyOf(request: IncomingMessage, takesPart: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!takesPart) throw error;
  }
  return Buffer.concat(chunks);
}
