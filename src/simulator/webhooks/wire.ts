import { once } from "node:events";
import type { ClientRequest, RequestOptions } from "node:http";
import { http } from "../../base/node-http.ts";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import {
  type AttemptResult,
  type HoldLastByte,
  type WebhookRequest,
  type WireOptions,
  ENDED,
  answered,
  attempt,
} from "./attempt.ts";
import { assertDefined } from "../engine/assertion.ts";
import { checkHeaders, clientHead, headBytes, headOf, headersIn, readBody } from "./http-message.ts";
import { connectTcp, secureTcp, targetOf } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";
import { type ConnectionOptions, Connections } from "./kept-connections.ts";
import { AttemptFailure, failureOnPurpose } from "./attempt-failure.ts";
import type { WireEffectName } from "../platform/faults/effects.ts";

/**
 * Sends one attempt over the wire: a POST of these bytes over HTTP/1.1 to an address that the guard allows. It
 * follows no redirect, uses no proxy, and has one deadline for all of it. It never rejects. It closes its connection,
 * unless `kept` keeps it.
 *
 * A request with a fault uses a new connection. If the fault cuts the receiver off, the attempt has failed. Otherwise
 * the status line of the answer decides.
 */
export function sendWebhook(
  request: WebhookRequest,
  egress: Egress,
  kept?: Connections,
): Promise<AttemptResult> {
  return attempt(request, async (signal) => {
    const wire = new Wire(request, egress, signal);
    try {
      const { manner } = request;
      if (manner === undefined) return await sendWhole(wire, kept);
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

/** The functions that perform the wire effects. They return the answer, or undefined if the effect ends the attempt. */
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
} satisfies Readonly<
  Record<WireEffectName, (wire: Wire, options: WireOptions) => Promise<AttemptResult | void>>
>;

/**
 * Sends a request once, over a kept connection if `kept` has one. Before that, the ends of kept connections arrive, so
 * the attempt does not fail because a receiver closed its connection earlier.
 */
async function sendWhole(wire: Wire, kept: Connections | undefined): Promise<AttemptResult> {
  if (kept !== undefined) await endsArrived();
  wire.signal.throwIfAborted();
  const { headers, body } = wire.request;
  const connection = kept === undefined ? "close" : "keep-alive";
  const framing = { connection, body: ["content-length", String(body.length)] } as const;
  const { mustBeUnchanged, ...head } = clientHead(headOf(wire.url, headers, framing));
  const reader = wire.connect(kept, head);
  mustBeUnchanged(reader);
  reader.end(body);
  return readAnswer(wire, reader);
}

/** Waits for two turns of the event loop: then the end of a connection has arrived, also from a receiver in this process. */
function endsArrived(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

async function resetOnConnect(wire: Wire): Promise<void> {
  await wire.dial();
  await wire.reset();
}

/** Resets the connection at the first byte of the answer. Before that, the receiver may not have done its work. */
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

function slowHeaders(wire: Wire, pace: WireOptions): Promise<AttemptResult> {
  return converse(wire, async (socket, signal) => {
    await dribble(socket, head(wire), pace, signal);
    await write(socket, wire.request.body);
  });
}

function slowBody(wire: Wire, pace: WireOptions): Promise<AttemptResult> {
  return converse(wire, async (socket, signal) => {
    await write(socket, head(wire));
    await dribble(socket, wire.request.body, pace, signal);
  });
}

function truncateThenClose(wire: Wire, cut: WireOptions): Promise<AttemptResult> {
  return converse(wire, async (socket) => {
    await write(socket, truncated(wire, cut));
    socket.end();
  });
}

/**
 * Sends a part of the body and resets. The receiver first gets time to read, because a reset may discard unread data.
 */
async function truncateThenReset(wire: Wire, cut: WireOptions): Promise<void> {
  await write(await wire.open(), truncated(wire, cut));
  await pause(SETTLE_MS, undefined, { signal: wire.signal });
  await wire.reset();
}

function chunked(wire: Wire, { pieces = 3 }: WireOptions): Promise<AttemptResult> {
  return converse(wire, async (socket) => {
    const { headers, body } = wire.request;
    await write(socket, headBytes(wire.url, headers, { body: ["transfer-encoding", "chunked"] }));
    for (const piece of slices(body, pieces)) {
      await write(socket, Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CRLF]));
    }
    await write(socket, Buffer.from("0\r\n\r\n"));
  });
}

function holdLastByte(wire: Wire, { allButLastSent, released }: HoldLastByte): Promise<AttemptResult> {
  const bytes = whole(wire);
  return converse(wire, async (socket, signal) => {
    await write(socket, bytes.subarray(0, -1));
    await pause(LAST_BYTE_MS, undefined, { signal });
    allButLastSent();
    await released;
    if (!signal.aborted) await write(socket, bytes.subarray(-1));
  });
}

/** The wall time until sent bytes have probably been read. A sender cannot know it. */
const SETTLE_MS = 50;

/** The wall time between the last byte and the bytes before it. A longer time brings no further requests together. */
const LAST_BYTE_MS = 10;

const CRLF = Buffer.from("\r\n");

function head({ url, request }: Wire, lengthBytes = request.body.length): Buffer {
  return headBytes(url, request.headers, { body: ["content-length", String(lengthBytes)] });
}

function whole(wire: Wire): Buffer {
  return Buffer.concat([head(wire), wire.request.body]);
}

/** Returns the first part of the body. An empty body is announced with one byte, so that a byte is missing. */
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

/** Splits bytes into at most this number of equal pieces. The last piece may be shorter. */
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

  get url(): URL {
    return this.#target.url;
  }

  /** Opens the TCP connection, before TLS. */
  async dial(): Promise<Socket> {
    const tcp = await connectTcp(this.#target, this.#egress, this.signal);
    this.#opened.push(tcp);
    return tcp;
  }

  /** Opens the connection for HTTP: TCP or TLS over it. */
  async open(): Promise<Socket> {
    const tcp = await this.dial();
    if (!this.#target.secure) return tcp;
    const socket = await secureTcp(tcp, this.#target, this.signal);
    this.#opened.push(socket);
    return socket;
  }

  /**
   * Connects Node's HTTP client to the receiver. It may take one of the kept connections. Only attempts with the same
   * receiver and the same egress mode share a connection.
   */
  connect(connections = OWN, head?: Pick<RequestOptions, "path" | "headers">): ClientRequest {
    const { host, port, secure } = this.#target;
    const origin = `${this.#egress.mode} ${secure ? "https" : "http"} ${host} ${port}`;
    const dial = async (): Promise<Socket> => {
      const tcp = await connectTcp(this.#target, this.#egress, this.signal);
      return secure ? secureTcp(tcp, this.#target, this.signal) : tcp;
    };
    const options: RequestOptions & ConnectionOptions = {
      ...head,
      method: "POST",
      agent: connections,
      origin,
      dial,
    };
    return http.request(options);
  }

  /** Ends the TCP connection with RST, so the receiver gets an error in place of an end. */
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

/** Connections that are closed after one attempt. */
const OWN = new Connections({ keepAlive: false });

/**
 * Sends a request and reads the answer at the same time. Node's HTTP client reads the answer, but `send` writes the
 * request: the client writes nothing, because its request is never ended. The answer may arrive before everything is
 * sent; then the signal of `send` is aborted and the rest is not sent. An error while sending is not reported from
 * here, because reading the answer fails too.
 */
async function converse(
  wire: Wire,
  send: (socket: Socket, signal: AbortSignal) => Promise<void>,
): Promise<AttemptResult> {
  const ended = new AbortController();
  const reader = wire.connect();
  reader.once("socket", (socket) => void send(socket, ended.signal).catch(() => {}));
  try {
    return await readAnswer(wire, reader, () => ended.abort(ENDED));
  } finally {
    ended.abort(ENDED);
  }
}

/** The maximum number of interim answers (RFC 9110, 15.2). A client ignores them, so they need a limit. */
const INTERIM_MAX = 16;
const INTERIM_MAX_CHARACTERS = 16 * 1024;

/**
 * Reads the answer. `begun` is called before its body arrives. A connection that is not kept is closed at the end.
 */
async function readAnswer(
  { signal }: Wire,
  reader: ClientRequest,
  begun?: () => void,
): Promise<AttemptResult> {
  const { promise, resolve, reject } = Promise.withResolvers<AttemptResult>();
  const stop = (): void => void reader.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop);
  let interim = { count: 0, characters: 0 };
  // An error without a listener would end the process. `readBody` handles the errors of the body.
  reader.on("error", reject);
  reader.on("upgrade", () => reject(new Error("a switch of protocols that was not requested")));
  const countInterim = ({ rawHeaders }: { readonly rawHeaders: readonly string[] }): void => {
    const { count, characters } = interim;
    interim = { count: count + 1, characters: characters + rawHeaders.join("").length };
    if (interim.count <= INTERIM_MAX && interim.characters <= INTERIM_MAX_CHARACTERS) return;
    // The parser reads the rest of what has arrived, which may be thousands of interim answers.
    reader.off("information", countInterim);
    reject(floodOfInterim());
    reader.destroy();
  };
  reader.on("information", countInterim);
  reader.on("response", (answer) => {
    const { statusCode: status = 0 } = answer;
    if (status < 200) return reject(new Error(`there is no status ${status}`));
    const headers = headersIn(answer);
    begun?.();
    // The body is read from now on, because it may break in this turn.
    return resolve(
      readBody(answer).then(({ body, truncated }) => answered(status, headers, body, truncated)),
    );
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    reader.destroy();
  }
}

function floodOfInterim(): AttemptFailure {
  const found = `the receiver sent more than ${INTERIM_MAX} interim answers (1xx), or very long ones, and no final one`;
  return new AttemptFailure("protocol", found, "Answer with a final status, such as 200.");
}
