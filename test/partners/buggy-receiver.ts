import type { AddressInfo, Socket } from "node:net";
import { createHmac, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import { SIGNATURE_HEADER } from "../../src/simulator/api/signature.ts";
import { setTimeout as pause } from "node:timers/promises";
import { turns } from "../turns.ts";

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
  /** The error of a request without its end is not handled, and ends the process. */
  readonly endsByBrokenBody?: boolean;
}

/** What such a receiver remembers, as its probe shows it. */
interface Memory {
  readonly processed: Record<string, number>;
  readonly objects: Record<string, { readonly event: string; readonly at: string }>;
}

/** A request as these receivers read it. */
interface Received {
  readonly method: string;
  readonly signature: string | undefined;
  readonly raw: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A receiver with some bugs, as functions of this process. */
export function buggyHandler(bugs: Bugs = {}, sleep: (ms: number) => Promise<unknown> = pause) {
  const memory: Memory = { processed: {}, objects: {} };
  const handled = new Set<string>();

  async function answer({ method, signature, raw }: Received): Promise<Answer> {
    if (method !== "POST") return { status: 405 };
    if (bugs.redirect !== undefined) return { status: 302, headers: { location: bugs.redirect } };
    if (raw.length > (bugs.bodyMaxBytes ?? 2 ** 21)) return { status: 413 };
    if (bugs.delayMs !== undefined) await sleep(bugs.delayMs);
    if (bugs.actsFirst === true) remember(JSON.parse(raw.toString("utf8")) as Event);
    const bytes = bugs.verified?.(raw) ?? raw;
    const secrets = bugs.secrets ?? [SECRET];
    const digests = secrets.map((secret) => createHmac("sha256", secret).update(bytes).digest("hex"));
    const verifies = bugs.verifies ?? isRight;
    if (digests.some((digest) => verifies(signature, digest))) return handle(raw);
    return { status: bugs.badStatus ?? 401, body: bugs.badBody?.(digests[0]!) ?? "no" };
  }

  async function handle(raw: Buffer): Promise<Answer> {
    let event: Event;
    try {
      event = JSON.parse(raw.toString("utf8")) as Event;
    } catch (error) {
      if (bugs.accepts !== undefined) throw error;
      return { status: 400 };
    }
    if (bugs.accepts?.(event, raw) === false) return { status: 422, body: "not known" };
    const key = bugs.dedup === "by-bytes" ? raw.toString("utf8") : JSON.stringify([event.event, idOf(event)]);
    if (bugs.dedup !== "none" && handled.has(key)) return done(bugs.duplicateStatus ?? 200, "duplicate");
    if (bugs.dedup === "racy") await turns(40);
    handled.add(key);
    const isDone = await work(event);
    if (!isDone && bugs.dedup !== "before-work") handled.delete(key);
    if (!isDone && bugs.acksFailures !== true) return { status: 503 };
    remember(event);
    return done(200, "processed");
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

  function done(status: number, outcome: string): Answer {
    const headers = {
      "content-type": "application/json",
      ...(bugs.reports === true && { "x-sandbox-outcome": outcome }),
    };
    return { status, headers, body: bugs.goodBody ?? '{"returnCode":"OK"}' };
  }

  return {
    answer,
    receive: async (request: Request): Promise<Response> => {
      const {
        status,
        headers,
        body = "",
      } = await answer({
        method: request.method,
        signature: request.headers.get(SIGNATURE_HEADER) ?? undefined,
        raw: Buffer.from(await request.arrayBuffer()),
      });
      return new Response(body, { status, ...(headers && { headers }) });
    },
    probe: (): unknown => memory,
    process: {
      start: async () => {},
      kill: async () => {
        if (bugs.forgetsInKill === true) handled.clear();
      },
    },
  };
}

/** Starts a receiver with some bugs on a port. */
export async function buggyReceiver(bugs: Bugs = {}) {
  const { answer, probe, process } = buggyHandler(bugs);
  const used = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    if (bugs.singleUse === true && used.has(request.socket)) return void request.socket.destroy();
    used.add(request.socket);
    receive(request, response).catch(async () => {
      if (bugs.endsByBrokenBody === true && !request.complete) return close();
      if (!response.headersSent) response.writeHead(500).end("Internal Server Error");
    });
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/state") return void response.end(JSON.stringify(probe()));
    const raw = await bodyOf(request, bugs.partialBodies === true);
    const signature = request.headers[SIGNATURE_HEADER.toLowerCase()] as string | undefined;
    const { status, headers, body } = await answer({ method: request.method ?? "", signature, raw });
    response.writeHead(status, headers).end(body);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, "close");
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
