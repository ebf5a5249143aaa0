import type { Egress } from "./egress-guard.ts";
import type { Socket } from "node:net";
import { flatHeaders, headersToSend, readBody } from "./http-message.ts";
import { type Answer, type AttemptResult, type Deadline, type WebhookRequest, attempt } from "./attempt.ts";
import { type Target, connectTcp, secureTcp, targetOf } from "./connection.ts";
import { withoutInterim } from "./interim-answers.ts";
import { callbackify } from "node:util";
import { Client } from "undici";

type Connector = Extract<Client.Options["connect"], (...options: never[]) => unknown>;

/** A client with one connection, which is opened at its first request. */
interface Connection {
  readonly client: Client;
  /** Of the attempt that it is used for. */
  deadline: Deadline;
}

/** Connections that were idle for so long are closed: receivers close theirs after some seconds. */
const IDLE_MAX_MS = 1_000;

/**
 * Connections that receivers keep open for the next attempt. Only those count that say for how long, in the header
 * `keep-alive`: any other may close a connection at the moment at which the next attempt uses it, which would look like
 * a failure of the attempt.
 */
export class KeptConnections {
  readonly #idle = new Map<string, Connection[]>();

  /** An idle connection of that key, or a new one. */
  take(key: string, open: () => Connection): Connection {
    const idle = this.#idle.get(key)?.pop();
    if (idle !== undefined) return idle;
    const opened = open();
    opened.client.on("disconnect", () => this.#forget(key, opened));
    return opened;
  }

  /** It is idle until it is taken again, or closed. */
  keep(key: string, connection: Connection): void {
    const idle = this.#idle.get(key);
    if (idle === undefined) this.#idle.set(key, [connection]);
    else idle.push(connection);
  }

  #forget(key: string, connection: Connection): void {
    const idle = this.#idle.get(key) ?? [];
    const others = idle.filter((one) => one !== connection);
    if (others.length === idle.length) return;
    if (others.length === 0) this.#idle.delete(key);
    else this.#idle.set(key, others);
    void connection.client.destroy();
  }
}

/**
 * One attempt, as it goes over the wire: a POST of these bytes over HTTP/1.1 to an address the guard allows, no
 * redirect followed, no proxy used, one deadline for all of it. It never rejects. The connection is a fresh one, and
 * closed when it returns, or one of `kept`.
 */
export function postWebhook(
  request: WebhookRequest,
  egress: Egress,
  kept?: KeptConnections,
): Promise<AttemptResult> {
  const exchange = async (deadline: Deadline): Promise<Answer> => {
    const { origin, pathname, search } = targetOf(request.url, egress).url;
    const key = `${egress.mode} ${origin}`;
    const open = (): Connection => openConnection(origin, egress, deadline);
    const connection = kept?.take(key, open) ?? open();
    const { client } = connection;
    connection.deadline = deadline;
    let isKept = false;
    try {
      const { statusCode, headers, body } = await client.request({
        path: pathname + search,
        method: "POST",
        headers: headersToSend(request),
        body: request.body,
        reset: kept === undefined,
        signal: deadline.signal,
      });
      const read = await readBody(body, request.responseLimitBytes);
      const answer = { status: statusCode, headers: flatHeaders(headers), ...read };
      isKept =
        client.stats.connected &&
        !answer.truncated &&
        /\btimeout=\d/.test(answer.headers["keep-alive"] ?? "");
      return answer;
    } finally {
      if (isKept) kept?.keep(key, connection);
      else await client.destroy();
    }
  };
  return attempt(request, exchange);
}

/** Phase time-outs are off: the one deadline is the attempt's, which is exact below a second too. */
function openConnection(origin: string, egress: Egress, deadline: Deadline): Connection {
  const connection: Connection = {
    deadline,
    client: new Client(origin, {
      connect: guardedConnector(egress, () => connection.deadline.signal),
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: IDLE_MAX_MS,
    }),
  };
  return connection;
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
