import { once } from "node:events";
import { type IncomingMessage, request as listen } from "node:http";
import type { Socket } from "node:net";
import { Duplex, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Answer,
  type AttemptResult,
  type Deadline,
  type HoldLastByte,
  type WebhookRequest,
  type WireManner,
  type WireOptions,
  attempt,
} from "./attempt.ts";
import { assertDefined } from "../engine/assertion.ts";
import { checkHeaders, flatHeaders, headOf, readBody } from "./http-message.ts";
import { connectTcp, secureTcp, targetOf } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";
import { failureOnPurpose } from "./attempt-failure.ts";
import type { WireEffectName } from "../platform/faults/effects.ts";
import { withoutInterim } from "./interim-answers.ts";

/**
 * One attempt that misbehaves on the wire in the requested manner, with the same guard, deadline and result as
 * `postWebhook`: it never rejects and leaves nothing open. If the receiver can answer, its status line decides as
 * usual; if the manner cuts it off, the attempt has failed.
 */
export function sendRaw(request: WebhookRequest, manner: WireManner, egress: Egress): Promise<AttemptResult> {
  const exchange = async ({ signal }: Deadline): Promise<Answer> => {
    const wire = createWire(request, egress, signal);
    try {
      return await misbehave(wire, manner);
    } finally {
      wire.close();
    }
  };
  return attempt(request, exchange);
}

/**
 * Sends several requests so that the last byte of each arrives at the same moment, each over its own connection: no
 * last byte is sent before all requests have only it left. A connection that fails does not keep the others waiting.
 */
export function sendTogether(
  requests: readonly WebhookRequest[],
  egress: Egress,
): Promise<readonly AttemptResult[]> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let waiting = requests.length;
  const ready = (): void => {
    waiting -= 1;
    if (waiting === 0) release();
  };
  return Promise.all(
    requests.map(async (request) => {
      let isReady = false;
      const allButLastSent = (): void => {
        isReady = true;
        ready();
      };
      const manner = { kind: "hold-last-byte", released, allButLastSent } as const;
      const result = await sendRaw(request, manner, egress);
      if (!isReady) ready();
      return result;
    }),
  );
}

/** How each effect of the wire is performed: the answer, or nothing if the effect itself ends the attempt. */
const MANNERS = {
  "refuse-connection": () => Promise.resolve(),
  "reset-on-connect": resetOnConnect,
  "reset-after-request": resetAfterRequest,
  "ignore-answer": ignoreAnswer,
  "slow-headers": slowHeaders,
  "slow-body": slowBody,
  "truncate-then-close": truncateThenClose,
  "truncate-then-reset": truncateThenReset,
  chunked,
} satisfies Readonly<Record<WireEffectName, (wire: Wire, options: WireOptions) => Promise<Answer | void>>>;

/** Misbehaves in one manner over a wire; what it returns or throws is the attempt's outcome. */
async function misbehave(wire: Wire, manner: WireManner): Promise<Answer> {
  if (manner.kind === "hold-last-byte") return holdLastByte(wire, manner);
  const answer = await MANNERS[manner.kind](wire, manner);
  if (answer !== undefined) return answer;
  throw assertDefined(failureOnPurpose(manner.kind), `how ${manner.kind} ends an attempt`);
}

async function resetOnConnect({ dial }: Wire): Promise<void> {
  const tcp = await dial();
  await reset(tcp);
}

/** The reset waits for the answer's first byte: before it, it is not known whether the receiver did the work. */
async function resetAfterRequest(wire: Wire): Promise<void> {
  const { socket, tcp } = await wire.open();
  await write(socket, whole(wire));
  await once(socket, "readable", { signal: wire.signal });
  await reset(tcp);
}

async function ignoreAnswer(wire: Wire): Promise<void> {
  const { socket } = await wire.open();
  await write(socket, whole(wire));
  await aborted(wire.signal);
}

async function slowHeaders(wire: Wire, pace: WireOptions): Promise<Answer> {
  const line = await wire.open();
  return converse(wire, line, async (signal) => {
    await dribble(line.socket, head(wire), pace, signal);
    await write(line.socket, wire.request.body);
  });
}

async function slowBody(wire: Wire, pace: WireOptions): Promise<Answer> {
  const line = await wire.open();
  return converse(wire, line, async (signal) => {
    await write(line.socket, head(wire));
    await dribble(line.socket, wire.request.body, pace, signal);
  });
}

