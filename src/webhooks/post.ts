import type { Socket } from "node:net";
import { callbackify } from "node:util";

import { Agent, request as send } from "undici";
import type { Dispatcher } from "undici";

import { flatHeaders, readBody } from "./answer-body.ts";
import { attempt } from "./attempt.ts";
import type { Answer, AttemptResult, WebhookRequest } from "./attempt.ts";
import { connectTcp, secureTcp, targetOf } from "./connection.ts";
import type { Target } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";
import { withoutInterim } from "./interim-answers.ts";
import { headersToSend } from "./request-head.ts";

/** How much one agent may have open; an attempt that has to wait for a connection spends its deadline on it. */
export interface AgentLimits {
  readonly connectionsPerOrigin: number;
  /** Wall time until a connection stands, TLS included. */
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

/** The only way out: undici hands over where it wants to go, and the guard resolves, checks and dials. */
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
