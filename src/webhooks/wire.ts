import { once } from "node:events";
import { type IncomingMessage, request as listen } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Answer,
  type AttemptResult,
  type HoldLastByte,
  type WebhookRequest,
  type WireOptions,
  attempt,
} from "./attempt.ts";
import { assertDefined } from "../engine/assertion.ts";
import { checkHeaders, headOf, headersIn, readBody } from "./http-message.ts";
import { connectTcp, secureTcp, targetOf } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";
import { AttemptFailure, failureOnPurpose } from "./attempt-failure.ts";
import type { WireEffectName } from "../platform/faults/effects.ts";

/**
 * Sends one attempt over the wire: a POST of these bytes over HTTP/1.1 to an address that the guard allows. It
 * follows no redirect, uses no proxy, opens its own connection, and has one deadline for all of it. It never rejects
 * and closes everything that it opens.
 *
 * A request with a manner misbehaves in that way. If the manner cuts the receiver off, the attempt has failed,
 * otherwise the status line of the answer decides.
 */
export function sendWebhook(request: WebhookRequest, egress: Egress): Promise<AttemptResult> {
  return attempt(request, async (signal) => {
    const wire = new Wire(request, egress, signal);
    try {
      const { manner } = request;
      if (manner === undefined) return await sendWhole(wire);
      if (manner.kind === "hold-last-byte") return await holdLastByte(wire, manner);
      const answer = await MANNERS[manner.kind](wire, manner);
      if (answer !== undefined) return answer;
      throw assertDefined(failureOnPurpose(manner.kind), `how ${manner.kind} ends an attempt`);
    } finally {
      wire.close();
    }
  });
}

/**
 * Sends several requests so that the last byte of each arrives at the same moment, each over its own connection: no
 * last byte is sent before all requests have only it left. A connection that fails does not keep the others waiting. A
 * request with a fault on the wire keeps that fault.
 */
