import type { Answer, AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Target } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { flatHeaders, headersToSend, readBody } from "./http-message.ts";
import { attempt } from "./attempt.ts";
import { connectTcp, secureTcp, targetOf } from "./connection.ts";
import { callbackify } from "node:util";
import { Agent, request as send } from "undici";

/** How much one agent may have open; an attempt that has to wait for a connection spends its deadline on it. */
export interface AgentLimits {
  readonly connectionsPerOrigin: number;
  /** Wall time until a connection is open, TLS included. */
  readonly connectTimeoutMs: number;
}

type Connector = Extract<Agent.Options["connect"], (...options: never[]) => unknown>;

/**
 * One attempt, as it goes over the wire: a POST of these bytes over a fresh HTTP/1.1 connection to an address
 * the guard allows, no redirect followed, no proxy used, one deadline for all of it. It never rejects, and
 * nothing it opened is open when it returns; an agent that is passed in is the caller's to close.
 */
export async function postWebhook(
  request: WebhookRequest,
  egress: Egress,
  agent?: Dispatcher,
): Promise<AttemptResult> {
  const exchange = async (signal: AbortSignal): Promise<Answer> => {
    targetOf(request.url, egress);
    const dispatcher = agent ?? singleUse(egress, signal);
    try {
      const answer = await send(request.url, {
        dispatcher,
        method: "POST",
        headers: headersToSend(request),
        body: request.body,
        signal,
        reset: true,
      });
      const body = await readBody(answer.body, request.responseLimitBytes);
      return { status: answer.statusCode, headers: flatHeaders(answer.headers), ...body };
    } finally {
      if (dispatcher !== agent) await dispatcher.destroy();
    }
  };
  return attempt(request, exchange);
}

/**
 * An agent for many attempts, with a bound on the connections to one origin. Connections are fresh for each
 * attempt all the same. Close it with `destroy()`.
 */
export function webhookAgent(egress: Egress, limits: AgentLimits): Agent {
  const connect = guardedConnector(egress, () => AbortSignal.timeout(limits.connectTimeoutMs));
  return agentOver(connect, { connections: limits.connectionsPerOrigin });
}

function singleUse(egress: Egress, signal: AbortSignal): Agent {
  return agentOver(
    guardedConnector(egress, () => signal),
    { connections: 1 },
  );
}

/** Phase time-outs are off: the one deadline is the attempt's signal, which is exact below a second too. */
function agentOver(connect: Connector, options: Agent.Options): Agent {
  return new Agent({ ...options, connect, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
}

/** The only way out: undici passes the target, and the guard resolves, checks and dials it. */
function guardedConnector(egress: Egress, signalFor: () => AbortSignal): Connector {
  return ({ hostname, port, protocol }, callback) => {
    const secure = protocol === "https:";
    const target = { host: hostname, port: port === "" ? (secure ? 443 : 80) : Number(port), secure };
    callbackify(open)(target, egress, signalFor(), (error, socket) =>
      error === null ? callback(null, socket) : callback(error, null),
    );
  };
}

async function open(target: Target, egress: Egress, signal: AbortSignal): Promise<Socket> {
  const tcp = await connectTcp(target, egress, signal);
  return withoutInterim(target.secure ? await secureTcp(tcp, target, egress, signal) : tcp);
}

/** Every 1xx but 101, which ends HTTP on the connection. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/u;
const STATUS = "HTTP/1.1 100 ";
const HEAD_END = "\r\n\r\n";
const INTERIM_MAX_BYTES = 16 * 1024;

/**
 * Makes a fresh socket pass over interim answers, which a client has to accept even where it did not ask for
 * them (RFC 9110, section 15.2), while undici takes a `100 Continue` for the end of the exchange. What follows
 * the last interim head is handed on untouched.
 */
export function withoutInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let pending = Buffer.alloc(0);
  let passed = false;
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (passed || chunk === null) return chunk;
    pending = Buffer.concat([pending, chunk]);
    const rest = afterInterim(pending);
    if (rest === undefined) return null;
    passed = rest.length > 0;
    pending = Buffer.alloc(0);
    return passed ? rest : null;
  };
  return socket;
}

/** What follows the interim heads; undefined while their end is not known. */
function afterInterim(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (rest.length > 0) {
    const line = rest.toString("latin1", 0, STATUS.length);
    if (!INTERIM.test(line + STATUS.slice(line.length))) return rest;
    if (line.length < STATUS.length) return undefined;
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return rest.length < INTERIM_MAX_BYTES ? undefined : rest;
    rest = rest.subarray(end + HEAD_END.length);
  }
  return rest;
}