async function truncateThenClose(wire: Wire, cut: WireOptions): Promise<Answer> {
  const line = await wire.open();
  return converse(wire, line, async () => {
    await write(line.socket, truncated(wire, cut));
    line.socket.end();
  });
}

/** After a reset some systems discard data that was not read, so the receiver first gets time to read it. */
async function truncateThenReset(wire: Wire, cut: WireOptions): Promise<void> {
  const { socket, tcp } = await wire.open();
  await write(socket, truncated(wire, cut));
  await pause(SETTLE_MS, undefined, { signal: wire.signal });
  await reset(tcp);
}

async function chunked(wire: Wire, { pieces = 3 }: WireOptions): Promise<Answer> {
  const line = await wire.open();
  return converse(wire, line, async () => {
    await write(line.socket, headOf(wire.request, { "transfer-encoding": "chunked" }));
    for (const piece of slices(wire.request.body, pieces)) {
      await write(line.socket, Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CRLF]));
    }
    await write(line.socket, Buffer.from("0\r\n\r\n"));
  });
}

async function holdLastByte(wire: Wire, { allButLastSent, released }: HoldLastByte): Promise<Answer> {
  const line = await wire.open();
  const bytes = whole(wire);
  return converse(wire, line, async (signal) => {
    await write(line.socket, bytes.subarray(0, -1));
    await pause(SETTLE_MS, undefined, { signal });
    allButLastSent();
    await released;
    if (!signal.aborted) await write(line.socket, bytes.subarray(-1));
  });
}

/** Wall time for bytes to arrive and be read; a sender does not learn that they were. */
const SETTLE_MS = 50;
const CRLF = Buffer.from("\r\n");

function head({ request }: Wire, lengthBytes = request.body.length): Buffer {
  return headOf(request, { "content-length": String(lengthBytes) });
}

function whole(wire: Wire): Buffer {
  return Buffer.concat([head(wire), wire.request.body]);
}

/** An empty body is announced as one byte long, so that a byte is missing. */
function truncated(wire: Wire, { sentBytes }: WireOptions): Buffer {
  const { body } = wire.request;
  const sent = Math.min(sentBytes ?? Math.floor(body.length / 2), Math.max(body.length - 1, 0));
  return Buffer.concat([head(wire, Math.max(body.length, 1)), body.subarray(0, sent)]);
}

async function dribble(
  socket: Socket,
  bytes: Uint8Array,
  { pieces = 20, pauseMs = 100 }: WireOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const piece of slices(bytes, pieces)) {
    await write(socket, piece);
    await pause(pauseMs, undefined, { signal });
  }
}

/** Up to that many pieces, not empty and of equal size except for the last one. */
function slices(bytes: Uint8Array, pieces: number): Uint8Array[] {
  const sizeBytes = Math.max(Math.ceil(bytes.length / Math.max(pieces, 1)), 1);
  const count = Math.ceil(bytes.length / sizeBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * sizeBytes, (index + 1) * sizeBytes),
  );
}

/** Ends a connection with RST, so that the receiver meets an error where it would have met an end. */
async function reset(tcp: Socket): Promise<void> {
  if (tcp.destroyed) return;
  const closed = once(tcp, "close");
  tcp.resetAndDestroy();
  await closed;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** What a manner works with: the request, and connections that it may open and break. */
interface Wire {
  readonly request: WebhookRequest;
  readonly signal: AbortSignal;
  /** A new TCP connection, before TLS. */
  readonly dial: () => Promise<Socket>;
  /** A line ready for HTTP. */
  readonly open: () => Promise<Line>;
  /** Drops whatever was opened. */
  readonly close: () => void;
}

interface Line {
  /** The connection for HTTP: TCP itself or TLS over it. */
  readonly socket: Socket;
  /** The connection beneath: only this one can be reset. */
  readonly tcp: Socket;
}

function createWire(request: WebhookRequest, egress: Egress, signal: AbortSignal): Wire {
  const target = targetOf(request.url, egress);
  checkHeaders(request);
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
function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Sends a request and reads the answer at the same time. The answer may arrive before everything is sent; then the
 * signal of `send` is aborted and the rest is not sent. An error while sending is not reported from here, because
 * reading the answer fails too.
 */
async function converse(
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
