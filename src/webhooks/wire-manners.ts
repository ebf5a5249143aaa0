import type { Answer, HoldLastByte, WireManner, WireOptions } from "./attempt.ts";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import type { WireEffectName } from "../platform/faults/effects.ts";
import { headOf } from "./http-message.ts";
import { failureOnPurpose } from "./attempt-failure.ts";
import { assertDefined } from "../engine/assertion.ts";
import { type Wire, converse, write } from "./wire-line.ts";

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
export async function misbehave(wire: Wire, manner: WireManner): Promise<Answer> {
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
