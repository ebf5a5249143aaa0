import { once } from "node:events";
import { type IncomingMessage, request as listen } from "node:http";
import type { Socket } from "node:net";
import { Duplex, Writable } from "node:stream";

import { withoutInterim } from "./interim-answers.ts";
import { flatHeaders, readBody } from "./http-message.ts";
import type { Answer, WebhookRequest } from "./attempt.ts";
import { type Target, connectTcp, secureTcp } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";

/** What a manner works with: the request, and connections that it may open and break. */
export interface Wire {
  readonly request: WebhookRequest;
  readonly signal: AbortSignal;
  /** A new TCP connection, before TLS. */
  readonly dial: () => Promise<Socket>;
  /** A line ready for HTTP. */
  readonly open: () => Promise<Line>;
  /** Drops whatever was opened. */
  readonly close: () => void;
}

export interface Line {
  /** The connection for HTTP: TCP itself or TLS over it. */
  readonly socket: Socket;
  /** The connection beneath: only this one can be reset. */
  readonly tcp: Socket;
}

export interface WireOptions {
  readonly request: WebhookRequest;
  readonly target: Target;
  readonly egress: Egress;
  readonly signal: AbortSignal;
}

export function createWire({ request, target, egress, signal }: WireOptions): Wire {
  const opened: Socket[] = [];
  const dial = async (): Promise<Socket> => {
    const tcp = await connectTcp(target, egress, signal);
    opened.push(tcp);
    return tcp;
  };
  const open = async (): Promise<Line> => {
    const tcp = await dial();
    if (!target.secure) return { socket: tcp, tcp };
    const socket = await secureTcp(tcp, target, egress, signal);
    opened.push(socket);
    return { socket, tcp };
  };
  const close = (): void => {
    for (const socket of opened) socket.destroy();
  };
  return { request, signal, dial, open, close };
}

/** Writes bytes, and resolves once the system has them. */
export function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Sends a request and reads the answer at the same time. The answer may arrive before everything is sent; then the
 * signal of `send` is aborted and the rest is not sent. An error while sending is not reported from here, because
 * reading the answer fails too.
 */
export async function converse(
  { request, signal }: Wire,
  { socket }: Line,
  send: (signal: AbortSignal) => Promise<void>,
): Promise<Answer> {
  const answered = new AbortController();
  const head = headOfAnswer(socket, signal);
  void send(AbortSignal.any([signal, answered.signal])).catch(() => {});
  try {
    const answer = await head;
    answered.abort();
    const body = await readBody(answer, request.responseLimitBytes);
    return { status: answer.statusCode ?? 0, headers: flatHeaders(answer.headers), ...body };
  } finally {
    answered.abort();
  }
}

/**
 * Reads the answer with Node's own HTTP client, whose own request is discarded: the manner writes the bytes of the
 * request itself.
 */
async function headOfAnswer(socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = Duplex.from({ readable: withoutInterim(socket), writable: discarded });
  const listener = listen({ method: "POST", createConnection: () => line, signal });
  // An error without a listener would end the process. `readBody` handles the errors of the body.
  for (const emitter of [listener, line]) emitter.on("error", () => {});
  const { promise: switched, reject } = Promise.withResolvers<never>();
  listener.on("upgrade", () => reject(new Error("a switch of protocols that was not requested")));
  listener.end();
  const [answer] = (await Promise.race([once(listener, "response", { signal }), switched])) as [
    IncomingMessage,
  ];
  return answer;
}