export function sendTogether(
  requests: readonly WebhookRequest[],
  egress: Egress,
): Promise<readonly AttemptResult[]> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const waiting = new Set(requests.keys());
  return Promise.all(
    requests.map(async (request, index) => {
      const allButLastSent = (): void => {
        waiting.delete(index);
        if (waiting.size === 0) release();
      };
      if (request.manner !== undefined) {
        allButLastSent();
        return sendWebhook(request, egress);
      }
      const manner = { kind: "hold-last-byte", released, allButLastSent } as const;
      const result = await sendWebhook({ ...request, manner }, egress);
      allButLastSent();
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

function sendWhole(wire: Wire): Promise<Answer> {
  return converse(wire, (socket) => write(socket, whole(wire)));
}

async function resetOnConnect(wire: Wire): Promise<void> {
  await wire.dial();
  await wire.reset();
}

/** The reset waits for the answer's first byte: before it, it is not known whether the receiver did the work. */
async function resetAfterRequest(wire: Wire): Promise<void> {
  const socket = await wire.open();
  await write(socket, whole(wire));
  await once(socket, "readable", { signal: wire.signal });
  await wire.reset();
}

async function ignoreAnswer(wire: Wire): Promise<void> {
  await write(await wire.open(), whole(wire));
  if (!wire.signal.aborted) await once(wire.signal, "abort");
}

function slowHeaders(wire: Wire, pace: WireOptions): Promise<Answer> {
  return converse(wire, async (socket, signal) => {
    await dribble(socket, head(wire), pace, signal);
    await write(socket, wire.request.body);
  });
}

function slowBody(wire: Wire, pace: WireOptions): Promise<Answer> {
  return converse(wire, async (socket, signal) => {
    await write(socket, head(wire));
    await dribble(socket, wire.request.body, pace, signal);
  });
}

function truncateThenClose(wire: Wire, cut: WireOptions): Promise<Answer> {
  return converse(wire, async (socket) => {
    await write(socket, truncated(wire, cut));
    socket.end();
  });
}

/** After a reset some systems discard data that was not read, so the receiver first gets time to read it. */
async function truncateThenReset(wire: Wire, cut: WireOptions): Promise<void> {
  await write(await wire.open(), truncated(wire, cut));
  await pause(SETTLE_MS, undefined, { signal: wire.signal });
  await wire.reset();
}

function chunked(wire: Wire, { pieces = 3 }: WireOptions): Promise<Answer> {
  return converse(wire, async (socket) => {
    await write(socket, headOf(wire.request, { "transfer-encoding": "chunked" }));
    for (const piece of slices(wire.request.body, pieces)) {
      await write(socket, Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CRLF]));
    }
    await write(socket, Buffer.from("0\r\n\r\n"));
  });
}

function holdLastByte(wire: Wire, { allButLastSent, released }: HoldLastByte): Promise<Answer> {
  const bytes = whole(wire);
  return converse(wire, async (socket, signal) => {
    await write(socket, bytes.subarray(0, -1));
    await pause(SETTLE_MS, undefined, { signal });
    allButLastSent();
    await released;
    if (!signal.aborted) await write(socket, bytes.subarray(-1));
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

/** The tools of a manner: the request, and a connection that it may open and break. */
class Wire {
  readonly request: WebhookRequest;
  readonly signal: AbortSignal;
  readonly #egress: Egress;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #opened: Socket[] = [];

  constructor(request: WebhookRequest, egress: Egress, signal: AbortSignal) {
    this.request = request;
    this.signal = signal;
    this.#egress = egress;
    this.#target = targetOf(request.url, egress);
    checkHeaders(request);
  }

  /** The TCP connection, before TLS. */
  async dial(): Promise<Socket> {
    const tcp = await connectTcp(this.#target, this.#egress, this.signal);
    this.#opened.push(tcp);
    return tcp;
  }

  /** The connection for HTTP: TCP itself or TLS over it. */
  async open(): Promise<Socket> {
    const tcp = await this.dial();
    if (!this.#target.secure) return tcp;
    const socket = await secureTcp(tcp, this.#target, this.signal);
    this.#opened.push(socket);
    return socket;
  }

  /** Ends the TCP connection with RST, so that the receiver meets an error in place of an end. */
  async reset(): Promise<void> {
    const [tcp] = this.#opened;
    if (tcp === undefined || tcp.destroyed) return;
    const closed = once(tcp, "close");
    tcp.resetAndDestroy();
    await closed;
  }

  close(): void {
    for (const socket of this.#opened) socket.destroy();
  }
}

/** Writes bytes, and resolves once the system has them. */
function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Opens a connection, sends a request and reads the answer at the same time. The answer may arrive before everything is
 * sent; then the signal of `send` is aborted and the rest is not sent. An error while sending is not reported from here,
 * because reading the answer fails too.
 */
async function converse(
  wire: Wire,
  send: (socket: Socket, signal: AbortSignal) => Promise<void>,
): Promise<Answer> {
  const socket = await wire.open();
  const ended = new AbortController();
  const head = headOfAnswer(socket, wire.signal);
  void send(socket, ended.signal).catch(() => {});
  try {
    const answer = await head;
    ended.abort();
    return { status: answer.statusCode ?? 0, headers: headersIn(answer), ...(await readBody(answer)) };
  } finally {
    ended.abort();
  }
}

/** A client passes over interim answers (RFC 9110, 15.2), so without a bound they could go on for ever. */
const INTERIM_MAX = 16;
const INTERIM_MAX_CHARACTERS = 16 * 1024;

/**
 * Reads the answer with Node's own HTTP client, whose own request is discarded: the manner writes the bytes of the
 * request itself.
 */
async function headOfAnswer(socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  const line = answerOn(socket);
  const listener = listen({ method: "POST", createConnection: () => line, signal });
  // An error without a listener would end the process. `readBody` handles the errors of the body.
  for (const emitter of [listener, line]) emitter.on("error", () => {});
  const { promise: failed, reject } = Promise.withResolvers<never>();
  listener.on("upgrade", () => reject(new Error("a switch of protocols that was not requested")));
  let interim = { count: 0, characters: 0 };
  listener.on("information", ({ rawHeaders }) => {
    const { count, characters } = interim;
    interim = { count: count + 1, characters: characters + rawHeaders.join("").length };
    if (interim.count > INTERIM_MAX || interim.characters > INTERIM_MAX_CHARACTERS) {
      reject(floodOfInterim());
      line.destroy();
    }
  });
  listener.end();
  const [answer] = (await Promise.race([once(listener, "response"), failed])) as [IncomingMessage];
  if ((answer.statusCode ?? 0) < 200) throw new Error(`there is no status ${answer.statusCode}`);
  return answer;
}

/**
 * Returns the bytes of a receiver in pieces: Node reads all interim answers of one piece in one turn. Written bytes
 * are dropped.
 */
function answerOn(socket: Socket): Duplex {
  const line = new Duplex({
    read: () => void socket.resume(),
    write: (_bytes, _encoding, done) => done(),
  });
  socket.on("data", (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && !line.destroyed; at += PIECE_BYTES)
      if (!line.push(bytes.subarray(at, at + PIECE_BYTES))) socket.pause();
  });
  socket.on("end", () => line.push(null));
  socket.on("error", (error) => line.destroy(error));
  return line;
}

const PIECE_BYTES = 4_096;

function floodOfInterim(): AttemptFailure {
  const found = `the receiver sent more than ${INTERIM_MAX} interim answers (1xx), or very long ones, and no final one`;
  return new AttemptFailure("protocol", found, "Answer with a final status, such as 200.");
}
